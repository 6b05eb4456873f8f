"""Bugs that the stated pair does not show: each keeps its (epsilon, delta) and breaks the level curve through it.

False alarms: audits of what holds run at confidence 1 - 1e-10.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.runner.row import Row
from dpverify.sampling.streams import stream
from reference_impls.known_broken import gaussian_classic_beyond_one
from reference_impls.known_broken.cut_gaussian import CutGaussian, true_delta
from reference_impls.known_broken.laplace_as_gaussian import LaplaceAsGaussian

NAMES = ("laplace-as-gaussian", "cut-gaussian", "gaussian-classic-beyond-one")


def audited(name: str, *, stated: bool, confidence: float) -> Row:
    known = registry()
    entry = known.entries.get(name)
    claim = entry.claim
    level = claim.guarantee
    if stated:
        claim = replace(claim, guarantee=ApproxDP(epsilon=level.epsilon, delta=level.claimed_delta))  # type: ignore[attr-defined]
    return execute(make_plan(known, [replace(entry, claim=claim)], confidence=confidence))[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_level_curve_is_refuted_and_the_stated_pair_is_not(name: str) -> None:
    row = audited(name, stated=False, confidence=0.999)
    assert row.verdict.status is Status.REFUTED
    leading = row.verdict.leading
    assert leading is not None
    assert "a point of its level curve" in leading.witness["refutes"]
    assert audited(name, stated=True, confidence=1 - 1e-10).verdict.status is not Status.REFUTED


def test_laplace_noise_keeps_the_pair_by_far_and_breaks_total_variation(registered: Registry) -> None:
    claim = registered.entries.get("laplace-as-gaussian").claim
    mechanism = LaplaceAsGaussian(**claim.parameters)
    pair = mechanism.output_law([1.0]).against(mechanism.output_law([0.0]))
    assert pair.epsilon(0.0).upper < 0.4 < 1.0
    assert pair.delta(0.0).lower == pytest.approx(0.1726, abs=1e-4)
    assert pair.delta(0.0).lower > 1.5 * float(claim.guarantee.delta(0.0))  # type: ignore[attr-defined]
    out = mechanism.sample([2.0], 100_000, rng=stream(3))
    assert stats.kstest(out, stats.laplace(2.0, mechanism.laplace_scale(2.0)).cdf).pvalue > 1e-9


def test_the_cut_leaves_a_strip_that_one_answer_alone_reaches(registered: Registry) -> None:
    claim = registered.entries.get("cut-gaussian").claim
    mechanism = CutGaussian(**claim.parameters)
    law = stats.truncnorm(-mechanism.cut, mechanism.cut, scale=mechanism.sigma)
    for epsilon in (0.0, 0.3, 0.9, 1.0, 5.0):
        points = [mechanism.sigma**2 * epsilon + 0.5, mechanism.cut * mechanism.sigma]
        start = min(points)
        exact, _ = integrate.quad(
            lambda x, e=epsilon: max(law.pdf(x - 1.0) - np.exp(e) * law.pdf(x), 0.0), start, points[1] + 1.0,
            points=[points[1]], epsabs=1e-12,
        )  # fmt: skip
        assert true_delta(epsilon, sigma=mechanism.sigma, cut=mechanism.cut) == pytest.approx(exact, abs=1e-9)
    assert true_delta(0.9, sigma=mechanism.sigma, cut=mechanism.cut) < 1e-3
    assert true_delta(1.0, sigma=mechanism.sigma, cut=mechanism.cut) > 3 * float(claim.guarantee.delta(1.0))  # type: ignore[attr-defined]
    out = mechanism.sample([2.0], 100_000, rng=stream(4))
    assert np.abs(out - 2.0).max() <= mechanism.cut * mechanism.sigma * (1 + 1e-12)
    assert stats.kstest(out - 2.0, law.cdf).pvalue > 1e-9


def test_the_classic_formula_holds_at_six_and_fails_further_on() -> None:
    truth = GDP(mu=1 / gaussian_classic_beyond_one.SIGMA)
    assert 0.006 < float(truth.delta(6.0)) < 0.01
    assert float(truth.delta(14.4111)) > 8e-12
