"""Laplace noise on Poisson samples: the losses are those of the densities, the pair beats others, golden value."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.gaussian import LaplaceStep
from dpverify.accounting.steps.poisson_laplace import (
    PoissonLaplaceReplaceStep,
    PoissonLaplaceStep,
    ReplacedLaplaceLoss,
)
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError


def hockey(q, scale, at, other, epsilon):
    """Delta by quadrature: a sample with a record at `at` against one with a record at `other` (None: without)."""

    def laplace(y, centre):
        return math.exp(-abs(y - centre) / scale) / (2 * scale)

    def excess(y):
        p = (1 - q) * laplace(y, 0) + q * laplace(y, at)
        second = laplace(y, 0) if other is None else (1 - q) * laplace(y, 0) + q * laplace(y, other)
        return max(p - math.exp(epsilon) * second, 0.0)

    ends = [-60 * scale, -1, -0.5, 0, 0.5, 1, 60 * scale]
    return sum(quad(excess, a, b, limit=500, epsabs=1e-12)[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
@pytest.mark.parametrize(("q", "scale"), [(0.2, 0.5), (0.7, 1.0), (0.01, 0.25)])
def test_one_step_by_quadrature(q, scale, epsilon):
    added = max(hockey(q, scale, 1, None, epsilon), _removed(q, scale, epsilon))
    found = compose(Composition.of(PoissonLaplaceStep(q=q, scale=scale))).delta(epsilon)
    assert found.lower - 1e-9 <= added <= found.upper + 1e-9
    replaced = hockey(q, scale, 1, -1, epsilon)
    found = compose(Composition.of(PoissonLaplaceReplaceStep(q=q, scale=scale))).delta(epsilon)
    assert found.lower - 1e-9 <= replaced <= found.upper + 1e-9
    for at, other in ((1, 0), (0.5, -1), (0.3, 1), (0.2, 0.9), (-1, -0.5)):  # no other pair of records costs more
        assert hockey(q, scale, at, other, epsilon) <= replaced + 1e-9


def _removed(q, scale, epsilon):
    def excess(y):
        still, moved = (math.exp(-abs(y - at) / scale) / (2 * scale) for at in (0, 1))
        return max(still - math.exp(epsilon) * ((1 - q) * still + q * moved), 0.0)

    ends = [-60 * scale, 0, 0.5, 1, 60 * scale]
    return sum(quad(excess, a, b, limit=500, epsabs=1e-12)[0] for a, b in pairwise(ends))


def test_golden_value():
    """dp-accounting's own test: 2.46964 at 1e-6 on its grid, 2.469372 on a finer one."""
    found = compose(Composition.repeat(PoissonLaplaceStep(q=0.2, scale=0.5), 3)).epsilon(1e-6)
    assert found.lower <= 2.469372 + 1e-6 and found.upper >= 2.469372 - 1e-6 and found.upper < 2.46964


@pytest.mark.parametrize("step", [PoissonLaplaceStep, PoissonLaplaceReplaceStep])
def test_at_rate_one_it_is_laplace_noise(step):
    once = LaplaceStep(scale=2, sensitivity=1 if step is PoissonLaplaceStep else 2)
    mine = compose(Composition.repeat(step(q=1, scale=2), 5)).epsilon(1e-4)
    other = compose(Composition.repeat(once, 5)).epsilon(1e-4)
    assert mine.upper == pytest.approx(other.upper, rel=1e-6)
    assert step(q=0, scale=2).pure_epsilon() == 0
    assert compose(Composition.repeat(step(q=0.3, scale=2), 1)).epsilon(0).upper <= step(q=0.3, scale=2).pure_epsilon()


def test_cells_of_the_replaced_loss_hold_all_mass():
    loss = ReplacedLaplaceLoss(shift=1.5, rate=0.3)
    found, atoms = loss.masses(np.linspace(-loss.top(), loss.top(), 41)), loss.atoms()
    assert found is not None
    assert float(np.sum(found.p)) + float(np.sum(atoms.p)) == pytest.approx(1, abs=1e-13)
    losses = np.linspace(-loss.top(), loss.top(), 41)
    ratios = np.log(found.p[1:-1] / found.q[1:-1])
    assert np.all(ratios >= losses[:-1] - 1e-9) and np.all(ratios <= losses[1:] + 1e-9)


def test_too_little_noise_is_refused():
    for step in (PoissonLaplaceStep, PoissonLaplaceReplaceStep):
        with pytest.raises(InputError, match="scale"):
            step(q=0.1, scale=1e-3)
