"""One of several mechanisms, seen to answer: masses of the parts, by their weights."""

import math

import flint
import numpy as np
import pytest
from scipy.stats import norm

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.loss_sources import GaussianLoss, LaplaceLoss
from dpverify.accounting.seen_part_loss import SeenPartLoss
from dpverify.accounting.side_by_side import account
from dpverify.core.plugins import registry
from dpverify.laws.balls import working_precision
from tests.accounting.proved import exact

T = np.linspace(-1.5, 1.5, 7)


def test_masses_are_those_of_the_parts():
    """A normal loss N(mu^2 / 2, mu^2) under P, N(-mu^2 / 2, mu^2) under Q, and nothing where nothing moves."""
    mixed = SeenPartLoss(weights=(0.5, 0.3, 0.2), parts=tuple(GaussianLoss(mu=mu) for mu in (0.5, 2.0, 0.0)))
    found = mixed.masses(T)
    for masses, sign in ((found.p, 1), (found.q, -1)):
        below = 0.5 * norm.cdf(T, sign * 0.125, 0.5) + 0.3 * norm.cdf(T, sign * 2.0, 2.0)
        assert np.cumsum(masses)[:-1] == pytest.approx(below, abs=1e-14)
        assert np.sum(masses) == pytest.approx(0.8)
    atoms = mixed.atoms()
    assert atoms.p == pytest.approx([0.2]) and atoms.loss == pytest.approx([0.0])
    assert mixed.bounds() == (-math.inf, math.inf)
    low, high = mixed.extent(1e-10)
    assert (low, high) == GaussianLoss(mu=2.0).extent(1e-10)


def test_parts_with_atoms_keep_them():
    mixed = SeenPartLoss(weights=(0.25, 0.75), parts=(LaplaceLoss(shift=1.0), LaplaceLoss(shift=0.5)))
    atoms = mixed.atoms()
    assert atoms.loss == pytest.approx([-1, 1, -0.5, 0.5])
    assert atoms.p == pytest.approx([0.125 * math.exp(-1), 0.125, 0.375 * math.exp(-0.5), 0.375])
    assert mixed.bounds() == (-1.0, 1.0)
    assert SeenPartLoss(weights=(1.0,), parts=(GaussianLoss(mu=0.0),)).masses(T) is None


def test_the_bound_on_the_error_holds():
    """Masses above thresholds, beside balls; the parts far apart in size, so that adding them loses digits."""
    weights, mus, t = (0.999, 0.001), (0.3, 5.0), np.array([-6.0, -1.0, 0.0, 3.0, 9.0, 25.0])
    found = SeenPartLoss(weights=weights, parts=tuple(GaussianLoss(mu=mu) for mu in mus)).masses(t)
    above, below = np.cumsum(found.p[::-1])[::-1][1:], np.cumsum(found.p)[:-1]
    with working_precision(200):
        whole = sum(map(exact.ball, weights), flint.arb(0))
        for at, mass, rest, error in zip(t, above, below, found.p_error, strict=True):
            truth = flint.arb(0)
            for weight, mu in zip(weights, mus, strict=True):
                truth += exact.ball(weight) * exact.above(exact.ball(float(at)) / exact.ball(mu) - exact.ball(mu) / 2)
            missed = exact.ball(float(mass)) - truth if mass < rest else whole - exact.ball(float(rest)) - truth
            assert abs(missed) <= error


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0, 3.0])
def test_the_accountant_has_the_truth_between_its_ends(epsilon):
    found = compose(read_composition("mixture(weights=(0.75, 0.25), shifts=(0.5, 1.5), sigma=1)", registry()))
    with working_precision(200):
        truth = sum(
            (exact.ball(w) * exact.gaussian_delta(square, epsilon) for w, square in ((0.75, 0.25), (0.25, 2.25))),
            flint.arb(0),
        )
        delta = found.delta(epsilon)
        assert exact.ball(delta.lower) <= truth <= exact.ball(delta.upper)
    assert delta.upper - delta.lower <= 1e-4 * delta.upper


def test_it_is_below_what_curves_say_and_above_what_an_unseen_part_costs():
    seen = account("mixture(weights=(0.9, 0.1), shifts=(0.2, 1), sigma=2)*30", delta=1e-5)
    unseen = account("mixture-gaussian(weights=(0.9, 0.1), shifts=(0.2, 1), sigma=2)*30", delta=1e-5)
    above, below = ({row.accountant: row.bracket for row in found.rows} for found in (seen, unseen))
    assert (
        below["pld"].upper
        < above["pld"].lower
        < min(each.upper for name, each in above.items() if name.startswith("rdp"))
    )
    assert seen.contradiction is None
