"""Random numbers: published values, the same compiled and in plain Python, uniform, and one stream for each purpose."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ludus import load
from ludus.compile import bind
from ludus.rng import below, blend, draw, match_words, shuffle, stream, uniform, word

MASK = (1 << 64) - 1
WORDS = st.integers(0, MASK)
LIMITS = [1, 2, 3, 6, 7, 52, 1000, 2**31 - 1]


def sample(rng, words, limits, whole, floats, items, hashes):
    """Every kind of draw, many times, from one stream."""
    for i in range(len(words)):
        words[i] = draw(rng)
    for i in range(len(whole)):
        whole[i] = below(rng, limits[i % len(limits)])
    for i in range(len(floats)):
        floats[i] = uniform(rng)
    shuffle(rng, items, len(items))
    for i in range(len(hashes)):
        hashes[i] = blend(words[i], words[i - 1])


def sampled(call, seed, n=200, limits=LIMITS, length=40):
    rng = np.array([seed], np.uint64)
    words, whole, floats = np.zeros(n, np.uint64), np.zeros(n, np.int64), np.zeros(n)
    items, hashes = np.arange(length), np.zeros(n, np.uint64)
    call(rng, words, np.array(limits), whole, floats, items, hashes)
    return [rng.tolist(), words.tolist(), whole.tolist(), floats.tolist(), items.tolist(), hashes.tolist()]


@pytest.fixture(scope="module")
def compiled():
    return bind(sample, {}, "test_rng")


def seed_before(output):
    """The word whose next draw is `output`: splitmix64 backwards."""
    value = output ^ (output >> 31) ^ (output >> 62)
    value = value * pow(0x94D049BB133111EB, -1, 1 << 64) & MASK
    value ^= value >> 27 ^ value >> 54
    value = value * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & MASK
    value ^= value >> 30 ^ value >> 60
    return value - 0x9E3779B97F4A7C15 & MASK


# ------------------------------------------------------------------------------------------------ the numbers


def test_draws_are_the_published_splitmix64(compiled):
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert sampled(compiled, 1234567, n=5)[1] == expected


def test_words_are_what_they_always_were():
    """Records name their matches by seed and block: another word here would change every stored match."""
    assert [word(), word(0), word(1)] == [15743474587974867189, 1330052114061886489, 8025978006864080794]
    assert stream(2026, 7, 0).tolist() == [1085666908524028662]
    assert match_words(7, 3, 1, 2).tolist() == [8631064113925918574, 1531718753526395704, 5644947254097178238]
    assert match_words(7, 3, 1, 2, "00ff").tolist() == [10941294508532090536, 6246204701837892116, 3602151348565760940]


def test_plain_python_draws_the_same_numbers(compiled):
    """Overflow warnings are errors there, so this also shows that there are none."""
    seeds = [0, 1, 1234567, MASK]
    script = "\n".join([
        "import json, sys",
        "import numpy as np",
        "from ludus.rng import below, blend, draw, shuffle, uniform",
        f"LIMITS = {LIMITS}",
        inspect.getsource(sample),
        inspect.getsource(sampled),
        f"print(json.dumps([sampled(sample, seed) for seed in {seeds}]))",
    ])  # fmt: skip
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    answer = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, env=environment)
    assert answer.returncode == 0, answer.stderr.decode()
    assert json.loads(answer.stdout) == [sampled(compiled, seed) for seed in seeds]


def test_a_stream_goes_on_where_its_word_stands(compiled):
    after, *_ = sampled(compiled, 99, n=3, length=2)
    whole = sampled(compiled, 99, n=12)[1]
    assert after[0] == (99 + 10 * 0x9E3779B97F4A7C15) & MASK  # 3 draws of each of three kinds, and one to shuffle two
    assert sampled(compiled, 99 + 4 * 0x9E3779B97F4A7C15 & MASK, n=3)[1] == whole[4:7]


# ------------------------------------------------------------------------------------------------ distributions


@pytest.mark.parametrize("n", [2, 3, 6, 7, 52])
def test_below_is_uniform(compiled, n):
    found = np.bincount(sampled(compiled, 5, n=20_000, limits=[n])[2], minlength=n)
    assert len(found) == n
    assert chisquare(found).pvalue > 1e-4


def test_consecutive_draws_are_independent(compiled):
    found = np.array(sampled(compiled, 8, n=36_000, limits=[6])[2]).reshape(-1, 2)
    assert chisquare(np.bincount(6 * found[:, 0] + found[:, 1], minlength=36)).pvalue > 1e-4


def test_uniform_fills_the_unit_interval_evenly(compiled):
    found = np.array(sampled(compiled, 6, n=20_000)[3])
    assert found.min() >= 0
    assert found.max() < 1
    assert chisquare(np.histogram(found, 50, (0, 1))[0]).pvalue > 1e-4


@given(seed=WORDS, limits=st.lists(st.integers(1, 2**31 - 1), min_size=1, max_size=8))
def test_below_and_uniform_stay_in_range(compiled, seed, limits):
    _, _, whole, floats, _, _ = sampled(compiled, seed, n=len(limits), limits=limits)
    assert all(0 <= number < limit for number, limit in zip(whole, limits))
    assert all(0 <= number < 1 for number in floats)


@pytest.mark.parametrize("n", LIMITS)
def test_the_largest_and_smallest_draws_stay_in_range(compiled, n):
    """The bounds are reached by draws of all ones and all zeros, which no sample would meet."""
    for output, number, fraction in [(MASK, n - 1, 1 - 2.0**-53), (0, 0, 0.0)]:
        seed = seed_before(output)
        assert sampled(compiled, seed, n=1)[1] == [output]
        one_back = seed - 0x9E3779B97F4A7C15 & MASK
        assert sampled(compiled, one_back, n=1, limits=[n])[2] == [number]
        assert sampled(compiled, one_back - 0x9E3779B97F4A7C15 & MASK, n=1)[3] == [fraction]


@given(seed=WORDS, length=st.integers(0, 60))
def test_shuffle_is_a_permutation(compiled, seed, length):
    assert sorted(sampled(compiled, seed, n=2, length=length)[4]) == list(range(length))


def test_every_order_is_equally_likely(compiled):
    orders = [tuple(sampled(compiled, seed, n=1, length=3)[4]) for seed in range(6000)]
    found = [orders.count(order) for order in set(orders)]
    assert len(found) == 6
    assert chisquare(found).pvalue > 1e-4


def test_shuffle_leaves_the_rest_alone():
    def first_five(rng, items):
        shuffle(rng, items, 5)

    items = np.arange(12)
    bind(first_five, {}, "test_rng")(stream(4), items)
    assert sorted(items[:5]) == [0, 1, 2, 3, 4]
    assert items[:5].tolist() != [0, 1, 2, 3, 4]
    assert items[5:].tolist() == [5, 6, 7, 8, 9, 10, 11]


# ------------------------------------------------------------------------------------------------ words of matches


@given(seed=st.integers(0, 2**63), block=st.integers(0, 2**31), players=st.integers(1, 6))
def test_rotations_of_a_block_share_chance_and_nothing_else(seed, block, players):
    words = np.array([match_words(seed, block, rotation, players) for rotation in range(players)])
    assert words.dtype == np.uint64
    assert words.shape == (players, 1 + players)
    assert len(set(words[:, 0].tolist())) == 1
    assert len(set(words[:, 1:].ravel().tolist()) | {int(words[0, 0])}) == players * players + 1


@given(
    seed=st.integers(0, 2**63),
    tables=st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 5)), min_size=1, max_size=6),
    players=st.integers(1, 4),
)
def test_words_of_many_matches_are_those_of_each(seed, tables, players):
    blocks, rotations = (np.array(column) for column in zip(*tables))
    together = match_words(seed, blocks, rotations, players)
    assert together.tolist() == [match_words(seed, block, turn, players).tolist() for block, turn in tables]


@given(seed=st.integers(0, 2**63), block=st.integers(0, 2**40), rotation=st.integers(0, 5))
def test_a_seat_s_word_does_not_depend_on_how_many_play(seed, block, rotation):
    assert match_words(seed, block, rotation, 2).tolist() == match_words(seed, block, rotation, 4)[:3].tolist()


def test_no_two_streams_are_alike():
    words = np.array([match_words(seed, np.arange(500), 0, 4) for seed in range(4)])
    assert len(np.unique(words)) == words.size
    bits = np.unpackbits(words.reshape(-1, 1).view(np.uint8), axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.03  # 10,000 words: six standard deviations


def test_a_stream_is_its_owner_s():
    first, second = stream(1, 2), stream(1, 2)
    first[0] = 0
    assert second.tolist() == [word(1, 2)]
    assert word(1, 2) != word(2, 1)
    assert word(-1) == word(MASK)


# ------------------------------------------------------------------------------------------------ what a player learns

MATCHES = 100_000


def undone(word):
    """The mixer of the draws, backwards."""
    return seed_before(word) + 0x9E3779B97F4A7C15 & MASK


def mixed(word):
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def chained(value, key):
    """How a word was once made from another: a step that can be taken back."""
    return mixed((value ^ mixed(key + 0x9E3779B97F4A7C15 & MASK)) + 0x9E3779B97F4A7C15 & MASK)


def taken_back(word, key):
    return (undone(word) - 0x9E3779B97F4A7C15 & MASK) ^ mixed(key + 0x9E3779B97F4A7C15 & MASK)


def test_undoing_the_mixer_from_one_s_own_word_leads_to_nobody_else_s():
    """Words that were chained gave away chance and every rival: take back one's own seat and rotation, put theirs."""
    block = 12345
    chance, own = chained(block, 0), chained(chained(block, 1), 1)
    assert chained(taken_back(taken_back(own, 1), 1), 0) == chance  # the attack is right about such words
    for match in match_words(7, np.arange(2000), 0, 2).tolist():
        chance, own, rival = match
        before = taken_back(own, 1)
        guesses = {before, undone(own), chained(before, 2), chained(taken_back(before, 1), 0), own, mixed(own)}
        guesses |= {own + step * 0x9E3779B97F4A7C15 & MASK for step in range(-9, 10)}
        assert not guesses & {chance, rival}


