"""Steps that take steps: what an instance offers, copies of it, and what is no step."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

import pytest

from dpverify.accounting.inner_step import Around, checked_inner, offering
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import HasPure, HasRenyi, Step
from dpverify.core.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice(Around):
    """A step around another one."""

    kind = "twice"
    step: Step

    def _renyi(self, orders):
        return 2 * self.step.renyi(orders)

    def _pure_epsilon(self):
        return 1.0


def test_an_instance_offers_what_was_asked_for():
    step = offering(Twice, ("renyi",))(step=GaussianStep(sigma=1))
    assert isinstance(step, HasRenyi) and not isinstance(step, HasPure)
    assert not isinstance(Twice(step=GaussianStep(sigma=1)), HasRenyi)
    assert type(step) is offering(Twice, ("renyi",)) is not offering(Twice, ())
    for again in (copy.deepcopy(step), pickle.loads(pickle.dumps(step))):  # noqa: S301
        assert again == step and hash(again) == hash(step) and type(again) is type(step)
    plain = Twice(step=GaussianStep(sigma=1))
    assert copy.deepcopy(plain) == plain != step


@pytest.mark.parametrize("step", [3, GaussianStep, None, PoissonGaussianStep(q=0.1, sigma=1)])
def test_what_is_no_step_or_of_another_relation_is_refused(step):
    with pytest.raises(InputError, match="here: step"):
        checked_inner("here", step, relation="replace")
