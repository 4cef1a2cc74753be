"""Every exception of Ludus.

LudusError                 anything that Ludus itself reports; its text is one sentence for a person
├── BadInput               the caller asked for something that cannot be (the command line exits with 2)
│   ├── UnknownName        no game, agent, preset, … of that name; the nearest names are suggested
│   ├── BadParams          a rule number out of range, or a combination that makes no game
│   ├── BadSpec            an agent's settings do not read
│   ├── Mismatch           this agent cannot play this game, or not with so many players
│   ├── MissingPackage     something needs a package that is not installed; which command brings it
│   └── BadNotation        a text that is no action or no position of the game
├── BadRules               a game file breaks the contract
├── BadRecord              a stored match cannot be read or does not replay
├── DiskTrouble            a file cannot be written, cannot be read, or is damaged
└── AgentFault             an agent's failure during a match, recorded as the match's outcome
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LudusError(Exception):
    """Anything that Ludus itself reports."""


class BadInput(LudusError):
    """The caller asked for something that cannot be."""


class UnknownName(BadInput):
    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = ""):
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
        super().__init__(f"no {kind} is called {name!r}{where}; {hint}")


class BadParams(BadInput):
    """A rule number out of range, or a combination that makes no game."""


class BadSpec(BadInput):
    """An agent's settings do not read."""


class Mismatch(BadInput):
    """This agent cannot play this game."""


class MissingPackage(BadInput):
    def __init__(self, what: str, package: str, extra: str):
        super().__init__(f"{what} needs {package}, which is not installed: pip install 'ludus[{extra}]'")


class BadNotation(BadInput):
    """A text that is no action or no position of the game."""


class BadRules(LudusError):
    """A game file breaks the contract."""


class BadRecord(LudusError):
    """A stored match cannot be read or does not replay."""


class DiskTrouble(LudusError):
    """A file cannot be written, cannot be read, or is damaged."""


class AgentFault(LudusError):
    """An agent failed during a match; `reason` is one of the outcomes that a record may carry."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason = reason
