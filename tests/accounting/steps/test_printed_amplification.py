"""The two steps that charge an amplification lemma as printed."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep, NoOpStep
from dpverify.accounting.steps.noisy_btls import NoisyBtlsGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.printed_samples import PoissonPrintedStep, WithoutReplacementStep, printed_curve
from dpverify.core.composition import Composition, HasRenyi
from dpverify.core.errors import InputError

ORDERS = np.array([2.0, 3.0, 8.0])
both = pytest.mark.parametrize("kind", [PoissonPrintedStep, WithoutReplacementStep])


@both
def test_a_print_is_no_bound(kind):
    step = kind(q=0.1, step=GaussianStep(sigma=1))
    assert not isinstance(step, HasRenyi)
    assert printed_curve(step)(ORDERS) == pytest.approx(step.printed(ORDERS))


def test_the_prints_by_hand():
    inner = GaussianStep(sigma=2)
    e = np.exp([2 / 8, 2 * 3 / 8])  # (l - 1) l / (2 sigma^2) at l = 2, 3
    assert np.exp(2 * PoissonPrintedStep(q=0.1, step=inner).printed([3.0])[0]) == pytest.approx(
        0.9**2 * 1.2 + 3 * 0.01 * 0.9 * e[0] + 3 * 0.001 * e[1]
    )
    assert np.exp(2 * WithoutReplacementStep(q=0.1, step=inner).printed([3.0])[0]) == pytest.approx(
        1 + 0.01 * 3 * 4 * (e[0] - 1) + 0.001 * 2 * e[1]
    )


def test_the_inner_step_may_be_a_print_itself():
    search = NoisyBtlsGaussianStep(sigma_1=20, sigma_2=30, max_it=30)
    step = PoissonPrintedStep(q=0.1, step=search)
    rate = search.printed(np.array([2.0]))[0] / 2
    same = GaussianStep(sigma=(2 * rate) ** -0.5)
    assert step.printed(ORDERS) == pytest.approx(PoissonPrintedStep(q=0.1, step=same).printed(ORDERS), rel=1e-9)


def test_a_subsampled_gaussian_is_charged_by_the_lemma():
    found = printed_curve(PoissonGaussianStep(q=0.1, sigma=2))(ORDERS)
    assert found == pytest.approx(PoissonPrintedStep(q=0.1, step=GaussianStep(sigma=2)).printed(ORDERS))


@both
def test_bad_arguments_are_refused(kind):
    for q in (-0.1, 1.1, "0.1", True, np.nan):
        with pytest.raises(InputError, match=r"a number in \[0, 1\]"):
            kind(q=q, step=GaussianStep(sigma=1))
    for step in (None, GaussianStep, "gaussian", ApproxStep(epsilon=1, delta=0.1)):
        with pytest.raises(InputError, match="allowed"):
            kind(q=0.1, step=step)
    with pytest.raises(InputError, match=r"order 2\.5"):
        kind(q=0.1, step=GaussianStep(sigma=1)).printed([2.5])


def test_relations_do_not_mix():
    poisson = PoissonPrintedStep(q=0.1, step=NoOpStep())
    fixed = WithoutReplacementStep(q=0.1, step=NoOpStep())
    with pytest.raises(InputError, match="relation"):
        Composition.of(poisson, fixed)
    with pytest.raises(InputError, match=r"under add-remove.*allowed: a step under replace"):
        WithoutReplacementStep(q=0.1, step=poisson)
    with pytest.raises(InputError, match=r"under replace.*allowed: a step under add-remove"):
        PoissonPrintedStep(q=0.1, step=fixed)
    assert PoissonPrintedStep(q=0.1, step=poisson).relation == "add-remove"
    assert WithoutReplacementStep(q=0.1, step=fixed).relation == "replace"
    assert poisson.text() == "poisson-printed(q=0.1, step=no-op())"
