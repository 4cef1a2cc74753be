"""A person wins, loses and gives up a match of every kind, by clicking."""

from __future__ import annotations

import pytest

from tests.web.browser.people import Setting, keep_picture, part_for

SHORT = [
    Setting("gravwell", rules={"rounds": 1}),
    Setting("planet_wars", "skirmish", {"turns": 8}, strong="mcts:sims=30"),
    Setting("organism", "PE", {"token_limit": 1}),
    Setting("pivit", "short", {"quiet": 4}),
    Setting("thrones", rules={"map": "empty_room", "cap": 8}),
    Setting("connect_four"),
]
BY_GAME = pytest.mark.parametrize("setting", SHORT, ids=lambda setting: setting.game)


def play_through(page, seat_person, setting, pictures, wins):
    seed, rival, actions = part_for(setting, wins)
    made = page.post(setting.body(seed, "human", rival))
    person = seat_person(made["seats"][0]["link"])
    for number, action in enumerate(actions):
        person.await_turn()
        if number == len(actions) // 2:
            keep_picture(person, pictures, f"{setting.game}-{'winning' if wins else 'losing'}")
        person.play(action)
    person.until(lambda: person.state["over"], "the end")
    person.page.locator(".finale").wait_for()
    return person


@BY_GAME
def test_a_person_wins_by_clicking(page, seat_person, pictures, setting):
    person = play_through(page, seat_person, setting, pictures, wins=True)
    assert person.verdict == "You won"
    person.page.get_by_role("link", name="See the replay").wait_for()
    keep_picture(person, pictures, f"{setting.game}-won")


@BY_GAME
def test_a_person_loses_by_clicking(page, seat_person, pictures, setting):
    person = play_through(page, seat_person, setting, pictures, wins=False)
    assert person.verdict == "You lost"
    assert not person.page.locator(".frame .can").count()


@BY_GAME
def test_a_person_resigns(page, seat_person, setting):
    made = page.post(setting.body(1, "human", "random"))
    person = seat_person(made["seats"][0]["link"])
    person.await_turn()
    person.resign()
    person.page.locator(".finale").wait_for()
    assert person.verdict == "You lost"
    assert "resigned" in person.page.locator(".finale p").inner_text()
