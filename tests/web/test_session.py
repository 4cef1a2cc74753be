"""One live match without a network: who may do what, what each viewer gets, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import kernels
from ludus.arena.hosts import host
from ludus.arena.live import HUMAN, WATCHER, LiveMatch, Refused, Seat
from ludus.arena.match import Match, replay
from ludus.catalogue import game_names, load
from ludus.errors import AgentFault
from ludus.rng import stream
from ludus.web.session import NeedsConsent, Session

HIDDEN = ("kuhn_poker", "goofspiel", "gravwell", "planet_wars")


class Ear:
    """Somebody who looks on and remembers what was said."""

    def __init__(self, seat: int):
        self.seat, self.heard, self.refreshed = seat, [], 0

    def refresh(self):
        self.refreshed += 1

    def tell(self, message):
        self.heard.append(message)

    def kinds(self):
        return [message["type"] for message in self.heard]


class Broken:
    """A host whose agent always fails, or answers what is given."""

    def __init__(self, answer):
        self.answer = answer

    def ask(self, view, rng, seconds):
        return self.answer

    def close(self):
        pass


def open_session(name: str, specs: Sequence[str], seed: int = 0, **rules) -> Session:
    game = load(name)
    match = Match(game, len(specs), game.params.values(rules), seed=seed)
    seats = [Seat(HUMAN) if spec == HUMAN else Seat(spec, host(spec, game)) for spec in specs]
    session = Session("abc", game, match.record(specs))
    session.begin(LiveMatch(match, seats))
    return session


def play(session: Session, *what) -> None:
    session.live.play(*what)
    session.has_moved()


def say(session: Session, *what) -> None:
    session.live.say(*what)
    session.has_moved()


def undo(session: Session, player: int) -> None:
    session.live.undo(player)
    session.has_moved()


def resign(session: Session, player: int) -> None:
    session.live.resign(player)
    session.has_moved()


def let_agents_move(session: Session) -> None:
    for question in session.live.owed():
        asked = session.live.seats[question.player].host
        assert asked is not None
        try:
            answer = asked.ask(question.view, question.rng, 60)
        except AgentFault as fault:
            answer = fault
        thoughts = getattr(getattr(asked, "agent", None), "thoughts", None)
        session.live.take_answer(question, answer, 0.01, thoughts)
    session.live.release()
    session.has_moved()


def play_at_random(session: Session, plies: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        for player, view in session.live.match.waiting().items():
            play(session, player, int(rng.choice(view.legal)), session.live.match.plies)
        if session.over:
            return


# ------------------------------------------------------------------------------------------------ playing


def test_a_person_beats_an_agent_and_the_record_bears_it_out():
    session = open_session("tic_tac_toe", [HUMAN, "random"])
    session.live.seats[1].host = Broken(None)
    for action, reply in ((0, 3), (1, 4), (2, None)):
        play(session, 0, action, session.live.match.plies)
        session.live.seats[1].host.answer = reply
        let_agents_move(session)
    frame = session.frame(0)
    assert frame["over"]
    assert frame["returns"] == [1.0, -1.0]
    assert frame["outcome_text"] == "X has three in a row"
    assert [(move["ply"], move["player"]) for move in frame["moves"]] == [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)]
    assert frame["chances"][-1]["shares"] == [1.0, 0.0]
    record = session.live.record()
    assert record.agents == ["human", "random"]
    assert replay(record).returns == [1.0, -1.0]


@pytest.mark.parametrize("name", game_names())
def test_every_game_is_played_to_its_end_by_agents_alone(name):
    session = open_session(name, ["random"] * load(name).facts.players[0], seed=2)
    ear = Ear(WATCHER)
    session.join(ear)
    for _ in range(3000):
        let_agents_move(session)
        if session.over:
            break
    frame = json.loads(session.frame_text(WATCHER))
    assert frame["over"]
    assert frame["outcome_text"]
    assert frame["svg"].startswith("<svg")
    assert frame["actions"] == []
    assert None not in [move["text"] for move in frame["moves"]]
    assert len(frame["chances"]) == frame["ply"] + 1
    assert replay(session.live.record()).states.tobytes() == session.live.match.states.tobytes()


def test_who_may_not_act_is_refused_and_nothing_changes():
    session = open_session("tic_tac_toe", [HUMAN, HUMAN])
    for viewer, action, ply, reason in (
        (1, 0, 0, "not your turn"),
        (WATCHER, 0, 0, "watching"),
        (0, 9, 0, "not allowed"),
        (0, -1, 0, "not allowed"),
        (0, 1 << 40, 0, "not allowed"),
        (0, 0, 1, "moved on"),
        (0, 0, -1, "moved on"),
        (0, 0, None, "moved on"),
        (0, 0, False, "moved on"),
        (0, True, 0, "whole number"),
        (0, "0", 0, "whole number"),
        (0, 0.0, 0, "whole number"),
        (0, None, 0, "whole number"),
    ):
        with pytest.raises(Refused, match=reason):
            play(session, viewer, action, ply)
    assert session.live.match.plies == 0
    play(session, 0, 4, 0)
    with pytest.raises(Refused, match="moved on"):
        play(session, 0, 4, 0)  # the same message once more
    with pytest.raises(Refused, match="not your turn"):
        play(session, 0, 5, 1)


def test_actions_may_be_written():
    session = open_session("connect_four", [HUMAN, HUMAN])
    say(session, 0, " 4 ", 0)
    assert session.frame(1)["moves"] == [{"ply": 0, "player": 0, "text": "4"}]
    with pytest.raises(Refused, match="9"):
        say(session, 1, "9", 1)
    with pytest.raises(Refused, match="text"):
        say(session, 1, 4, 1)


@pytest.mark.parametrize("name", game_names())
@given(text=st.text(max_size=30), number=st.integers(-(1 << 70), 1 << 70))
def test_no_action_whatever_can_break_a_match(name, text, number):
    session = open_session(name, [HUMAN] * load(name).facts.players[0])
    player = session.live.match.acting[0]
    for do, what in ((say, text), (play, number)):
        acting, plies = session.live.match.acting, session.live.match.plies
        try:
            do(session, player, what, plies)
        except Refused:
            assert (session.live.match.acting, session.live.match.plies) == (acting, plies)


def test_resigning_ends_the_match():
    session = open_session("connect_four", [HUMAN, "random"])
    with pytest.raises(Refused):
        resign(session, WATCHER)
    resign(session, 0)
    assert session.live.record().outcome == "resigned"
    assert session.frame(0)["outcome_text"] == "player 1 resigned"
    assert session.frame(0)["returns"] == [-1.0, 1.0]
    with pytest.raises(Refused, match="over"):
        play(session, 0, 0, 0)
    with pytest.raises(Refused, match="over"):
        resign(session, 0)


# ------------------------------------------------------------------------------------------------ taking back


def test_undo_goes_back_to_the_previous_decision():
    session = open_session("connect_four", [HUMAN, "random"])
    before = session.frame(0)["svg"]
    assert not session.frame(0)["can_undo"]
    play(session, 0, 3, 0)
    let_agents_move(session)
    assert session.frame(0)["can_undo"]
    assert not session.frame(WATCHER)["can_undo"]
    undo(session, 0)
    frame = session.frame(0)
    assert (frame["ply"], frame["moves"], frame["your_turn"], len(frame["chances"])) == (0, [], True, 1)
    assert frame["svg"] == before
    with pytest.raises(Refused, match="nothing to take back"):
        undo(session, 0)


def test_an_answer_to_what_was_taken_back_is_dropped():
    session = open_session("connect_four", [HUMAN, "random"])
    play(session, 0, 3, 0)
    (question,) = session.live.owed()
    undo(session, 0)
    session.live.take_answer(question, 3, 0.01)
    session.live.release()
    session.has_moved()
    assert session.live.match.plies == 0
    play(session, 0, 4, 0)
    assert [question.player for question in session.live.owed()] == [1]


@pytest.mark.parametrize(
    ("name", "specs", "rules"),
    [
        ("connect_four", [HUMAN, HUMAN], {}),  # a friend's move is not taken back
        ("kuhn_poker", [HUMAN, "random"], {}),  # what was seen stays seen
        ("thrones", [HUMAN, "random"], {"tie": "coin"}),  # dice are not thrown again
        ("goofspiel", [HUMAN, "random"], {}),
    ],
)
def test_nothing_is_taken_back_where_it_would_teach_something(name, specs, rules):
    session = open_session(name, specs, **rules)
    player = session.people[0]
    while player not in session.live.match.acting:
        let_agents_move(session)
    play(session, player, int(session.live.match.view(player).legal[0]), session.live.match.plies)
    assert not session.frame(player)["can_undo"]
    with pytest.raises(Refused, match="taken back"):
        undo(session, player)


# ------------------------------------------------------------------------------------------------ secrets


@pytest.mark.parametrize("name", HIDDEN)
def test_a_frame_depends_only_on_what_its_viewer_may_know(name):
    """In a world that the viewer cannot tell from the true one the frame is the same, byte for byte."""
    rules = {"bids": "hidden"} if name == "goofspiel" else {}
    session = open_session(name, [HUMAN] * 2, seed=4, **rules)
    rng, swaps = stream(1), 0
    for round_no in range(30):
        play_at_random(session, 1, seed=round_no)
        if session.over:
            break
        for viewer in (0, 1):
            seen = session.frame_text(viewer)
            truth, session.live.match.states = session.live.match.states, session.live.match.states.copy()
            changed = np.empty(1, np.bool_)
            session.game.kernel(kernels.swap_secrets)(
                session.live.match.states, np.array([viewer]), rng.reshape(1, 1), changed
            )
            swaps += changed[0]
            session._scenes.clear()
            session._texts.clear()
            assert session.frame_text(viewer) == seen
            session.live.match.states = truth
            session._scenes.clear()
            session._texts.clear()
    assert swaps > 2 or name == "kuhn_poker"


def test_a_choice_made_at_once_with_others_is_not_seen_before_all_have_chosen():
    frames = []
    for card in (0, 7):
        session = open_session("goofspiel", [HUMAN, HUMAN], seed=1)
        assert session.frame(1)["to_act"] == [0, 1]
        play(session, 0, card, 0)
        frames.append([session.frame_text(1), session.frame_text(WATCHER)])
        assert session.frame(1)["to_act"] == [1]
    assert frames[0] == frames[1]


@pytest.mark.parametrize(
    ("name", "rules", "is_seen"),
    [
        ("kuhn_poker", {}, True),
        ("goofspiel", {}, True),
        ("goofspiel", {"bids": "hidden"}, False),
        ("gravwell", {}, True),
        ("planet_wars", {}, False),
        ("breakthrough", {}, True),
    ],
)
def test_the_list_of_moves_tells_a_viewer_only_what_is_public(name, rules, is_seen):
    session = open_session(name, [HUMAN, HUMAN], seed=3, **rules)
    play_at_random(session, 1 if name == "kuhn_poker" else 2)
    for viewer in (0, 1, WATCHER):
        for move in session.frame(viewer)["moves"]:
            assert (move["text"] is not None) == (is_seen or move["player"] == viewer)
    resign(session, 0)
    assert all(move["text"] is not None for move in session.frame(WATCHER)["moves"])


def test_a_rivals_action_is_put_into_words_with_the_viewers_own_knowledge(monkeypatch):
    session = open_session("kuhn_poker", [HUMAN, HUMAN], seed=1)
    cards = session.live.match.states[0].cards.tolist()
    monkeypatch.setattr(session.game.module, "action_text", lambda state, player, action: str(state.cards.tolist()))
    play(session, 0, 1, 0)
    told = [session.frame(viewer)["moves"][0]["text"] for viewer in (0, 1, WATCHER)]
    assert told == [str([cards[0], 0]), str([0, cards[1]]), "[0, 0]"]


def test_neither_frames_nor_the_store_hold_keys():
    session = open_session("tic_tac_toe", [HUMAN, HUMAN])
    secrets = [session.new_key(0), session.invite(1)]
    for viewer in (0, 1, WATCHER):
        assert not any(secret in session.frame_text(viewer) + repr(session) for secret in secrets)
    assert not any(secret in json.dumps(session.kept()) for secret in secrets)


def test_a_key_opens_its_seat_and_no_other():
    session = open_session("tic_tac_toe", [HUMAN, HUMAN])
    keys = [session.new_key(player) for player in (0, 1)]
    assert [session.viewer_with(key) for key in keys] == [0, 1]
    assert session.viewer_with("") == WATCHER
    for wrong in ("x", keys[0][:-1], keys[0] + "x", "é", "\ud800"):
        assert session.viewer_with(wrong) is None


def test_an_invitation_is_exchanged_for_a_key_once():
    session = open_session("tic_tac_toe", [HUMAN, HUMAN])
    key, invitation = session.new_key(0), session.invite(1)
    assert session.viewer_with(invitation) is None
    for wrong in ("", "x", key):
        with pytest.raises(Refused, match="invitation"):
            session.accept(wrong, agrees=True)
    player, own = session.accept(invitation, agrees=False)
    assert (player, session.viewer_with(own)) == (1, 1)
    with pytest.raises(Refused, match="used before"):
        session.accept(invitation, agrees=True)


@pytest.mark.parametrize(("name", "needs_consent"), [("kuhn_poker", True), ("tic_tac_toe", False)])
def test_luck_that_was_chosen_beforehand_needs_the_consent_of_all(name, needs_consent):
    session = open_session(name, [HUMAN, HUMAN], seed=7)
    session.seed_chosen = True
    invitation = session.invite(1)
    if needs_consent:
        with pytest.raises(NeedsConsent, match="seed 7"):
            session.accept(invitation, agrees=False)
    assert session.accept(invitation, agrees=needs_consent)[0] == 1


# ------------------------------------------------------------------------------------------------ thoughts and charts


def test_thoughts_are_for_all_in_an_open_game():
    session = open_session("connect_four", [HUMAN, "mcts:sims=20"])
    play(session, 0, 3, 0)
    let_agents_move(session)
    for viewer in (0, WATCHER):
        (thoughts,) = session.frame(viewer)["thoughts"]
        assert (thoughts["player"], thoughts["ply"]) == (1, 1)
        assert thoughts["actions"][0]["text"] in set("1234567")
        assert sum(row["visits"] for row in thoughts["actions"]) > 0


def test_thoughts_stay_with_the_house_while_something_is_hidden():
    session = open_session("kuhn_poker", ["mcts:sims=20", HUMAN], seed=5)
    let_agents_move(session)
    assert [session.frame(viewer)["thoughts"] for viewer in (1, WATCHER)] == [[], []]
    while not session.over:
        if 1 in session.live.match.acting:
            play(session, 1, 1, session.live.match.plies)
        let_agents_move(session)
    assert session.frame(WATCHER)["thoughts"]
    assert session.frame(1)["thoughts"] == []


def test_the_chart_shows_nothing_to_people_who_may_not_know():
    assert open_session("gravwell", [HUMAN, "random"]).frame(WATCHER)["chances"] is None
    assert open_session("gravwell", ["random", "random"]).frame(WATCHER)["chances"] == [None]
    assert open_session("pivit", [HUMAN, "random"]).frame(0)["chances"] == [None]


# ------------------------------------------------------------------------------------------------ faults


@pytest.mark.parametrize("answer", [99, "rubbish", None, AgentFault("crash", "its process ended"), 1.5])
def test_a_failing_agent_can_be_replaced(answer):
    session = open_session("tic_tac_toe", ["random", HUMAN])
    ear = Ear(1)
    session.join(ear)
    session.live.seats[0].host = Broken(answer)
    let_agents_move(session)
    fault = session.frame(1)["fault"]
    assert fault["seat"] == 0
    assert ear.refreshed
    assert not session.live.owed()  # it is not asked again
    with pytest.raises(Refused, match="not failed"):
        session.live.check_failed(1)
    for nobody in (-1, 2, True, "0", None):
        with pytest.raises(Refused, match="no such seat"):
            session.live.check_failed(nobody)
    assert session.live.check_failed(0) == 0
    session.live.seats[0] = Seat("greedy", host("greedy", session.game))
    let_agents_move(session)
    assert (session.live.match.plies, session.frame(1)["fault"]) == (1, None)


def test_a_failed_agent_that_nobody_replaces_loses():
    session = open_session("tic_tac_toe", ["random", HUMAN])
    session.live.seats[0].host = Broken(AgentFault("timeout", "no answer within 60 s"))
    let_agents_move(session)
    session.live.give_up_on(0)
    record = session.live.record()
    assert (record.outcome, record.culprit, record.returns) == ("timeout", 0, [-1.0, 1.0])
    assert "player 1 loses" in session.frame(1)["outcome_text"]


def test_a_picture_that_fails_does_not_end_the_match(monkeypatch):
    session = open_session("tic_tac_toe", [HUMAN, HUMAN])
    from ludus.draw import artist_of

    def fail(*_):
        raise RuntimeError("no paint")

    monkeypatch.setattr(artist_of(session.game), "draw", fail)
    monkeypatch.setattr(artist_of(session.game), "clicks", fail, raising=False)
    frame = session.frame(0)
    assert frame["svg"].startswith("<svg")
    assert len(frame["actions"]) == 9


# ------------------------------------------------------------------------------------------------ pace and presence


def test_the_pace_belongs_to_those_who_play():
    session = open_session("connect_four", [HUMAN, "random"])
    for order in ("pause", "resume", "step", "speed"):
        with pytest.raises(Refused, match="those who play"):
            session.control(WATCHER, order, 5)
    session.control(0, "speed", 5)
    assert session.speed == 5
    for wrong in (0, 21, -1, "5", None, True, float("nan"), float("inf")):
        with pytest.raises(Refused, match="speed"):
            session.control(0, "speed", wrong)


def test_a_paused_match_waits_and_can_be_stepped():
    session = open_session("connect_four", ["random", "random"])
    session.control(WATCHER, "pause")
    for question in session.live.owed():
        session.live.take_answer(question, 3, 0.01)
    assert session.due() == float("inf")
    session.control(WATCHER, "step")
    assert session.due() == session.moved
    session.live.release()
    session.has_moved()
    assert (session.live.match.plies, session.paused) == (1, True)
    session.control(WATCHER, "step")  # before the next agent has decided
    let_agents_move(session)
    assert session.live.match.plies == 2
    assert session.due() == float("inf")
    session.control(WATCHER, "resume")
    for question in session.live.owed():
        session.live.take_answer(question, 3, 0.01)
    assert session.due() == session.moved + 1 / session.speed


def test_who_leaves_and_comes_back_finds_everything():
    session = open_session("connect_four", [HUMAN, HUMAN])
    first, second = Ear(0), Ear(1)
    session.join(first)
    session.join(second)
    play(session, 0, 3, 0)
    seen = session.frame(0)
    session.leave(first)
    assert second.kinds() == ["notice"]
    assert [seat["connected"] for seat in session.frame(1)["header"]["seats"]] == [False, True]
    session.join(Ear(0))
    assert session.frame(0) == seen


def test_a_frame_is_drawn_once_for_all_who_see_the_same(monkeypatch):
    import ludus.web.frames as module

    session, count = open_session("connect_four", [HUMAN, HUMAN]), []
    monkeypatch.setattr(module, "drawn", lambda *_: count.append(1) or "<svg/>")
    for _ in range(5):
        session.frame_text(WATCHER)
        session.changed()
    assert len(count) == 1
    play(session, 0, 3, 0)
    session.frame_text(WATCHER)
    assert len(count) == 2
