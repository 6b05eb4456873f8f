from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.sampling.streams import as_state, state_from, stream, streams

GOLDEN = (6395329903549357487, 8173964288195955886, 4657452936918431868, 10200471719754267075)
NAMES = st.lists(st.one_of(st.text(max_size=6), st.integers(-(2**70), 2**70)), max_size=4)


def first_words(seed: int, *names: str | int) -> tuple[int, ...]:
    return tuple(int(word) for word in state_from(stream(seed, *names)))


# --- closed form: the documented encoding, written out again ---------------------------------------------------------


def test_encoding_is_the_documented_one() -> None:
    text = b"dpverify stream 1" + b"seed:2:2a" + b"text:6:m\xc3\xbcnze" + b"int:2:-f"
    entropy = int(hashlib.sha256(text).hexdigest(), 16)
    expected = np.random.PCG64(np.random.SeedSequence(entropy)).random_raw(4)
    assert first_words(42, "münze", -15) == tuple(int(word) for word in expected)


def test_golden_words_stay() -> None:
    """Published records name seeds: a change here makes every one of them irreproducible."""
    assert first_words(0, "golden", 1) == GOLDEN


def test_streams_of_common_names_are_those_of_all_names() -> None:
    last = streams(7, "run", 3)
    for name in (1, "1", -2, 1):
        assert last(name).bit_generator.state == stream(7, "run", 3, name).bit_generator.state


# --- names, not order ------------------------------------------------------------------------------------------------


def test_typed_and_length_prefixed_names_differ() -> None:
    lists: list[tuple[str | int, ...]] = [
        (), ("",), ("", ""), ("é",), ("a", "bc"), ("ab", "c"), ("abc",), ("c", "ab"), ("1",), (1,), (-1,), ("-1",),
        (1, 1), ("text:1:a",), ("a", 1), (1, "a"), ("a1",), (11,), ("e\u0301",),
    ]  # fmt: skip
    words = [first_words(0, *names) for names in lists]
    assert len(set(words)) == len(lists)


@given(seed=st.integers(0, 2**80), names=NAMES, other_seed=st.integers(0, 2**80), other_names=NAMES)
def test_equal_exactly_when_seed_and_names_are(
    seed: int, names: list[str | int], other_seed: int, other_names: list[str | int]
) -> None:
    same = (seed, names) == (other_seed, other_names)
    assert (first_words(seed, *names) == first_words(other_seed, *other_names)) == same
    assert first_words(seed, *names) == first_words(seed, *names)


def test_does_not_depend_on_what_was_asked_before() -> None:
    alone = {name: stream(3, name).random(5).tolist() for name in ("a", "b", "c")}
    for order in itertools.permutations(alone):
        together = {name: stream(3, name) for name in order}
        assert {name: rng.random(5).tolist() for name, rng in together.items()} == alone


def test_same_in_another_process() -> None:
    """Python's own hash() is salted by process; ours must not be."""
    code = "from dpverify.sampling.streams import stream; print(stream(5, 'a', 2).integers(2**62))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(answer) == int(stream(5, "a", 2).integers(2**62))


def test_numpy_integers_are_integers() -> None:
    assert first_words(7, 3) == first_words(np.int64(7), np.uint8(3))  # type: ignore[arg-type]  # not int to mypy


def test_very_long_seed() -> None:
    assert first_words(10**5000) != first_words(10**5000 + 1)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, True, 1.0, "1", None, np.float64(2), np.bool_(True)])
def test_bad_seeds_are_refused(seed: object) -> None:
    with pytest.raises(InputError, match="non-negative integer"):
        stream(seed, "a")  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("name", [1.5, None, b"a", True, ("a",)])
def test_bad_names_are_refused(name: object) -> None:
    with pytest.raises(InputError, match="strings and integers"):
        stream(0, name)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("words", [(0, 0, 0, 0), (1, 2, 3), (1, 2, 3, 4, 5), (1, 2, 3, -4), (1, 2, 3, 2**64)])
def test_bad_states_are_refused(words: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="not all zero"):
        as_state(words)


def test_legacy_generator_is_refused() -> None:
    with pytest.raises(InputError, match="Generator"):
        state_from(np.random.RandomState(0))  # type: ignore[arg-type]  # wrong on purpose


# --- the state -------------------------------------------------------------------------------------------------------


def test_state_is_four_raw_words_and_advances_the_generator() -> None:
    rng, twin = stream(1, "state"), stream(1, "state").bit_generator
    assert [*state_from(rng), *state_from(rng)] == twin.random_raw(8).tolist()
    assert all(type(word) is np.uint64 for word in state_from(rng))


def test_all_zero_state_is_drawn_again() -> None:
    class ZeroFirst(np.random.Generator):
        def integers(self, *arguments: object, **options: object) -> np.ndarray:  # type: ignore[override]  # a stub
            draws.append(super().integers(*arguments, **options) * np.uint64(len(draws) > 0))  # type: ignore[call-overload]  # passed on
            return draws[-1]

    draws: list[np.ndarray] = []
    state = state_from(ZeroFirst(np.random.PCG64(0)))
    assert not draws[0].any()
    assert list(state) == draws[1].tolist()


# --- statistics ------------------------------------------------------------------------------------------------------


def test_ten_thousand_names_give_unrelated_words() -> None:
    count = 10_000
    words = np.array([state_from(stream(0, "unit", number)) for number in range(count)])
    assert len(np.unique(words)) == words.size  # false alarm: (4e4)^2 / 2^65 < 1e-10
    # False alarm 1e-9 each (exact binomial): ones among all bits, and bits in which neighbouring names differ.
    for sample in (words, words[1:] ^ words[:-1]):
        ones = int(np.bitwise_count(sample).sum())
        assert stats.binomtest(ones, sample.size * 64, 0.5).pvalue > 1e-9
    # Every bit place by itself; 256 places at 1e-9 / 256 each.
    places = np.unpackbits(words.view(np.uint8), axis=1).sum(axis=0)
    assert stats.binom.sf(np.maximum(places, count - places) - 1, count, 0.5).min() > 1e-9 / 512