def unmixed(words):
    """`undone` for many."""
    words = words ^ words >> np.uint64(31) ^ words >> np.uint64(62)
    words = words * np.uint64(pow(0x94D049BB133111EB, -1, 1 << 64))
    words = words ^ words >> np.uint64(27) ^ words >> np.uint64(54)
    words = words * np.uint64(pow(0xBF58476D1CE4E5B9, -1, 1 << 64))
    return words ^ words >> np.uint64(30) ^ words >> np.uint64(60)


def bits(words):
    """One row a word, one column a bit, as -1 and +1."""
    return np.float32(2) * np.unpackbits(np.ascontiguousarray(words).reshape(-1, 1).view(np.uint8), axis=1) - 1


def test_no_bit_of_a_seat_s_word_tells_of_a_bit_of_another_s():
    """As it is or with its mixing undone; also across the rotations of a block and from one block to the next."""
    words = match_words(3, np.arange(MATCHES), 0, 2)
    turned = match_words(3, np.arange(MATCHES), 1, 2)
    own = np.hstack([bits(words[:, 1]), bits(unmixed(words[:, 1]))])
    for other in (words[:, 0], words[:, 2], turned[:, 1], np.roll(words[:, 0], 1)):
        scores = own.T @ bits(other) / np.sqrt(MATCHES)
        assert np.abs(scores).max() < 6  # standard deviations, over 8192 pairs of bits


def test_whoever_knows_the_seed_but_not_the_salt_guesses_the_deal_as_chance_would():
    """Kuhn poker: one's own card leaves two for the rival. The guess is the deal that the public seed would make."""
    game, blocks = load("kuhn_poker"), np.arange(1000)
    public = game.start(match_words(5, blocks, 0, 2), 2)["cards"]
    right = told = 0
    for salt in range(MATCHES // len(blocks)):
        dealt = game.start(match_words(5, blocks, 0, 2, f"{salt:032x}"), 2)["cards"]
        alike = dealt[:, 0] == public[:, 0]
        told += int(alike.sum())
        right += int((alike & (dealt[:, 1] == public[:, 1])).sum())
    assert abs(right / told - 1 / 2) < 6 * 0.5 / np.sqrt(told)
