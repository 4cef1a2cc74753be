"""Trainers, one file a method. A file that lies here is a method of `ludus train`; nothing lists them.

A trainer module has a dataclass `Settings`, whose fields carry help like an agent's settings, and a generator

    train(game, values, settings, run, seed) -> Iterator[dict]

that yields one row an iteration and keeps its checkpoints in the run folder; called again on the same folder, it goes
on from the last one. `TOTAL(settings)` says how many rows to expect.
"""
