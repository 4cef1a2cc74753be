"""Bind the runs that come with the package to the rules as they are written now.

To be run when the text of a game's rules has changed and what is played has not; otherwise they are trained anew, by
the command in their settings.
"""

from __future__ import annotations

from ludus.catalogue import load
from ludus.disk import write_json
from ludus.runs import shipped_runs

for run in shipped_runs():
    made = run.settings
    made["fingerprint"] = load(made["game"]).fingerprint
    write_json(run.path / "settings.json", made)
    print(run.path.name, made["fingerprint"])
