"""The conformance suite: does a game, or an agent, keep the contract?

report       what was looked at, and what was found
declared     the record and the facts
plain        random matches in plain Python, before anything is compiled
positions    the same in lock-step; every position is looked at from every seat
shapes       what learners see and answer
records      bulk play, the stepper and two threads give one record
games        check_game: all of these
apart        check_apart: the same in a process of its own
agents       check_agent
programs     check_program: somebody's program over a game's protocol

Every failure is a sentence that names the function, the position and the seed, with a command that shows it again.
What a designer forgets to hide passes every automatic check; so a game of hidden information also writes `twin`, which
swaps things that a player cannot know, and no view may notice.
"""

from ludus.testing.agents import check_agent
from ludus.testing.apart import check_apart
from ludus.testing.games import check_game
from ludus.testing.plain import refuse_unsound
from ludus.testing.programs import check_program
from ludus.testing.report import CHECKS, Failure, Report, Setting, settings_of

__all__ = [
    "CHECKS",
    "Failure",
    "Report",
    "Setting",
    "check_agent",
    "check_apart",
    "check_game",
    "check_program",
    "refuse_unsound",
    "settings_of",
]
