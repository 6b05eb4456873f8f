"""Exact coverage of every bound for small counts: all pairs of counts, binomial masses summed, no sampling.

For a grid of truths (p, q) the probability that a bound exceeds the truth must be at most alpha. A bound over a region
errs at most as often as the region misses the truth, and a curve that steps up exactly at the truth errs just as often:
so that curve is in the list, and the two sabotaged regions must fail it.
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy import special

from dpverify.stats.epsilon import binary_renyi, delta_lower, epsilon_lower, mu_lower, renyi_lower
from dpverify.stats.joint import JointRegion, excess_lower, region_from_counts
from dpverify.stats.region import RectangleRegion

SIZES = [(4, 7), pytest.param((12, 12), marks=pytest.mark.slow), pytest.param((5, 11), marks=pytest.mark.slow)]
LEVELS = [0.2, pytest.param(0.05, marks=pytest.mark.slow)]
TRUTHS = [(0.4, 0.1), (0.9, 0.3), (0.97, 0.03), (0.6, 0.55), (0.2, 0.01), (0.75, 0.4), (1.0, 0.2), (0.5, 0.5)]
KINDS = [("joint", 0.5), ("joint", 0.25), ("split", 0.5), ("split", 0.2)]


def masses(n, p):
    k = np.arange(n + 1)
    return special.binom(n, k) * p**k * (1.0 - p) ** (n - k)


@cache
def bounds(n1, n2, alpha, method, share):
    """Each bound at every pair of counts: shape (n1 + 1, n2 + 1) each."""
    names = ("epsilon", "epsilon at 0.05", "delta at 0.5", "mu", "renyi forward", "renyi backward")
    tables = {name: np.empty((n1 + 1, n2 + 1)) for name in names}
    for k1 in range(n1 + 1):
        for k2 in range(n2 + 1):
            region = region_from_counts(k1, n1, k2, n2, alpha=alpha, method=method, share=share)
            values = (
                epsilon_lower(region),
                epsilon_lower(region, delta=0.05),
                delta_lower(region, epsilon=0.5),
                mu_lower(region),
                *renyi_lower(region, order=3.0),
            )
            for name, value in zip(names, values, strict=True):
                tables[name][k1, k2] = value
    return tables


def truth(name, p, q):
    """What each bound is a bound on, at this event."""
    with np.errstate(divide="ignore"):
        return {
            "epsilon": math.log(p / q),
            "epsilon at 0.05": math.log((p - 0.05) / q),
            "delta at 0.5": p - math.exp(0.5) * q,
            "mu": float(special.ndtri(p) - special.ndtri(q)),
            "renyi forward": float(binary_renyi(p, q, 3.0)),
            "renyi backward": float(binary_renyi(q, p, 3.0)),
        }[name]


@pytest.mark.parametrize(("method", "share"), KINDS)
@pytest.mark.parametrize("alpha", LEVELS)
@pytest.mark.parametrize("size", SIZES)
def test_no_bound_exceeds_the_truth_too_often(size, alpha, method, share):
    for name, table in bounds(*size, alpha, method, share).items():
        for p, q in TRUTHS:
            mass = np.outer(masses(size[0], p), masses(size[1], q))
            miss = float(mass[table > max(0.0, truth(name, p, q)) * (1.0 + 1e-12)].sum())
            assert miss <= alpha * (1.0 + 1e-12), (name, p, q)


def worst_miss(size, regions):
    """Largest probability, over the truths, that the curve stepping up at the truth is refuted although it holds."""
    worst = 0.0
    for p, q in TRUTHS:
        mass, miss = np.outer(masses(size[0], p), masses(size[1], q)), 0.0
        for (k1, k2), region in regions.items():
            if excess_lower(region, lambda of_q, p=p, q=q: np.where(of_q < q, 0.0, p)) > 0.0:
                miss += float(mass[k1, k2])
        worst = max(worst, miss)
    return worst


def all_regions(size, make):
    return {(k1, k2): make(k1, size[0], k2, size[1]) for k1 in range(size[0] + 1) for k2 in range(size[1] + 1)}


@pytest.mark.parametrize(("method", "share"), KINDS)
@pytest.mark.parametrize("alpha", LEVELS)
@pytest.mark.parametrize("size", SIZES)
def test_no_region_misses_the_truth_too_often(size, alpha, method, share):
    regions = all_regions(size, lambda *c: region_from_counts(*c, alpha=alpha, method=method, share=share))
    assert worst_miss(size, regions) <= alpha


# Sabotage, at a size whose discrete tails come close to alpha at one of the truths.


def test_a_rectangle_with_alpha_on_both_sides_is_caught():
    regions = all_regions((5, 5), lambda *c: _unsplit(*c, alpha=0.2))
    assert worst_miss((5, 5), regions) > 0.2


def test_a_joint_region_with_alpha_for_its_constant_is_caught():
    regions = all_regions((5, 5), lambda *c: _without_fisher(*c, alpha=0.2))
    assert worst_miss((5, 5), regions) > 0.2


def _unsplit(k1, n1, k2, n2, *, alpha):
    return RectangleRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=2.0 * alpha)


def _without_fisher(k1, n1, k2, n2, *, alpha):
    region = JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=alpha)
    object.__setattr__(region, "log_constant", math.log(alpha))
    return region
