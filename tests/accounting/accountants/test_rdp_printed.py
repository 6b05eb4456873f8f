from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.accountants.rdp_classic import ClassicRdpAccountant
from dpverify.accounting.accountants.rdp_printed import PrintedRdpAccountant
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep
from dpverify.accounting.steps.noisy_btls import NoisyBtlsGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.printed_samples import PoissonPrintedStep
from dpverify.core.composition import Composition, Part

printed = PrintedRdpAccountant()


def naive(step, count, delta):
    """Proposition 1 over whole orders, one after the other."""
    return min(
        count * float(step.printed(np.array([order]))[0]) - math.log(delta) / (order - 1) for order in range(2, 501)
    )


@pytest.mark.parametrize("sigma", [1.0, 8.5, 100.0])
def test_the_pipeline_by_hand(sigma):
    step = PoissonPrintedStep(q=256 / 50000, step=GaussianStep(sigma=sigma))
    found = printed.compose(Composition.repeat(step, 1000)).epsilon(1e-5)
    assert found.upper == pytest.approx(naive(step, 1000, 1e-5), rel=1e-8)
    assert found.note.startswith("order ")


@pytest.mark.parametrize(("step", "order"), [(GaussianStep(sigma=0.1), 2), (GaussianStep(sigma=200.0), 500)])
def test_the_first_and_the_last_order_are_looked_at(step, order):
    cost = printed.compose(Composition.of(step))
    assert cost.epsilon(1e-5).note == f"order {order}"
    assert cost.epsilon(1e-5).upper == pytest.approx(
        order / (2 * step.sigma**2) + math.log(1e5) / (order - 1), rel=1e-9
    )


def test_a_subsampled_gaussian_is_charged_by_the_lemma():
    ours = PoissonGaussianStep(q=0.01, sigma=2)
    lemma = PoissonPrintedStep(q=0.01, step=GaussianStep(sigma=2))
    both = [printed.compose(Composition.repeat(step, 100)).epsilon(1e-5).upper for step in (ours, lemma)]
    assert both[0] == both[1] > ClassicRdpAccountant().compose(Composition.repeat(ours, 100)).epsilon(1e-5).upper


def test_prints_and_curves_add():
    search = NoisyBtlsGaussianStep(sigma_1=20, sigma_2=30, max_it=30)
    gaussian = GaussianStep(sigma=5)
    cost = printed.compose(Composition(parts=(Part(step=search, count=2), Part(step=gaussian, count=3))))
    orders = np.arange(2.0, 501)
    curve = 2 * search.printed(orders) + 3 * gaussian.renyi(orders)
    assert cost.epsilon(1e-6).upper == pytest.approx(float(np.min(curve - math.log(1e-6) / (orders - 1))), rel=1e-9)
    assert cost.delta(3.0).upper == pytest.approx(math.exp(float(np.min((orders - 1) * (curve - 3)))), rel=1e-9)


def test_free_steps_are_free_and_strangers_refused():
    free = PoissonPrintedStep(q=0, step=GaussianStep(sigma=1))
    assert printed.compose(Composition.repeat(free, 9)).epsilon(0).upper == 0
    assert "no Renyi curve" in printed.refuses(Composition.of(ApproxStep(epsilon=1, delta=0.1)))
