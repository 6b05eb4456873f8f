from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.known_broken.biased_division import BiasedDivision, divided, heads, true_epsilon

PURE = Measure(kind="epsilon", argument=0.0, claimed=0.1)
DRAWS = 2_000_000
"""So many that the sound law, noncentrality 200 or more away, is told from the biased one at every count."""


def test_the_division_is_the_one_reported() -> None:
    # dashu issue 57: (2/3) / 4 should be 1/6.
    assert divided(Fraction(2, 3), 4) == Fraction(1, 4) > Fraction(1, 6)
    assert divided(Fraction(1, 3), 4) == Fraction(1, 12)
    for a in range(1, 13):
        for k in range(1, 13):
            assert divided(Fraction(a, 13), k) >= Fraction(a, 13) / k
            assert (divided(Fraction(a, 13), k) == Fraction(a, 13) / k) == (math.gcd(a, k) == 1)


def test_coins_without_a_factor_to_lose_are_right() -> None:
    assert heads(Fraction(0)) == 1
    for x in (Fraction(1), Fraction(1, 10), Fraction(1, 97)):
        assert float(heads(x)) == pytest.approx(math.exp(-x), rel=1e-15)
    assert abs(float(heads(Fraction(8, 10))) - math.exp(-0.8)) > 0.01


def test_the_true_epsilon_is_that_of_the_law() -> None:
    assert true_epsilon(2) == pytest.approx(0.5)
    assert true_epsilon(10) == pytest.approx(0.26614, abs=1e-5)
    mechanism = BiasedDivision(epsilon=0.1)
    found = 0.0
    for count in range(12):
        pair = mechanism.output_law([float(count)]).against(mechanism.output_law([count + 1.0]))
        for one in (pair, pair.swap()):
            proof = one.prove(PURE)
            assert proof is not None
            found = max(found, proof.lower)
    assert found == pytest.approx(true_epsilon(10), abs=1e-12)


def plain_law(scale: int, count: int, n: int) -> np.ndarray:
    """From the accepted shares, by summing noise from -50 scales to 50, and clipping."""
    z = np.arange(-50 * scale, 50 * scale + 1)
    kept = np.array([float(heads(Fraction(u, scale))) for u in range(scale)])
    weights = kept[np.abs(z) % scale] * np.exp(-(np.abs(z) // scale))
    return np.bincount(np.clip(z + count, 0, n), weights / weights.sum(), minlength=n + 1)


@pytest.mark.parametrize("count", [0, 5, 12])
def test_samples_follow_the_law(count: int) -> None:
    # Chi-square, false-alarm probability 1e-9 a check, three checks; every cell expects more than 2000.
    mechanism = BiasedDivision(epsilon=0.1)
    law = np.exp(mechanism.output_law([float(count)]).log_probabilities)
    np.testing.assert_allclose(law, plain_law(10, count, 12), rtol=1e-10)
    counts = mechanism.counts([float(count)], DRAWS, rng=stream(53, "division", count))
    assert law.min() * DRAWS > 2000
    statistic = float(np.sum((counts - DRAWS * law) ** 2 / (DRAWS * law)))
    assert stats.chi2.sf(statistic, 12) > 1e-9
    right = np.exp(-np.abs(np.arange(-600, 601)) / 10.0)
    sound = np.bincount(np.clip(np.arange(-600, 601) + count, 0, 12), right / right.sum(), minlength=13)
    assert stats.chi2.sf(float(np.sum((counts - DRAWS * sound) ** 2 / (DRAWS * sound))), 12) < 1e-9


def test_it_is_refuted_with_proof() -> None:
    row = execute(
        make_plan(registry(), [registry().entries.get("biased-division")], confidence=1 - 1e-9, trials=20_000)
    )[0]
    assert row.verdict.status == Status.REFUTED
    assert row.verdict.evidence[0].proved
    assert row.verdict.evidence[0].bound == pytest.approx(true_epsilon(10), abs=1e-9)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError):
        BiasedDivision(n=0)
