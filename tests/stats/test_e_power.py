"""Ceilings and power of mixture betting: closed forms, enumeration, and the promise kept."""

import math

import numpy as np
import pytest
from scipy import special, stats

from dpverify.core.errors import InputError
from dpverify.stats.e_mixture import FRACTIONS, Chain, kinds_of
from dpverify.stats.e_power import detectable_hits, even, likely_wealth, pairs_needed, perfect_wealth


def test_a_perfect_event_in_closed_form():
    slope, delta = 2.0, 0.1
    expected = np.mean((1 + FRACTIONS / (slope + delta) * (1 - delta)) ** 7)
    assert perfect_wealth(7, slope, delta)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("slopes", "deltas"), [([math.e], [0.0]), ([math.e, 1.0], [0.0, 0.46]), ([50.0], [1e-5])])
def test_pairs_needed_are_the_fewest(slopes, deltas):
    fewest = pairs_needed(slopes, deltas, alpha=0.001)
    assert perfect_wealth(fewest, slopes, deltas).max() >= 1000.0 > perfect_wealth(fewest - 1, slopes, deltas).max()


def test_what_no_pairs_could_refute_is_told():
    with pytest.raises(InputError, match="could not refute"):
        pairs_needed([1e30], [0.0], alpha=0.001)
    with pytest.raises(InputError, match="power"):
        likely_wealth(0.5, 0.5, 10, [1.0], [0.0], power=1.0)


@pytest.mark.parametrize(("p", "q", "delta"), [(0.8, 0.1, 0.0), (0.5, 0.3, 0.1), (0.9, 0.0, 0.0)])
def test_the_likely_wealth_is_reached_as_often_as_it_says(p, q, delta):
    """All outcomes of 12 pairs summed: the wealth is at least the stated one with probability at least `power`."""
    pairs, power, reached = 12, 0.8, 0.0
    stated = likely_wealth(p, q, pairs, [2.0], [delta], power=power)[0]
    for k1 in range(pairs + 1):
        for k2 in range(pairs + 1):
            for both in range(max(0, k1 + k2 - pairs), min(k1, k2) + 1):
                mass = stats.binom.pmf(k1, pairs, p) * stats.binom.pmf(k2, pairs, q)
                mass *= stats.hypergeom.pmf(both, pairs, k1, k2)
                counts = np.array([[pairs - k1 - k2 + both, k2 - both, k1 - both, both]])
                reached += mass * (even([2.0], [delta]).wealth(counts)[0] >= stated * (1 - 1e-12))
    assert reached >= power


def test_detectable_hits_are_detected():
    """At the p that is called detectable 200 runs: fewer than 120 refutations have probability below 1e-9 at 0.8."""
    q, pairs, rng = 0.2, 1500, np.random.default_rng(20260603)
    p = detectable_hits(q, pairs, [math.e], [0.0], alpha=0.01)
    assert math.e * q < p < 0.8
    start = Chain.start(1, alpha=0.01).settle(even([math.e], [0.0]))
    found = sum(start.update(kinds_of(*(rng.random((2, pairs)) < [[p], [q]]))[None]).run() for _ in range(200))
    assert found >= 120
    assert detectable_hits(q, 4 * pairs, [math.e], [0.0], alpha=0.01) < p
    assert detectable_hits(q, 3, [math.e], [0.0], alpha=0.01) == math.inf


@pytest.mark.parametrize("pairs", [1, 40, 7_000])
@pytest.mark.parametrize("q", [0.0, 0.01, 0.4])
@pytest.mark.parametrize("lines", [([math.e], [0.0]), ([2.0, 1.0], [0.0, 0.3])])
def test_detectable_hits_are_the_smallest_p_whose_likely_wealth_refutes(pairs, q, lines):
    """The definition, bisected over p itself."""
    words = {"alpha": 0.01, "power": 0.8}

    def refutes(p):
        return likely_wealth(p, q, pairs, *lines, power=words["power"]).max() >= 1.0 / words["alpha"]

    found = detectable_hits(q, pairs, *lines, **words)
    if not refutes(1.0):
        assert found == math.inf
        return
    low, high = float(special.expit(-700.0)), 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if refutes(middle) else (middle, high)
    assert found == high


@pytest.mark.parametrize(("p", "q"), [(0.8, 0.3), (0.55, 0.5), (0.3, 0.01)])
def test_the_likely_counts_are_quantiles_by_their_definition(p, q):
    pairs, power = 40, 0.5
    each = power ** (1 / 3)
    k1 = max(k for k in range(pairs + 1) if stats.binom.sf(k - 1, pairs, p) >= each)
    k2 = min(k for k in range(pairs + 1) if stats.binom.cdf(k, pairs, q) >= each)
    both = max(k for k in range(min(k1, k2) + 1) if stats.hypergeom.sf(k - 1, pairs, k1, k2) >= each)
    counts = np.array([[pairs - k1 - k2 + both, k2 - both, k1 - both, both]])
    stated = likely_wealth(p, q, pairs, [1.3], [0.0], power=power)
    assert stated == pytest.approx(even([1.3], [0.0]).wealth(counts), rel=1e-12)
