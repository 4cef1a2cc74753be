"""Trees that hand out their leaves: what is forced is seen, what is hidden is not, and a batch is as good as one."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

from ludus import kernels, load
from ludus.game import Game
from ludus.rng import match_words
from ludus.rules import rule
from ludus.search.forest import Forest, Leaves, Roots, mix_of


def answer(game: Game, leaves: Leaves) -> None:
    """Every action alike, and what random play from there gives: a rough judgement, the same for the same view."""
    rows, seats = len(leaves.trees), game.facts.players[1]
    leaves.priors[:] = 1 / leaves.counts[:, None]
    names = np.array([crc32(view.tobytes()) for view in leaves.views])
    states, luck = leaves.views.copy(), match_words(7, names, np.zeros(rows, np.int64), seats)
    game.kernel(kernels.guess_worlds)(states, leaves.players, luck[:, :1])
    game.kernel(kernels.rollouts)(states, luck, np.zeros(rows, np.int64), game.facts.max_plies)
    payoffs = game.payoffs(states)
    players = leaves.views["players"]
    for row in range(rows):
        n = players[row]
        leaves.values[row, :n] = payoffs[row, (leaves.players[row] + np.arange(n)) % n]


def search(game: Game, states: np.ndarray, player: int, sims: int, **settings) -> tuple[Roots, Forest]:
    count = len(states)
    forest = Forest(game, count, sims, **settings)
    seats = np.full(count, player)
    forest.plant(game.masked(states, seats), seats, match_words(3, np.arange(count), 0, 2)[:, :1])
    while len((leaves := forest.wave()).trees):
        answer(game, leaves)
    return forest.roots(), forest


def best(roots: Roots, tree: int = 0) -> int:
    return int(roots.actions[tree, roots.best[tree]])


@pytest.mark.parametrize(("columns", "only"), [("112233", 3), ("11223", 3), ("121314", 0)])
def test_wins_and_blocks_in_one(columns, only):
    game = load("connect_four")
    states = game.parse_state(columns, 2)
    roots, _ = search(game, states, len(columns) % 2, 200)
    assert best(roots) == only


def test_what_is_solved_is_so():
    game = load("tic_tac_toe")
    roots, forest = search(game, game.parse_state("XX. OO. ...", 2), 0, 400)
    assert (best(roots), roots.solved[0], roots.values[0]) == (2, True, 1)
    assert forest.trees.heads["sims"][0] < 400, "no more simulations than it took"


@pytest.mark.parametrize(("name", "players"), [("connect_four", 2), ("kuhn_poker", 2), ("goofspiel", 3)])
def test_simulations_are_counted(name, players):
    game = load(name)
    states = game.start(match_words(1, np.arange(5), 0, players), players)
    mask = int(game.waiting(states)[0])
    roots, _ = search(game, states, (mask & -mask).bit_length() - 1, 40)
    assert (roots.visits.sum(axis=1) == 40).all()
    assert (roots.counts > 1).all()
    assert np.allclose(roots.priors.sum(axis=1), 1)


def test_no_simulations_give_priors_and_value():
    game = load("connect_four")
    forest = Forest(game, 1, 10)
    forest.plant(game.parse_state("4453", 2), np.array([0]), np.zeros((1, 1), np.uint64), sims=np.array([0]))
    leaves = forest.wave()
    leaves.priors[0], leaves.values[0] = np.arange(7), [0.25, -0.25]
    assert len(forest.wave().trees) == 0
    roots = forest.roots()
    assert (roots.priors[0].tolist(), roots.values[0]) == (list(range(7)), 0.25)


def test_links_change_nothing_but_the_speed():
    """The same rules, but said to have dice: every simulation then starts at the root. (And nothing is proven, so these
    positions are far from any end.)"""
    game = load("connect_four")
    unlinked = Game(game.module, "connect_four")
    unlinked.names = unlinked.names | {"deterministic": rule(lambda state: False)}
    states = np.concatenate([game.parse_state(text, 2) for text in ("4", "7", "1")])
    linked, plain = (search(one, states, 1, 30)[0] for one in (game, unlinked))
    assert (linked.visits == plain.visits).all()
    assert (linked.worths == plain.worths).all()


def test_a_tree_does_not_mind_its_neighbours():
    game = load("goofspiel")
    states = game.start(match_words(1, np.arange(6), 0, 2), 2)
    together, _ = search(game, states, 1, 30)
    forest = Forest(game, 6, 30)
    forest.plant(game.masked(states, np.full(6, 1)), np.full(6, 1), match_words(3, np.arange(6), 0, 2)[:, :1])
    parts = [(0, 2), (2, 6)]
    while sum(_answered(game, forest.wave(*part)) for part in parts):
        pass
    apart = forest.roots()
    assert together.counts.tolist() == apart.counts.tolist()
    assert (apart.visits.sum(axis=1) == 30).all()


def _answered(game: Game, leaves: Leaves) -> int:
    if len(leaves.trees):
        answer(game, leaves)
    return len(leaves.trees)


@pytest.mark.parametrize(("cards", "moves", "player", "points"), [("Q K", "none", 0, 6), ("J Q", "bet", 1, 1)])
def test_nobody_in_the_tree_plays_by_what_it_cannot_know(cards, moves, player, points):
    game = load("kuhn_poker")
    _, forest = search(game, game.parse_state(f"cards {cards}\nmoves {moves}", 2), player, 200)
    assert forest.trees.heads["points"][0] == points


def test_the_views_that_are_handed_out_are_masked():
    game = load("kuhn_poker")
    forest = Forest(game, 1, 50)
    views = game.masked(game.parse_state("cards Q K\nmoves none", 2), np.array([0]))
    forest.plant(views, np.array([0]), np.ones((1, 1), np.uint64))
    while len((leaves := forest.wave()).trees):
        assert all(view.cards[1 - player] == 0 for view, player in zip(leaves.views, leaves.players))
        answer(game, leaves)


def test_who_knows_the_truth_searches_that_world_alone():
    """A queen that has been bet on: to call wins against a jack and loses against a king."""
    game = load("kuhn_poker")
    truth, seat = game.parse_state("cards K Q\nmoves bet", 2), np.array([1])
    found = []
    for root, knows in ((game.masked(truth, seat), False), (truth, True)):
        forest = Forest(game, 1, 100, mix=1.0)
        forest.plant(root, seat, np.ones((1, 1), np.uint64), knows=knows)
        while len((leaves := forest.wave()).trees):
            assert all(view.cards[0] == 0 for view in leaves.views), "and yet the network sees views only"
            answer(game, leaves)
        found.append(forest.roots().worths[0, 1])
    assert -1 < found[0] < 1
    assert found[1] == -1


def test_who_mixes_tries_every_action_by_its_prior_and_asks_for_a_step_to_the_better_ones():
    game = load("kuhn_poker")
    roots, _ = search(game, game.parse_state("cards J Q\nmoves bet", 2), 1, 400, mix=1.0)
    assert np.allclose(roots.visits[0] / 400, 0.5, atol=0.01), "as the prior says"
    worths, targets = roots.worths[0], roots.targets[0]
    assert np.isclose(np.log(targets[1] / targets[0]), worths[1] - worths[0], atol=0.02)
    assert np.isclose(roots.values[0], targets @ worths, atol=0.01)


@pytest.mark.parametrize(
    ("name", "wanted", "step"),
    [("kuhn_poker", -1, 1), ("goofspiel", -1, 0), ("goofspiel", 2, 2), ("connect_four", 2, 0)],
)
def test_players_mix_where_they_bluff_unless_told_otherwise(name, wanted, step):
    assert mix_of(load(name), wanted) == step


def test_full_tables_only_stop_the_tree_from_growing():
    game = load("connect_four")
    roots, forest = search(game, game.parse_state("4", 2), 1, 100, arms=1)
    assert roots.visits.sum() == 100
    assert forest.trees.heads["arms"][0] <= forest.trees.arms.shape[1]


def test_a_forced_move_is_not_searched():
    game = load("tic_tac_toe")
    roots, _ = search(game, game.parse_state("XOX XOO OX.", 2), 0, 20)
    assert roots.counts[0] == 0


def test_a_row_for_each_who_chooses_at_once():
    game = load("goofspiel")
    forest = Forest(game, 1, 10)
    states = game.start(match_words(1, np.arange(1), 0, 3), 3)
    forest.plant(states, np.array([1]), np.ones((1, 1), np.uint64))
    leaves = forest.wave()
    assert leaves.players.tolist() == [0, 1, 2]
    assert (leaves.slots[:, :13] == np.arange(13)).all()


def test_every_guess_of_what_is_hidden_tries_an_action():
    """Rivals of many secrets: in nearly every world their points are new."""
    game, rng = load("goofspiel"), np.random.default_rng(2)
    words = match_words(4, np.arange(3), 0, 4)
    states = game.start(words, 4, game.rule_values("hidden_bids"))
    for _ in range(5):
        menus = [[game.menu(states[k : k + 1], seat) for seat in range(4)] for k in range(3)]
        game.advance(states, np.array([[rng.choice(menu) for menu in row] for row in menus], np.int32), words)
    roots, forest = search(game, states, 2, 50)
    assert (forest.trees.heads["points"] > 100).all()
    assert (roots.visits.sum(axis=1) == 50).all()


# ------------------------------------------------------------------------------------------------ options


def planted(positions: list[str], sims: int, **settings) -> Forest:
    """Connect four, every position from the mover's side."""
    game = load("connect_four")
    states = np.concatenate([game.parse_state(text, 2) for text in positions])
    forest = Forest(game, len(states), sims, **settings)
    players = np.array([len(text) % 2 for text in positions])
    forest.plant(states, players, match_words(5, np.arange(len(states)), 0, 2)[:, :1])
    return forest


