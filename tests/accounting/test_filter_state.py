"""A restored filter answers the same bits; states that no run reaches are refused, each in one line."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting import filter_state
from dpverify.accounting.filter_state import restored, saved
from dpverify.accounting.filters import ApproxFilter, RenyiFilter, RenyiOdometer
from dpverify.core.errors import InputError

ORDERS = np.array([1.5, 2.0, 8.0])
COSTS = st.lists(st.floats(0, 0.3), min_size=3, max_size=3)


@given(st.lists(COSTS, max_size=5), COSTS, st.sampled_from(["every", "some"]))
def test_a_restored_filter_answers_the_same_bits(spent, more, policy):
    meter = RenyiFilter(orders=ORDERS, budgets=np.array([1.0, math.inf, 2.0]), policy=policy)
    odometer = RenyiOdometer(orders=ORDERS)
    for costs in spent:
        meter, odometer = meter.spend(costs) if meter.fits(costs) else meter, odometer.spend(costs)
    again, other = restored(saved(meter)), restored(saved(odometer))
    assert isinstance(again, RenyiFilter) and isinstance(other, RenyiOdometer)
    assert again.spent.tobytes() == meter.spent.tobytes() and again.budgets.tobytes() == meter.budgets.tobytes()
    assert again.policy == policy and again.fits(more) == meter.fits(more) and again.delta(1.0) == meter.delta(1.0)
    assert other.spend(more).epsilon(1e-5) == odometer.spend(more).epsilon(1e-5)
    assert saved(again) == saved(meter)


@given(st.lists(st.floats(0, 0.2), max_size=6))
def test_a_restored_approximate_filter_goes_on(epsilons):
    meter = ApproxFilter(epsilon=2.0, slack_delta=1e-6, delta=1e-5)
    for epsilon in epsilons:
        meter = meter.spend(epsilon, 1e-7) if meter.fits(epsilon, 1e-7) else meter
    assert restored(saved(meter)) == meter


def changed(meter, **state):
    """A state with other values and the digest that belongs to them."""
    content = json.loads(saved(meter))
    content["state"] |= state
    content["digest"] = filter_state._digest(content["kind"], content["state"])
    return json.dumps(content)


FILTER = RenyiFilter(orders=ORDERS, budgets=np.ones(3)).spend([0.1, 0.2, 0.3])
APPROX = ApproxFilter(epsilon=1.0, slack_delta=1e-6).spend(0.1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (changed(FILTER, spent=[-0.1, 0.2, 0.3]), "numbers >= 0"),
        (changed(FILTER, spent=[0.1, 0.2]), "one for each of the 3 orders"),
        (changed(FILTER, spent=[0.1, 0.2, 1.1]), "more spent than its budget"),
        (changed(FILTER, spent=["1", 0.2, 0.3]), "something else than numbers"),
        (changed(FILTER, spent="inf"), "wrong values|spent"),
        (changed(FILTER, orders=[0.5, 2, 8]), "order"),
        (changed(FILTER, policy="any"), "policy"),
        (changed(APPROX, squares=-1), "squares = -1"),
        (changed(APPROX, squares=9.0), "more spent"),
        (changed(APPROX, deltas=0.1), "more spent"),
        (changed(APPROX, epsilon="inf"), "epsilon = 'inf'"),
        (changed(APPROX, extra=1), "without its fields"),
        (saved(FILTER).replace("0.3]", "0.2]"), "its digest is another one"),
        (saved(FILTER).replace('"version": 1', '"version": 2'), "version 2"),
        (saved(FILTER).replace('"RenyiFilter"', '"Filter"'), "a state of 'Filter'"),
        (saved(FILTER)[:-9], "cannot be read"),
        (saved(FILTER).replace("0.3]", "NaN]"), "NaN is no number"),
        ("[]", "no state of a filter"),
        ("{}", "no state of a filter"),
        ("[" * 5000, "nested"),
        (" " * 1_000_001, "at most 1000000"),
    ],
)
def test_what_no_run_reaches_is_refused_in_one_line(text, told):
    with pytest.raises(InputError, match=told) as problem:
        restored(text)
    assert "\n" not in str(problem.value)
