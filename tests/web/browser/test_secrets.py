"""What a browser receives tells nothing that its player may not know."""

from __future__ import annotations

import json
import re

from ludus.arena.match import replay
from ludus.games._gravwell_text import SYMBOLS, cards_in
from tests.web.browser.people import Setting


def hidden_cards(state, viewer: int) -> list[str]:
    """The symbols of the cards in rivals' hands, and under the stacks, that the viewer has not seen."""
    seen = int(state.shown) | int(state.hand[viewer] if viewer >= 0 else 0)
    held = [card for seat in range(2) for card in cards_in(state.hand[seat])]
    under = [int(card) - 1 for card in state.under if card > 0]
    return [SYMBOLS[card] for card in {*held, *under} if not seen >> card & 1]


def test_two_browsers_and_a_watcher_never_receive_a_hidden_card(page, seat_person):
    made = page.post(Setting("gravwell", rules={"rounds": 1}).body(5, "human", "human"))
    people = {seat: seat_person(made["seats"][seat]["link"]) for seat in (0, 1)}
    people[-1] = seat_person(made["watch"])
    session = page.session(made["id"])
    people[0].await_turn()
    live = session.live
    while not live.over:
        for seat in live.match.acting:
            people[seat].await_turn()
            people[seat].play(people[seat].state["actions"][-1]["action"])
    for person in people.values():
        person.until(lambda person=person: person.state["over"], "the end")
    looked_at = 0
    for seat, person in people.items():
        for frame in person.frames:
            message = json.loads(frame)
            if message["type"] == "state" and not message["over"]:
                truth = replay(live.record(), steps=message["ply"]).states[0]
                leaks = [card for card in hidden_cards(truth, seat) if re.search(rf"(?<!\w){card}(?!\w)", frame)]
                assert not leaks, (seat, message["ply"], leaks)
                looked_at += bool(hidden_cards(truth, seat))
            else:
                assert message["type"] in ("state", "preparing"), message["type"]
    assert looked_at > 30