def judged_alike(forest: Forest, value: float = 0.0) -> Forest:
    while len((leaves := forest.wave()).trees):
        leaves.priors[:] = 1 / leaves.counts[:, None]
        leaves.values[:] = value, -value
    return forest


def test_halving_tries_each_considered_action_equally_and_then_half_of_them():
    roots = judged_alike(planted(["4"] * 50, 16, gumbel=4)).roots()
    assert (roots.visits.sum(axis=1) == 16).all()
    for row in roots.visits:
        assert sorted(row.tolist()) == [0, 0, 0, 2, 2, 6, 6], "8 on four actions, then 8 on two of them"


def test_halving_finds_the_best_arm_with_few_simulations():
    """Column 4 is worth 0.6 to the mover and all others -0.2; the priors know nothing of it."""
    forest = planted(["1122"] * 200, 14, gumbel=7)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:] = 1 / leaves.counts[:, None]
        good = (leaves.views["stones"][:, 0] >> 21 & 1) == 1
        for_first = np.where(good, 0.6, -0.2)
        sign = np.where(leaves.players == 0, 1, -1)
        leaves.values[:, 0], leaves.values[:, 1] = for_first * sign, -for_first * sign
    roots = forest.roots()
    played = roots.actions[np.arange(200), roots.best]
    assert (played == 3).mean() > 0.97
    assert (roots.targets.argmax(axis=1) == 3).all(), "what the policy should be has no luck in it"


