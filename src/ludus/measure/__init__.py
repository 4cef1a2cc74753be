"""Matches as numbers: replays, what each seat could expect, and the metrics that are read off them.

`ludus.measure.run.measure` is the plain way in: a game, its rules, who plays, how many matches.
"""
