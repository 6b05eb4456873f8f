"""Overflow of scales, of counts, and of both: +inf with the reason, or a refusal in one line; never a warning."""

from __future__ import annotations

import math

import pytest

from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import ApproxStep, PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition, Part

EXTREME = [
    Composition(parts=(Part(step=step, count=count),))
    for step in (
        *(GaussianStep(sigma=sigma) for sigma in (1e-150, 1e-6, 1.0, 1e150)),
        *(LaplaceStep(scale=scale) for scale in (1e-300, 1e-6, 1e150)),
        PureStep(epsilon=5.0),
        ApproxStep(epsilon=0.5, delta=1e-300),
        PoissonGaussianStep(q=0.01, sigma=1e-6),
    )
    for count in (10, 10**12)
] + [Composition(parts=(Part(step=GaussianStep(sigma=1.0), count=10**12), Part(step=LaplaceStep(scale=1e-300))))]


def test_extremes_are_answered_or_refused_in_one_line(accounts, name):
    """No other exception and, as pytest has it here, no warning."""
    many = [Composition.repeat(step, 10**12) for step in accounts.steps]
    for composition in EXTREME if name in accounts.slow else EXTREME + many:
        composed = accounts.cost(name, composition)
        if composed is None:
            assert "\n" not in str(accounts.accountants[name].refuses(composition))
            continue
        found = [composed.epsilon(delta) for delta in (0.0, 1e-300, 1 - 1e-9)]
        found += [composed.delta(epsilon) for epsilon in (0.0, 1e308)]
        for bracket in found:
            assert math.isfinite(bracket.upper) or bracket.note, accounts.shown(composition)


@pytest.mark.parametrize(
    "extreme",
    [
        Composition.repeat(GaussianStep(sigma=1e-150), 10),
        Composition.repeat(PureStep(epsilon=700.0), 10**11),
        EXTREME[-1],
    ],
    ids=lambda extreme: extreme.parts[-1].step.text(),
)
def test_the_oracle_says_why_it_has_no_number(accounts, extreme):
    found = accounts.cost("pld", extreme)
    assert found is not None
    bracket = found.epsilon(1e-5)
    assert math.isfinite(bracket.upper) or (bracket.lower == 0 and "doubles" in bracket.note)
    assert found.delta(1.0).upper <= 1
