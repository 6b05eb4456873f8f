from __future__ import annotations

import math

from dpverify.accounting.step_bounds import pure_total, step_bound, without_bound
from dpverify.accounting.steps.approx import ApproxStep
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.laplace import LaplaceStep
from dpverify.core.composition import Composition


def test_what_a_step_gives():
    assert step_bound(LaplaceStep(scale=2)) == (0.5, 0.0)
    assert step_bound(ApproxStep(epsilon=0.5, delta=1e-6)) == (0.5, 1e-6)
    assert step_bound(GaussianStep(sigma=1)) is None


def test_the_step_without_a_bound_is_named():
    composition = Composition.of(LaplaceStep(scale=2), GaussianStep(sigma=1))
    assert without_bound(composition) == "gaussian(sigma=1, sensitivity=1) has no single (epsilon, delta) or pure bound"
    assert without_bound(Composition.of(LaplaceStep(scale=2))) is None


def test_the_pure_total():
    pure = Composition.repeat(LaplaceStep(scale=2), 3)
    assert pure_total(pure) == 1.5
    assert pure_total(Composition()) == 0
    assert pure_total(pure.then(Composition.of(ApproxStep(epsilon=0.5, delta=0)))) == 2
    for open_end in (ApproxStep(epsilon=0.5, delta=1e-9), DiscreteStep(p=(1, 0), q=(0, 1)), GaussianStep(sigma=1)):
        assert pure_total(pure.then(Composition.of(open_end))) == math.inf