def test_an_untried_action_counts_as_the_root_does():
    """With all worths equal the improved policy is the prior."""
    forest = planted(["4"], 8, gumbel=4)
    priors = np.array([0.3, 0.05, 0.1, 0.2, 0.1, 0.15, 0.1], np.float32)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:], leaves.values[:] = priors, 0.0
    assert np.allclose(forest.roots().targets[0], priors, atol=1e-5)


@pytest.mark.parametrize(("share", "worths"), [(0.0, {-1.0}), (0.5, {-0.25, 0.0}), (1.0, {0.5, 1.0})])
def test_a_leaf_is_worth_what_the_network_says_and_what_a_playout_gives(share, worths):
    """A king that is bet on: a rival who draws its answer gives up, or calls and loses."""
    game, found = load("kuhn_poker"), set()
    for seed in range(1, 30):
        forest = Forest(game, 1, 2, playouts=share)
        views = game.masked(game.parse_state("cards K Q\nmoves none", 2), np.array([0]))
        forest.plant(views, np.array([0]), np.full((1, 1), seed, np.uint64))
        while len((leaves := forest.wave()).trees):
            leaves.priors[:, :2], leaves.values[:] = 0.5, -1.0
        roots = forest.roots()
        found |= {float(roots.worths[0, 1])} if roots.visits[0, 1] == 1 else set()
    assert found == worths


@pytest.mark.parametrize(("share", "fewest"), [(0.0, {0}), (1.0, range(2, 20))])
def test_what_playouts_leave_in_doubt_is_tried_again(share, fewest):
    """The policy names column 4 alone. A network is believed; a few random matches that went badly are not."""
    forest = planted(["4"] * 50, 200, playouts=share)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:], leaves.values[:] = np.eye(7, dtype=np.float32)[3], 0.0
    assert set(forest.roots().visits.min(axis=1)) <= set(fewest)


