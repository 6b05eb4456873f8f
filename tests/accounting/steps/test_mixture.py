"""One of several Gaussian mechanisms: from above, the losses of an index that is seen; nothing from below."""

from __future__ import annotations

import flint
import pytest

from dpverify.accounting.accountants.pld import PldAccountant, compose
from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.loss_sources import OnlyAbove
from dpverify.accounting.side_by_side import account
from dpverify.accounting.steps.gaussian import MixtureGaussianStep, MixtureStep
from dpverify.core.plugins import registry
from dpverify.laws.balls import working_precision
from tests.accounting.proved import exact

PARTS = ((0.5, 0.5), (0.25, 1.5), (0.25, 0.0))
"""Weight, and shift in standard deviations."""


def composed(text):
    return compose(read_composition(text, registry()))


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0, 3.0])
def test_a_seen_part_costs_the_mean_of_the_parts(epsilon):
    found = composed("mixture(weights=(0.5, 0.25, 0.25), shifts=(0.5, 1.5, 0), sigma=1)").delta(epsilon)
    with working_precision(200):
        moved = [(exact.ball(w), exact.gaussian_delta(s * s, epsilon)) for w, s in PARTS if s]
        truth = sum((w * delta for w, delta in moved), flint.arb(0))
        assert exact.ball(found.lower) <= truth <= exact.ball(found.upper)
    assert found.upper - found.lower <= 1e-4 * found.upper


def test_it_is_below_what_curves_say_and_above_what_an_unseen_part_costs():
    seen = account("mixture(weights=(0.9, 0.1), shifts=(0.2, 1), sigma=2)*30", delta=1e-5)
    unseen = account("mixture-gaussian(weights=(0.9, 0.1), shifts=(0.2, 1), sigma=2)*30", delta=1e-5)
    above, below = ({row.accountant: row.bracket for row in found.rows} for found in (seen, unseen))
    assert below["pld"].upper < above["pld"].upper < above["rdp"].upper
    assert seen.contradiction is None


@pytest.mark.parametrize(
    "text",
    [
        "mixture(weights=(1,), shifts=(1,), sigma=4)*3",
        "poisson(q=0.1, step=mixture(weights=(0.5, 0.5), shifts=(0, 1), sigma=2))*5",
    ],
)
def test_no_lower_end_is_told(text):
    """A batch that stays secret costs less: 0.16 where the index in the clear costs 3.6 (DP-SGD, replaced records)."""
    found = PldAccountant().compose(read_composition(text, registry())).epsilon(1e-5)
    assert found.lower == 0 < found.upper
    assert "may stay hidden" in found.note


def test_the_step_whose_parts_answer_alike_is_exact():
    given = {"weights": (0.5, 0.5), "shifts": (0, 1), "sigma": 1}
    assert isinstance(MixtureStep(**given), OnlyAbove) and not isinstance(MixtureGaussianStep(**given), OnlyAbove)
