"""Planted gradients: where they are, what is seen of them, the likelihood ratio, and one line for what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpverify.canary_kit.planted import Planted
from dpverify.core.errors import InputError

NUMBERS = np.array([-1, 2, -1, 0])


def test_planted_and_seen_on_their_own_coordinates():
    planted = Planted(NUMBERS, 3, coordinates=[5, 1, 3], norm=7.0)
    gradients = planted.plant(np.ones((3, 6)), [1, 0, 3])
    assert gradients.tolist() == [[0, 0, 0, 7, 0, 0], [1] * 6, [0, 0, 0, 0, 0, 7]]
    planted.observe(np.arange(6.0))
    planted.observe(np.arange(6.0), scale=2.0)
    assert planted.scores.tolist() == [15, 3, 9]
    assert planted.steps == 2
    assert Planted(NUMBERS, 3).plant(np.zeros((0, 6)), []).shape == (0, 6)


def test_the_likelihood_ratio_is_that_of_a_sampled_gaussian():
    planted = Planted(NUMBERS, 3, likelihood=(0.2, 1.5))
    seen = np.array([-1.0, 0.3, 2.0])
    planted.observe(seen * 4, scale=0.25)
    inside = 0.8 * stats.norm.pdf(seen, 0, 1.5) + 0.2 * stats.norm.pdf(seen, 1, 1.5)
    assert np.allclose(planted.scores, np.log(inside / stats.norm.pdf(seen, 0, 1.5)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda one: one.plant(np.ones((2, 6)), [0, 1, 2]), "gradients of 2 records and 3 rows"),
        (lambda one: one.plant(np.ones((1, 6)), [9]), "rows from 9 to 9"),
        (lambda one: one.plant(np.ones((1, 6)), [0.5]), "numbers of type float64"),
        (lambda one: one.plant([[1.0]], [0]), "gradients of type list"),
        (lambda one: one.plant(np.ones((1, 2)), [0]), "3 gradient canaries and 2 parameters"),
        (lambda one: one.observe(np.full(6, np.nan)), "not finite"),
        (lambda one: Planted(NUMBERS, 3, coordinates=[1, 1, 2]).observe(np.ones(6)), "all different"),
        (lambda one: Planted(NUMBERS, 3, coordinates=[1, 2]).observe(np.ones(6)), "2 coordinates for 3"),
        (lambda one: Planted(NUMBERS, 3, likelihood=(2.0, 1.0)), "likelihood: rate"),
    ],
)
def test_what_does_not_fit_is_one_line(call, says):
    with pytest.raises(InputError, match=says):
        call(Planted(NUMBERS, 3))