def test_noise_is_mixed_into_the_priors_of_the_root_alone():
    forest = planted(["4"] * 2000, 1, noise=0.25, alpha=0.5)
    priors = np.array([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], np.float32)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:], leaves.values[:] = priors, 0.0
    luck = (forest.roots().priors - 0.75 * priors) / 0.25
    assert (luck > -1e-5).all()
    assert np.allclose(luck.sum(axis=1), 1, atol=1e-4)
    assert np.allclose(luck.mean(axis=0), 1 / 7, atol=0.02)
    share = 1 / 7
    assert np.allclose(luck.var(axis=0), share * (1 - share) / (7 * 0.5 + 1), rtol=0.15), "Dirichlet's variance"
    inner = forest.trees.points["first_arm"][:, 1:2] + np.arange(7)
    assert np.allclose(np.take_along_axis(forest.trees.arms["prior"], inner, axis=1), priors)


def test_targets_are_shares_of_visits():
    roots = judged_alike(planted(["4", "44"], 30)).roots()
    assert np.allclose(roots.targets, roots.visits / 30)


def test_a_single_look_is_no_preference():
    """Column 4 is worth much more than the others, most of which are looked at once."""
    forest = planted(["1122"], 30)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:] = 1 / leaves.counts[:, None]
        for_first = np.where((leaves.views["stones"][:, 0] >> 21 & 1) == 1, 0.9, -0.9)
        sign = np.where(leaves.players == 0, 1, -1)
        leaves.values[:, 0], leaves.values[:, 1] = for_first * sign, -for_first * sign
    roots = forest.roots()
    kept = np.where(roots.visits == 1, 0, roots.visits)
    assert (roots.visits == 1).sum() > 1
    assert np.allclose(roots.targets, kept / kept.sum())


def test_a_kept_tree_knows_what_it_knew():
    game = load("connect_four")
    forest = judged_alike(planted(["4"], 60, keep=True), 0.1)
    before, tree = forest.roots(), forest.trees
    chosen = int(before.best[0])
    root = tree.points[0, tree.heads["root"][0]]
    child = int(tree.arms[0, root.first_arm + chosen].child)
    known = tree.points[0, child]
    arms = tree.arms[0, known.first_arm : known.first_arm + known.count].copy()
    forest.plant(game.parse_state(f"4{chosen + 1}", 2), np.array([0]), np.ones((1, 1), np.uint64), sims=np.array([0]))
    after = forest.roots()
    assert after.visits[0].tolist() == arms["visits"].tolist()
    assert np.allclose(after.worths[0], arms["worth"])
    assert 0 < tree.heads["points"][0] < 60


def test_a_kept_tree_goes_on_as_one_with_the_same_statistics():
    """The other one is not moved: its root is, to the point that the new root is there."""
    position = load("connect_four").parse_state("44", 2)
    kept, whole = (judged_alike(planted(["4"], 40, keep=True), 0.2) for _ in range(2))
    kept.plant(position, np.array([0]), np.ones((1, 1), np.uint64), sims=np.array([25]))
    head, trees = whole.trees.heads[0], whole.trees
    root = trees.points[0, head.root]
    head.root = trees.arms[0, root.first_arm + 3].child
    head.player, head.sims, head.goal, trees.roots[0] = 0, 0, 25, position[0]
    one, other = judged_alike(kept, 0.2).roots(), judged_alike(whole, 0.2).roots()
    assert one.visits[0].sum() > 25
    assert one.visits[0].tolist() == other.visits[0].tolist()
    assert (one.worths == other.worths).all()
    assert kept.trees.heads["points"][0] < whole.trees.heads["points"][0]


def test_a_tree_that_does_not_know_its_new_root_begins_anew():
    game = load("connect_four")
    forest = judged_alike(planted(["4"], 20, keep=True))
    forest.plant(game.parse_state("1237", 2), np.array([0]), np.ones((1, 1), np.uint64), sims=np.array([5]))
    judged_alike(forest)
    assert forest.roots().visits.sum() == 5


def test_what_is_remembered_changes_nothing_but_the_work():
    game = load("connect_four")
    views, players = game.parse_state("44", 2), np.array([0])
    forest, seen, results = Forest(game, 1, 60, cache=1 << 12), [], []
    for _ in range(2):
        forest.plant(views, players, np.ones((1, 1), np.uint64))
        seen.append(0)
        while len((leaves := forest.wave()).trees):
            answer(game, leaves)
            seen[-1] += len(leaves.trees)
        results.append(forest.roots())
    assert seen[0] > 50
    assert seen[1] < 5, "all but what fell on one place of the cache"
    assert all((one == other).all() for one, other in zip(*results))
    forest.forget()
    assert not forest.work.keys.any()
