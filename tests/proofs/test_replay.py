"""Outputs of code and proof agree up to the rounding of sums: numbers alone, as in arrays."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpverify.proofs.coupled import Scripted, _check_draws
from dpverify.proofs.operations import ProofError
from dpverify.proofs.replay import CLOSE, same, unit_of

NUMBERS = (0, True, 0.0, -0.0, 1e-9, 2.1e-9, 1.0, 1 + CLOSE, 1 + 1.9 * CLOSE, 1 + 2.1 * CLOSE, 1e300, 1.000000003e300)
NUMBERS += (1e9, 1e9 + 1.9, 1e9 + 2.1, math.inf, -math.inf, math.nan, 2**64)
NUMBERS += (np.float64(1.0), np.int64(0), np.bool_(True))


def test_numbers_agree_where_arrays_of_them_do():
    pairs = list(itertools.product(NUMBERS, repeat=2))
    told = [same(first, second) for first, second in pairs]
    assert told == [same(np.array([first]), np.array([second])) for first, second in pairs]
    assert same(1.0, 1 + 1.9 * CLOSE)
    assert not same(1.0, 1 + 2.1 * CLOSE)


@pytest.mark.parametrize(("first", "second", "agree"), [(10**400, 10**400, True), (10**400, 1.0, False)])
def test_integers_beyond_every_double_are_compared_as_they_are(first, second, agree):
    assert same(first, second) is agree


def test_a_difference_is_small_beside_the_noise():
    unit = unit_of([("laplace", 1e-14), ("normal", np.array([1.0, 3.0])), ("geometric", 1e-20), ("laplace", 5.0)])
    assert unit == 1e-14
    assert unit_of([("normal", 7.0)]) == unit_of([]) == 1.0
    nothing = (0.0, np.array([0.0]), [0.0], {"a": 0.0})
    for one, other in zip(nothing, (5e-13, np.array([5e-13]), [5e-13], {"a": 5e-13}), strict=True):
        assert same(one, other)
        assert not same(one, other, unit)
        assert same(one, one, unit)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_noise_has_the_scale_that_the_proof_says(scale):
    asked = Scripted([], 0)
    asked.asked = [("laplace", scale)]
    _check_draws(asked, [("laplace", scale * (1 + 1e-12))], whole=True)
    for stated in (("laplace", scale * 1.001), ("normal", scale)):
        with pytest.raises(ProofError, match="the code draws"):
            _check_draws(asked, [stated], whole=True)
