"""Every screen does what it shows: lobby, match, replay, lists; by mouse, keyboard and finger, in light and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from ludus.catalogue import game_names
from tests.web.browser.people import PATIENCE, Setting, keep_picture

expect.set_options(timeout=1000 * PATIENCE)
FOUR = Setting("connect_four")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.fixture
def four(page, seat_person):
    """Somebody at connect four against a random rival, to move."""
    made = page.post(FOUR.body(1, "human", "random"))
    person = seat_person(made["seats"][0]["link"])
    person.await_turn()
    return person


def watch(page, seat_person, game="tic_tac_toe", *seats, **changes):
    made = page.post({"game": game, "seats": list(seats) or ["random", "random"], "seed": 3, "speed": 20, **changes})
    return seat_person(made["watch"]), made["id"]


# ------------------------------------------------------------------------------------------------ the lobby


def test_the_lobby_opens_a_match_and_leads_back_to_it(seat_person, pictures):
    person = seat_person("/?game=tic_tac_toe")
    view = person.page
    view.get_by_role("button", name="Connect four").click()
    expect(view.locator(".setup h2")).to_have_text("Connect four")
    drawn = "[...document.querySelectorAll('.thumb img')].filter((one) => one.naturalWidth > 0).length"
    person.until(lambda: view.evaluate(drawn) == len(game_names()), "the pictures of all games")
    keep_picture(person, pictures, "lobby", whole=True)
    view.get_by_label("Who plays as player 2").select_option("random")
    view.get_by_role("button", name="Play", exact=True).click()
    expect(view.locator(".status")).to_have_text("Your turn")
    mine = view.url
    view.get_by_role("link", name="Play", exact=True).click()
    view.locator(".entries a", has_text="Go on").first.click()
    expect(view.locator(".status")).to_have_text("Your turn")
    assert view.url == mine


def test_rules_are_changed_and_what_cannot_be_is_told_as_text(seat_person):
    person = seat_person("/?game=connect_four")
    view = person.page
    view.get_by_text("Change the rules").click()
    view.get_by_label("columns").fill("4")
    view.get_by_label("Who plays as player 2").select_option("")
    typed = view.get_by_label("Agent of player 2")
    typed.fill("<b>randm")
    view.get_by_role("button", name="Play", exact=True).click()
    expect(view.get_by_role("alert")).to_contain_text("<b>randm")
    typed.fill("random")
    person.forgive("422")
    view.get_by_role("button", name="Play", exact=True).click()
    person.await_turn()
    assert len(person.state["actions"]) == 4


def test_the_rule_book_opens_as_text_and_closes(four):
    view = four.page
    books = [{"name": "connect_four", "rules": "<b>Four</b> in a row wins."}]
    view.route("**/api/games", lambda route: route.fulfill(json=books))
    view.reload()
    view.get_by_role("button", name="Rules").click()
    expect(view.locator("dialog pre")).to_have_text("<b>Four</b> in a row wins.")
    view.keyboard.press("Escape")
    expect(view.locator("dialog")).to_have_count(0)


# ------------------------------------------------------------------------------------------------ a match


def test_a_reload_resumes(four):
    four.play(3)
    four.await_turn()
    ply = four.state["ply"]
    four.page.reload()
    four.until(lambda: len(four.frames) and four.page.locator(".status.yours").count(), "my turn again")
    assert four.state["ply"] == ply >= 2
    assert four.page.locator(".moves li").count() == ply
    four.play(2)


def test_a_cut_line_is_told_and_mended(page, seat_person):
    made = page.post(FOUR.body(1, "human", "random"))
    person = seat_person("/tournaments")
    lines = []

    def relay(socket):
        lines.append(socket)
        socket.connect_to_server()

    person.page.route_web_socket(re.compile("/ws/"), relay)
    person.go(made["seats"][0]["link"])
    expect(person.page.locator(".status")).to_have_text("Your turn")
    lines[0].close(code=1012)
    expect(person.page.locator(".notice.warn")).to_be_visible()
    expect(person.page.locator(".notice.warn")).to_be_hidden()
    assert len(lines) == 2
    person.page.locator(".frame .can .halo").first.click()
    expect(person.page.locator(".moves li").first).to_be_visible()


def test_a_hint_lights_up_and_undo_takes_back(four):
    four.page.get_by_role("button", name="Hint").click()
    expect(four.page.locator(".frame .hinted")).to_have_count(1)
    expect(four.page.locator(".notices")).to_contain_text("Hint:")
    four.play(0)
    four.await_turn()
    four.page.get_by_role("button", name="Undo").click()
    four.until(lambda: four.state["ply"] == 0, "the first position")
    expect(four.page.locator(".moves li")).to_have_count(0)


def test_moves_can_be_chosen_from_a_list_or_typed(four):
    view = four.page
    view.get_by_text("All moves").click()
    view.locator(".all").get_by_role("button", name="4", exact=True).click()
    four.until(lambda: four.state["ply"] == 2, "the rival's answer")
    view.get_by_label("A move in the game's notation").fill("5")
    view.keyboard.press("Enter")
    four.until(lambda: four.state["ply"] == 4, "the rival's answer")
    assert [move["text"] for move in four.state["moves"][::2]] == ["4", "5"]
    view.get_by_label("A move in the game's notation").fill("99")
    view.keyboard.press("Enter")
    expect(view.locator(".notices")).to_contain_text("99")


def test_a_move_by_keyboard_alone(page, seat_person):
    made = page.post(Setting("pivit", "short").body(1, "human", "random"))
    person = seat_person(made["seats"][0]["link"])
    person.await_turn()
    view = person.page
    parts, chosen = view.locator(".frame .can"), view.locator(".frame .chosen")
    for _ in range(40):
        view.keyboard.press("Tab")
        if view.evaluate("document.activeElement.matches('.frame [data-part]')"):
            break
    view.keyboard.press("Enter")
    expect(chosen).to_have_count(1)
    targets = parts.count()
    view.keyboard.press("Escape")
    expect(chosen).to_have_count(0)
    assert parts.count() != targets
    view.keyboard.press(" ")
    source = chosen.get_attribute("data-part")
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"):  # one of them leads to a target
        view.keyboard.press(key)
        if view.evaluate("document.activeElement.matches('.can')"):
            break
    target = view.evaluate("document.activeElement.dataset.part")
    view.keyboard.press("Enter")
    person.until(lambda: person.state["ply"] > 0, "my move")
    assert source != target
    expect(view.locator("#spoken")).to_contain_text(re.compile("player 2: .* Your turn."))


def test_on_a_phone_a_finger_is_enough(page, seat_person, pictures):
    made = page.post(Setting("gravwell", rules={"rounds": 1}).body(4, "human", "random"))
    person = seat_person(made["seats"][0]["link"], **PHONE)
    person.await_turn()
    assert person.page.evaluate("document.documentElement.scrollWidth") <= 390
    halo = person.page.locator(".frame .can .halo").first
    box = halo.bounding_box()
    assert min(box["width"], box["height"]) >= 40
    for button in person.page.locator("button:visible").all():
        assert button.bounding_box()["height"] >= 40, button.inner_text()
    ply = person.state["ply"]
    halo.tap()
    person.until(lambda: person.state["ply"] > ply, "my move")
    keep_picture(person, pictures, "phone", whole=True)
    person.go("/")
    expect(person.page.locator(".setup h2")).to_be_visible()
    assert person.page.evaluate("document.documentElement.scrollWidth") <= 390
    keep_picture(person, pictures, "phone-lobby", whole=True)


def test_dark_is_dark_and_light_is_light(page, seat_person, pictures):
    brightness = {}
    for scheme in ("light", "dark"):
        made = page.post({"game": "organism", "seats": ["human", "random"], "seed": 1})
        person = seat_person(made["seats"][0]["link"], color_scheme=scheme)
        person.await_turn()
        paper = person.page.evaluate("getComputedStyle(document.body).backgroundColor")
        board = person.page.evaluate("getComputedStyle(document.querySelector('.frame .board')).fill")
        brightness[scheme] = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (paper, board)]
        keep_picture(person, pictures, f"organism-{scheme}")
    assert all(dark < 200 < 600 < light for dark, light in zip(brightness["dark"], brightness["light"]))


def test_two_people_meet_by_a_link_and_play_again(page, seat_person):
    first = seat_person("/?game=tic_tac_toe")
    first.page.get_by_label("Who plays as player 2").select_option("human")
    first.page.get_by_role("button", name="Play", exact=True).click()
    link = first.page.get_by_label("Link for player 2").input_value()
    second = seat_person(link.removeprefix(page.address))
    expect(first.page.get_by_label("Link for player 2")).to_have_count(0)
    for person, cell in ((first, 4), (second, 0), (first, 8)):
        person.await_turn()
        person.play(cell)
    second.await_turn()
    assert [move["player"] for move in second.state["moves"]] == [0, 1, 0]
    second.resign()
    expect(first.page.locator(".finale h2")).to_have_text("You won")
    assert not second.page.get_by_role("button", name="Rematch").count()
    old = first.page.url
    first.page.get_by_role("button", name="Rematch").click()
    first.page.wait_for_url(lambda url: url != old)
    expect(first.page.locator(".status")).to_have_text("Your turn")


def test_an_agent_that_fails_is_replaced(page, seat_person):
    made = page.post(FOUR.body(1, "human", "stumbler"))
    person = seat_person(made["seats"][0]["link"])
    person.await_turn()
    person.play(0)
    form = person.page.locator(".share form")
    expect(form).to_contain_text("I have stumbled")
    form.get_by_role("button", name="Go on").click()
    person.await_turn()
    assert person.state["header"]["seats"][1]["name"] == "random"


def test_who_watches_sets_the_pace(page, seat_person, pictures):
    person, _ = watch(page, seat_person, "planet_wars", preset="skirmish", speed=1)
    view = person.page
    view.get_by_role("button", name="Pause").click()
    expect(view.locator(".status")).to_have_text("Paused")
    ply = person.state["ply"]
    view.get_by_role("button", name="Step").click()
    person.until(lambda: person.state["ply"] > ply, "a step")
    assert not person.state["actions"]
    assert not view.locator(".frame .can").count()
    view.get_by_label("Speed").fill("5")
    person.until(lambda: person.state["speed"] == 20, "the new speed")
    view.get_by_role("button", name="Go on").click()
    person.until(lambda: person.state["ply"] > ply + 3, "more steps")
    keep_picture(person, pictures, "watch")


# ------------------------------------------------------------------------------------------------ what is over


def test_a_replay_scrubs_plays_and_can_be_shared(page, seat_person, pictures):
    person, id = watch(page, seat_person, "connect_four", "random", "mcts:sims=50")
    person.until(lambda: person.state.get("id_replay"), "the replay")
    view = person.page
    expect(view.locator(".finale h2")).to_contain_text("has won")
    view.get_by_role("link", name="See the replay").click()
    count, svg = view.locator(".count"), view.locator(".frame svg")
    plies = person.state["ply"]
    expect(count).to_have_text(f"0 of {plies}")
    pictures_seen = {svg.inner_html()}
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("End", plies), ("ArrowLeft", plies - 1), ("Home", 0)):
        view.keyboard.press(key)
        expect(count).to_have_text(f"{at} of {plies}")
        view.locator(f'.board[data-ply="{at}"]').wait_for()
        pictures_seen.add(svg.inner_html())
    assert len(pictures_seen) == 5
    expect(view.locator(".chances")).to_be_visible()
    view.locator(".moves button").nth(4).click()
    expect(count).to_have_text(f"5 of {plies}")
    assert view.get_by_label("Link to this ply").input_value().endswith(f"/replay/{id}#ply=5")
    view.get_by_label("Ply", exact=True).fill("3")
    expect(count).to_have_text(f"3 of {plies}")
    view.get_by_role("button", name="Play", exact=True).click()
    expect(count).to_have_text(f"4 of {plies}")
    keep_picture(person, pictures, "replay")
    friend = seat_person(f"/replay/{id}#ply=6")
    expect(friend.page.locator(".count")).to_have_text(f"6 of {plies}")
    expect(friend.page.locator(".moves .now")).to_have_count(1)


def test_a_replay_can_be_seen_with_a_players_eyes(page, seat_person):
    person, id = watch(page, seat_person, "kuhn_poker")
    person.until(lambda: person.state.get("id_replay"), "the replay")
    person.go(f"/replay/{id}")
    svg = person.page.locator(".frame svg")
    expect(svg).to_be_visible()
    truth = svg.inner_html()
    person.page.get_by_label("Seen by").select_option("1")
    person.until(lambda: svg.inner_html() != truth, "another picture")


def test_tournaments_and_reports_are_listed(seat_person, pictures):
    person = seat_person("/tournaments")
    view = person.page
    expect(view.locator(".entries a", has_text="a small cup")).to_contain_text("24 matches")
    keep_picture(person, pictures, "tournaments")
    view.get_by_role("link", name="Reports").click()
    view.get_by_role("link", name="Noughts, tested").click()
    expect(view.locator("h1")).to_have_text("Noughts")


def test_a_tournament_leads_from_its_cross_table_to_matches_and_replays(seat_person, pictures):
    person = seat_person("/tournaments")
    view = person.page
    view.get_by_role("link", name="a small cup").click()
    expect(view.locator("tbody tr", has_text="mcts:sims=40").first).to_contain_text("[")
    expect(view.locator("#matches li")).to_have_count(24)
    keep_picture(person, pictures, "tournament", whole=True)
    view.get_by_role("link", name=re.compile("^mcts:sims=40 against random")).click()
    expect(view.locator("#matches li")).to_have_count(8)
    view.get_by_label("result").select_option("lost")
    expect(view.locator("#matches .soft").last).to_have_text(re.compile("shown|None"))
    view.get_by_label("result").select_option("won")
    view.locator("#matches li a").first.click()
    expect(view.locator(".count")).to_contain_text("0 of")


def test_an_invitation_works_once(page, seat_person):
    made = page._post("/api/matches", FOUR.body(1, "human", "human"))
    invitation = made["seats"][1]["invitation"]
    guest = seat_person(invitation)
    guest.until(lambda: guest.state, "the board")
    assert guest.state["seat"] == 1
    late = seat_person(invitation)
    expect(late.page.locator("h1")).to_have_text("No entry")
    late.forgive("422")


def test_luck_that_was_chosen_is_agreed_to(page, seat_person):
    made = page._post("/api/matches", Setting("kuhn_poker").body(7, "human", "human"))
    guest = seat_person(made["seats"][1]["invitation"])
    expect(guest.page.locator("h1")).to_have_text("Do you agree?")
    guest.page.get_by_role("button", name="I agree").click()
    guest.until(lambda: guest.state, "the board")
    guest.forgive("409")


@pytest.mark.parametrize("path", ["/nowhere", "/match/nothing", "/replay/nothing", "/reports/nothing"])
def test_what_is_not_there_leads_back(seat_person, path):
    person = seat_person(path)
    expect(person.page.get_by_role("link", name="the lobby")).to_be_visible()
    person.forgive("404")


def test_a_wrong_key_opens_nothing(page, seat_person):
    made = page.post(FOUR.body(1, "human", "random"))
    person = seat_person(f"{made['watch']}?key=guessed")
    expect(person.page.locator("h1")).to_have_text("No entry")
    assert not person.state


# ------------------------------------------------------------------------------------------------ the board alone

BOARD = """async ([svg, actions]) => {
  const { Board } = await import("/static/board.js");
  window.played = [];
  const board = new Board((action) => window.played.push(action));
  document.getElementById("page").replaceChildren(board.element);
  board.show(0, svg, actions);
  window.board = board;
}"""
SQUARES = "".join(
    f'<g data-part="{key}"><rect class="halo" x="{100 * k}" width="90" height="90" fill="silver"/></g>'
    for k, key in enumerate("abcd")
)
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" class="ludus" viewBox="0 0 400 90">{SQUARES}</svg>'


def test_clicks_lead_to_actions(seat_person):
    person = seat_person("/tournaments")
    expect(person.page.locator("h1")).to_be_visible()
    steps = {1: "ab", 2: "ac", 3: "ad", 4: "ad", 5: "b"}
    actions = [{"action": action, "text": f"move {action}", "clicks": list(parts)} for action, parts in steps.items()]
    person.page.evaluate(BOARD, [SVG, [*actions, {"action": 6, "text": "pass", "clicks": []}]])
    played = lambda: person.page.evaluate("window.played")  # noqa: E731
    lit = lambda: {part.get_attribute("data-part") for part in person.page.locator(".can").all()}  # noqa: E731
    assert lit() == {"a", "b"}
    person.part("d").click()
    assert played() == []
    person.part("a").click()
    assert lit() == {"b", "c", "d"}
    person.part("a").click()  # takes it back
    assert lit() == {"a", "b"}
    person.part("a").click()
    person.part("c").click()
    person.part("b").click()
    person.part("a").click()
    person.part("b").click()
    assert played() == [2, 5, 1]
    person.part("a").click()
    person.part("d").click()
    assert played() == [2, 5, 1]
    person.page.get_by_role("button", name="move 4").click()
    assert played() == [2, 5, 1, 4]
    person.page.evaluate("window.kept = document.querySelector('svg'); board.show(0, board.svg, board.actions)")
    assert person.page.evaluate("window.kept === document.querySelector('svg')")
