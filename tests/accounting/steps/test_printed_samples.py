"""Which curve the papers' pipeline takes for a step."""

import numpy as np
import pytest

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep
from dpverify.accounting.steps.printed_samples import checked_step, needed_curve, printed_curve
from dpverify.core.errors import InputError

ORDERS = np.array([2.0, 5.0])


def test_the_print_comes_before_the_bound():
    class Printing:
        def printed(self, orders):
            return orders / 2

        def renyi(self, orders):
            return orders

    assert printed_curve(Printing())(ORDERS) == pytest.approx(ORDERS / 2)
    assert printed_curve(GaussianStep(sigma=2.0))(ORDERS) == pytest.approx(ORDERS / 8)  # no print: its own curve


def test_a_step_without_a_curve():
    step = ApproxStep(epsilon=1.0, delta=0.1)
    assert printed_curve(step) is None
    with pytest.raises(InputError, match="Lemma X"):
        needed_curve(step, by="Lemma X")


@pytest.mark.parametrize("step", [3, GaussianStep, None])
def test_no_step_at_all(step):
    with pytest.raises(InputError, match="allowed"):
        checked_step("here", step, relation="replace")
