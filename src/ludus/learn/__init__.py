"""Trainers, one file a method. A file that lies here is a method of `ludus train`; nothing lists them. A method for one
game lies in the folder that has the game's name, and is called by its short name where that game is learnt.

The first line of a trainer's docstring says what it does. It has a dataclass `Settings`, whose fields carry help like
an agent's settings, and a generator

    train(game, values, settings, run, seed, workers) -> Iterator[dict]

that yields one row an iteration and keeps its checkpoints in the run folder; called again on the same folder, it goes
on from the last one. `TOTAL(settings)` says how many rows to expect, and `CURVE` which columns are shares to be drawn
over the first one, in words; `low` and `high` are the interval of the first of them. `ADVICE(game)`, where there is
one, says what would make the game easier to learn; `GAMES`, in how many matches against random players the result is
measured, where the usual number would take too long.

The settings decide the result and the workers only how soon it comes: a trainer hands them its work in pieces that take
a fraction of a second, so that whoever stops it is heard. Workers are threads of this process, unless the method says
`TRAVELS`: then they may be other processes. The agent that plays a run has the name of the method, or is what
`SPEC(settings, folder)` says.

Matches to learn from are played by `_matches`, whatever is learnt; those of networks by `_selfplay`.
"""
