"""Tuning: which rules give the game that a designer wants?

`targets` what is wanted, `ranges` what may be changed, `gates` how a candidate is tried, `book` all candidates on disk
(Optuna's own file), `confirm` the best on fresh seeds, `tune` the whole; `effects` what moves what.
"""
