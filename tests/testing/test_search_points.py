"""Points written in coins: the plainest first, and all of the box within reach."""

from itertools import pairwise

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.replace import Replace
from dpverify.datasets.neighbors.value import Value
from dpverify.testing.search_points import FINE, flipped_point

SPACE = SearchSpace(size=1, low=-1.0, high=3.0, parameters={"clip": (0.5, 2.0)})
LISTED = [Pair(d0=0, d1=1), Pair(d0=0, d1=2), Pair(d0=1, d1=2)]


def point(coins, space=SPACE, generator=None, listed=LISTED):
    flips = iter(coins)
    found = flipped_point(lambda: bool(next(flips)), space, generator or Replace(), listed)
    assert next(flips, None) is None, "all coins were used"
    return found


def gray(number):
    code = number ^ (number >> 1)
    return [bool(code >> place & 1) for place in reversed(range(FINE))]


def test_all_tails_is_the_first_listed_pair_at_the_claims_own_parameters():
    plain = point([0, 0, 0, 0])
    assert plain.pair is LISTED[0]
    assert plain.parameters == {}


def test_parameters_and_coordinates_take_plain_values_or_fractions():
    assert point([1, 0, 1, 0, 0, 0, 1]).parameters == {"clip": 2.0}
    assert point([1, 0, 1, 0, 0, 0, 1]).pair is LISTED[1]
    for number in (0, 1, 777, 2**FINE - 1):
        clip = point([1, 1, *gray(number), 0, 0, 0]).parameters["clip"]
        assert clip == pytest.approx(0.5 + 1.5 * number / (2**FINE - 1))
    # the box of Replace(size=1): a level (of nobody), then the two values
    boxed = point([0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0])
    assert (boxed.pair.d0.tolist(), boxed.pair.d1.tolist()) == ([-1.0], [3.0])


def test_neighbouring_fractions_differ_in_one_coin():
    codes = [gray(number) for number in range(2**FINE)]
    assert all(sum(a != b for a, b in zip(x, y, strict=True)) == 1 for x, y in pairwise(codes))


def test_relations_without_a_box_use_the_list_alone():
    space = SearchSpace(size=3)
    listed = Value().candidates(space, limit=10, rng=np.random.default_rng(0))
    found = [
        point([bool(code >> 2 & 1), bool(code >> 1 & 1), bool(code & 1)], space, Value(), listed) for code in range(6)
    ]
    assert [one.pair for one in found] == listed
