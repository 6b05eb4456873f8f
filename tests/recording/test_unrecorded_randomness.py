"""Random numbers that a recorded run takes past its generator are seen, whichever generator gave them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dpverify.recording import unrecorded_randomness
from dpverify.recording.unrecorded_randomness import Watch

OWN = np.random.default_rng(0)


def swapped():
    """The process's generator of another kind."""
    np.random.set_bit_generator(np.random.PCG64(1))


def one_normal():
    np.random.normal()  # noqa: NPY002


@pytest.fixture(autouse=True)
def as_before():
    kept, states = np.random.get_bit_generator(), (np.random.get_state(), random.getstate())  # noqa: NPY002
    yield
    np.random.set_bit_generator(kept)
    np.random.set_state(states[0])  # noqa: NPY002
    random.setstate(states[1])


@pytest.mark.parametrize("draw", [one_normal, lambda: np.random.bytes(1), random.random, lambda: OWN.random(), swapped])  # noqa: NPY002
def test_a_draw_is_seen(draw):
    watch = Watch(test_a_draw_is_seen)
    assert not watch.moved()
    draw()
    assert watch.moved()


def test_a_normal_draw_whose_pair_was_drawn_before_is_seen():
    """It changes no word: the older generator draws two at once, and keeps the second."""
    np.random.seed(0)  # noqa: NPY002
    for _ in range(3):
        one_normal()  # the words move
        watch = Watch()
        assert not watch.moved()
        one_normal()
        assert watch.moved()


def test_a_generator_of_another_kind_is_watched_too():
    swapped()
    watch = Watch()
    assert not watch.moved()
    one_normal()
    assert watch.moved()


def test_whole_turns_of_the_words_are_seen():
    """As many draws as there are words: the position is that of before."""
    np.random.random_sample(312)  # noqa: NPY002
    watch = Watch()
    np.random.random_sample(312)  # noqa: NPY002 - two words each
    assert watch.moved()


def test_a_normal_draw_of_python_whose_pair_was_drawn_before_is_seen():
    """It changes no word: the first draw made two, and the module keeps the second."""
    random.gauss(0.0, 1.0)
    watch = Watch()
    random.gauss(0.0, 1.0)
    assert watch.moved()


@pytest.mark.parametrize("direct", [True, False])
def test_the_state_of_python_s_module_is_read_where_it_lies_or_asked_for(direct, monkeypatch):
    assert unrecorded_randomness._DIRECT  # on every Python that the tests know
    monkeypatch.setattr(unrecorded_randomness, "_DIRECT", direct)
    watch, before = Watch(), random.getstate()
    random.getrandbits(1)
    assert watch.moved()
    random.setstate(before)
    assert not watch.moved()
