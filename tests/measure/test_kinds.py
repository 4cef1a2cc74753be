"""Kinds of action: what is the same to the rules is the same to statistics."""

from __future__ import annotations

import pytest

from ludus import load
from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.measure.kinds import CELL
from ludus.measure.replays import legal_kinds, positions_of, replays_of


def records(game, blocks=10, **rules):
    arena = Arena(game, ["random"], game.rule_values("default", rules), seed=2)
    tables = [table for block in range(blocks) for table in rotations([0, 0], block)]
    return [record for group in arena.play(tables) for _, record in group]


def test_cells_of_a_board_are_one_kind():
    game = load("tic_tac_toe")
    played = records(game)
    assert {kind for replay in replays_of(game, played) for kind in replay.kinds} == {"cell"}
    decisions = sum(len(record.actions) for record in played)
    assert legal_kinds(game, played, decisions=10_000) == {"cell": decisions}
    assert legal_kinds(game, played, decisions=1) == {"cell": len(played[0].actions)}


def test_columns_that_a_mirror_carries_into_each_other_are_one_kind():
    game = load("connect_four")
    (replay, *_), (record, *_) = (own := records(game), replays_of(game, own))[::-1]
    assert [int(kind) for kind in replay.kinds] == [min(action, 6 - action) + 1 for action in record.actions]


def test_a_game_says_more_by_its_own_kinds():
    game = load("breakthrough")
    kinds = {kind for replay in replays_of(game, records(game, 2)) for kind in replay.kinds}
    assert {"straight", "aslant"} <= kinds <= {"straight", "aslant", "capture"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [("a1", "cell"), ("b2-b3", "cell-cell"), ("a10xb11", "cellxcell"), ("take 3 from heap 2", "take 3 from heap 2"),
     ("gold", "gold"), ("Fe26", "Fe26")],
)  # fmt: skip
def test_a_cell_is_written_as_in_chess(text, kind):
    assert CELL.sub("cell", text) == kind


def test_the_position_is_turned_with_its_action():
    """Pivit's kinds look at the pieces on the cells of an action, so the position must turn, too."""
    game = load("pivit")
    (record, *_) = played = records(game, 1)
    (replay, *_) = replays_of(game, played)
    states = positions_of(game, [record]).states
    plain = [game.action_kind(states[ply], int(p), a) for ply, p, a in zip(replay.steps, replay.movers, record.actions)]
    assert list(replay.kinds) == plain
