from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba.core.errors import TypingError
from scipy import stats

from dpverify.sampling.streams import State, as_state, state_from, stream
from dpverify.sampling.xoshiro import integer_below, next_uint64, uniform, uniform_open
from tests.sampling.fills import fill_uint64

MASK = 2**64 - 1
WORDS = st.integers(0, MASK)


def rotate(word: int, places: int) -> int:
    return (word << places | word >> (64 - places)) & MASK


def step(state: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """xoshiro256++ in unbounded integers, written from the paper's figure."""
    a, b, c, d = state
    result = (rotate((a + d) & MASK, 23) + a) & MASK
    shifted = (b << 17) & MASK
    c, d = c ^ a, d ^ b
    b, a = b ^ c, a ^ d
    return result, (a, b, c ^ shifted, rotate(d, 45))


def forced(word: int, second: int = 1, third: int = 2) -> State:
    """Return a state whose next word is `word`: with s0 = 0 the output is s3 rotated left by 23."""
    return as_state((0, second, third, rotate(word, 64 - 23)))


def integers(*words: int | np.integer) -> tuple[int, ...]:
    return tuple(int(word) for word in words)


# --- known answers ---------------------------------------------------------------------------------------------------


def test_published_outputs_from_state_1_2_3_4() -> None:
    """The ten words that the authors' C code gives, as quoted by its ports."""
    published = [
        41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205,
        9973669472204895162, 14011001112246962877, 12406186145184390807, 15849039046786891736, 10450023813501588000,
    ]  # fmt: skip
    out = np.empty(10, dtype=np.uint64)
    fill_uint64(out, *as_state((1, 2, 3, 4)))
    assert out.tolist() == published


@given(state=st.tuples(WORDS, WORDS, WORDS, WORDS).filter(any))
@example(state=(MASK, MASK, MASK, MASK))
@example(state=(0, 0, 0, 1))
def test_twin_in_unbounded_integers(state: tuple[int, ...]) -> None:
    for _ in range(5):
        word, *rest = next_uint64(*as_state(state))
        expected, state = step(state)
        assert integers(word, *rest) == (expected, *state)


def test_twin_over_many_steps() -> None:
    state = tuple(int(word) for word in state_from(stream(0, "xoshiro")))
    out = np.empty(20_000, dtype=np.uint64)
    end = fill_uint64(out, *as_state(state))
    for word in out.tolist():
        expected, state = step(state)
        assert word == expected
    assert integers(*end) == state


# --- derived draws, word by word -------------------------------------------------------------------------------------


@given(word=WORDS)
@example(word=0)
@example(word=MASK)
def test_uniforms_are_the_stated_grids(word: int) -> None:
    state = forced(word)
    assert next_uint64(*state)[0] == word
    half_open, opened = uniform(*state)[0], uniform_open(*state)[0]
    assert half_open * 2**53 == word >> 11
    assert opened * 2**53 == 2 * (word >> 12) + 1
    assert 0.0 <= half_open < 1.0
    assert 0.0 < opened < 1.0


@given(word=WORDS, probability=st.floats(0.0, 1.0))
@example(word=0, probability=0.0)
@example(word=MASK, probability=1.0)
def test_coin_compares_the_uniform(word: int, probability: float) -> None:
    assert (uniform(*forced(word))[0] < probability) == ((word >> 11) / 2**53 < probability)


@given(bound=st.integers(1, 2**63 - 1), word=WORDS, second=WORDS)
@example(bound=1, word=MASK, second=0)
@example(bound=3 * 2**61, word=0, second=5)  # the first word is always drawn again: remainder 0, surplus 2**62
@example(bound=2**63 - 1, word=0, second=5)
def test_bounded_integers_against_lemire_in_unbounded_integers(bound: int, word: int, second: int) -> None:
    state = forced(word, second)
    value, *rest = integer_below(bound, *state)
    twin: tuple[int, ...] = tuple(int(part) for part in state)
    while True:
        drawn, twin = step(twin)
        if (drawn * bound) % 2**64 >= 2**64 % bound:
            break
    assert integers(value, *rest) == ((drawn * bound) >> 64, *twin)
    assert 0 <= value < bound


@pytest.mark.parametrize("bound", [1, 3, 5, 6, 7])
def test_lemire_is_exact_by_enumeration_of_eight_bit_words(bound: int) -> None:
    """The rule that the test above holds the code to, on words short enough to count them all."""
    kept = [(word * bound) >> 8 for word in range(256) if (word * bound) % 256 >= 256 % bound]
    assert [kept.count(value) for value in range(bound)] == [256 // bound] * bound


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [*itertools.product((np.int64, np.uint64), repeat=4)])
def test_signed_states_never_give_other_words(kinds: tuple[type, ...]) -> None:
    """A signed word shifts in its sign: either it does not compile, or it makes no difference."""
    state = (2**62 + 1, 2**61 + 3, 2**60 + 5, 2**62 + 7)
    mixed = [kind(word) for kind, word in zip(kinds, state, strict=True)]
    try:
        word = next_uint64(*mixed)[0]
    except TypingError:
        assert np.int64 in kinds
    else:
        assert word == step(state)[0]


@pytest.mark.parametrize("state", [(1, 2, 3, 4), tuple(map(np.int64, (1, 2, 3, 4)))])
def test_plain_integers_are_refused_with_the_remedy(state: tuple[int, ...]) -> None:
    with pytest.raises(TypingError):
        fill_uint64(np.empty(1, dtype=np.uint64), *state)  # type: ignore[arg-type]  # wrong on purpose


# --- statistics: each check exact or chi-square at a false-alarm probability of 1e-9 ---------------------------------

ALARM = 1e-9


def complaints(words: np.ndarray) -> list[str]:
    """Return what is wrong with uint64 words that should be uniform and independent."""
    found = []
    for name, shift in (("low", 0), ("high", 56), ("middle", 28)):
        counts = np.bincount((words >> np.uint64(shift)).astype(np.uint8), minlength=256)
        if stats.chisquare(counts).pvalue < ALARM:
            found.append(f"{name} byte")
    ones = np.array([int((words >> np.uint64(place) & np.uint64(1)).sum()) for place in range(64)])
    if stats.binom.sf(np.maximum(ones, words.size - ones) - 1, words.size, 0.5).min() < ALARM / 128:
        found.append("single bits")
    flips = int(np.bitwise_count(words[::2] ^ words[1::2]).sum())
    if stats.binomtest(flips, words.size * 32, 0.5).pvalue < ALARM:
        found.append("neighbours")
    pairs = (words[::2] & np.uint64(15)) << np.uint64(4) | words[1::2] & np.uint64(15)
    if stats.chisquare(np.bincount(pairs.astype(np.intp), minlength=256)).pvalue < ALARM:
        found.append("pairs of low bits")
    return found


@pytest.fixture(scope="module")
def words() -> np.ndarray:
    out = np.empty(1_000_000, dtype=np.uint64)
    fill_uint64(out, *state_from(stream(0, "words")))
    return out


def test_words_are_uniform_and_independent(words: np.ndarray) -> None:
    assert complaints(words) == []


def test_spoiled_words_are_caught(words: np.ndarray) -> None:
    assert "low byte" in complaints(words & ~np.uint64(1) | (words >> np.uint64(1)) & np.uint64(1))
    assert "single bits" in complaints(words | (words << np.uint64(1) & words << np.uint64(2) & np.uint64(1 << 40)))
    assert "neighbours" in complaints(np.repeat(words[::2], 2))
    assert "high byte" in complaints((words.astype(np.float64) * 0.999).astype(np.uint64))


def test_bounded_integers_are_uniform() -> None:
    """The bound 3 * 2**61 rejects a quarter of the words and would, without rejection, favour a third of the values."""
    state, draws = state_from(stream(0, "below")), 20_000
    values = np.empty(draws, dtype=np.int64)
    for i in range(draws):
        values[i], *rest = integer_below(3 * 2**61, *state)
        state = as_state(rest)
    thirds = np.bincount(values % 3, minlength=3)
    assert stats.chisquare(thirds).pvalue > ALARM
    assert stats.chisquare(np.bincount(values >> 57, minlength=48)).pvalue > ALARM
