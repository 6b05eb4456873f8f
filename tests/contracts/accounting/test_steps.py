"""What every step must keep: it is a value, its curve rises and has no nan, no bound is below its exact laws."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from dpverify.core.composition import Composition, HasApprox, HasLaws, HasMu, HasPure, HasRenyi, Part, Step
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry

FACTORIES: dict[str, Any] = dict(registry().steps.items())
STEPS: list[Any] = [step for factory in FACTORIES.values() for step in getattr(factory, "examples", tuple)()]

ROUNDING = 1e-9  # by which a divergence may seem to fall with its order, relatively
ORDERS = np.array([1.001, 1.5, 2.0, 3.7, 32.0, 512.0])


def those_with(capability: type) -> pytest.MarkDecorator:
    """Every example that has it."""
    found = [step for step in STEPS if isinstance(step, capability)]
    assert found
    return pytest.mark.parametrize("step", found, ids=lambda step: step.text())


@pytest.mark.parametrize("name", FACTORIES)
def test_every_step_gives_examples_of_itself(name):
    examples = FACTORIES[name].examples()
    assert examples
    for step in examples:
        assert isinstance(step, Step)
        assert step.text().startswith(f"{name}(")


@those_with(Step)
def test_a_step_is_a_value(step):
    assert step == copy.deepcopy(step) == pickle.loads(pickle.dumps(step))  # noqa: S301
    assert hash(step) == hash(copy.deepcopy(step))
    assert Composition.of(step, copy.deepcopy(step)).parts == (Part(step=step, count=2),)
    with pytest.raises((AttributeError, TypeError)):
        step.sigma = step.epsilon = 3


@those_with(HasRenyi)
def test_a_curve_has_its_shape_and_no_nan(step):
    orders = np.concatenate((ORDERS, [1e6]))
    bounds = step.renyi(orders)
    assert bounds.shape == orders.shape and bounds.dtype == np.float64
    assert np.all(bounds >= 0)
    assert step.renyi(orders[:1]).shape == (1,)
    finite = bounds[np.isfinite(bounds)]
    assert np.all(np.diff(finite) >= -ROUNDING * finite[1:]), "a divergence rises with its order"
    if isinstance(step, HasPure):
        assert np.all(bounds <= step.pure_epsilon())
    for order in (1.0, 0.5, math.nan):
        with pytest.raises(InputError, match="allowed"):
            step.renyi(np.array([2.0, order]))


@those_with(HasLaws)
def test_no_bound_is_below_the_laws(step):
    for pair in (direction for given in step.laws() for direction in (given, given.swap())):
        if isinstance(step, HasRenyi):
            for order in (1.5, 2.0, 8.0):
                exact = pair.renyi(order)
                assert step.renyi(np.array([order]))[0] * (1 + 1e-12) >= exact.lower
        if isinstance(step, HasPure):
            assert pair.delta(step.pure_epsilon()).lower <= 0
        if isinstance(step, HasApprox):
            epsilon, delta = step.approx()
            assert pair.delta(epsilon).lower <= delta
        if isinstance(step, HasMu):
            assert pair.mu().value == pytest.approx(step.mu(), rel=1e-12) if hasattr(pair, "mu") else True
