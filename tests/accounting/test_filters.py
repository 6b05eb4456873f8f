"""Filters and odometers against every transcript of small adaptive runs: trees of randomised responses, enumerated.

A strategy picks the next mechanism from the outputs so far (and from nothing else); P and Q are the laws of the whole
transcript under the two neighbours, exact up to double rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting.filters import AdpSgdBudget, ApproxFilter, RenyiFilter, RenyiOdometer
from dpverify.accounting.steps.guarantees import tight_curve
from dpverify.core.errors import InputError

ORDERS = np.array([1.5, 2.0, 4.0, 16.0])
MENU = (0.15, 0.4, 0.9, 1.5)  # epsilons of the randomised responses on offer
DEPTH = 6
ROUNDING = 1e-9
strategies = st.lists(st.integers(0, len(MENU) - 1), min_size=2**DEPTH, max_size=2**DEPTH)
budgets = st.lists(st.floats(0.05, 3), min_size=len(ORDERS), max_size=len(ORDERS))


@dataclass
class Leaf:
    """A transcript's probabilities, and the largest loss minus running bound on the way."""

    p: float
    q: float
    overshoot: float


def leaves(meter, choose, admit, read=None):
    """Every transcript: at each history the strategy's mechanism runs if the meter admits it, else the run ends."""
    found = []

    def walk(meter, history, p, q, overshoot):
        if read is not None:
            overshoot = max(overshoot, math.log(p / q) - read(meter))
        epsilon = choose(history)
        if len(history) == DEPTH or not admit(meter, epsilon):
            found.append(Leaf(p=p, q=q, overshoot=overshoot))
            return
        after, share = cost(meter, epsilon), 1 / (1 + math.exp(epsilon))
        for bit in (0, 1):
            walk(
                after,
                (*history, bit),
                p * (1 - share if bit else share),
                q * (share if bit else 1 - share),
                overshoot,
            )

    def cost(meter, epsilon):
        return meter.spend(epsilon) if isinstance(meter, ApproxFilter) else meter.spend(tight_curve(epsilon, ORDERS))

    walk(meter, (), 1.0, 1.0, -math.inf)
    assert math.fsum(leaf.p for leaf in found) == pytest.approx(1)
    return found


def chosen_by(table):
    return lambda history: MENU[table[int("1" + "".join(map(str, history)), 2) % len(table)]]


def admitted(meter, epsilon):
    return meter.fits(tight_curve(epsilon, ORDERS))


def renyi(found, order):
    return math.log(math.fsum(leaf.p**order * leaf.q ** (1 - order) for leaf in found)) / (order - 1)


def hockey_stick(found, epsilon):
    return math.fsum(max(0.0, leaf.p - math.exp(epsilon) * leaf.q) for leaf in found)


@given(strategies, budgets)
@settings(max_examples=40, deadline=None)
def test_every_order_stays_within_its_budget(table, limits):
    start = RenyiFilter(orders=ORDERS, budgets=limits)
    found = leaves(start, chosen_by(table), admitted)
    for order, limit in zip(ORDERS, limits, strict=True):
        assert renyi(found, order) <= limit * (1 + ROUNDING) + 1e-12
    for epsilon in (0.0, 0.3, 1.0, 3.0):
        assert hockey_stick(found, epsilon) <= start.delta(epsilon) + 1e-12


@given(strategies, budgets)
@settings(max_examples=40, deadline=None)
def test_some_order_within_its_budget_gives_the_summed_delta(table, limits):
    start = RenyiFilter(orders=ORDERS, budgets=limits, policy="some")
    found = leaves(start, chosen_by(table), admitted)
    for epsilon in (0.0, 0.3, 1.0, 3.0, 5.0):
        assert hockey_stick(found, epsilon) <= start.delta(epsilon) + 1e-12


def test_with_some_the_deltas_of_all_orders_add_up():
    """sum of e^((alpha - 1) (0.3 - 1)) = 1.324 says nothing; the largest alone would be 0.705."""
    start = RenyiFilter(orders=ORDERS, budgets=np.full(4, 0.3), policy="some")
    for epsilon in (1.0, 2.0, 5.0):
        total = math.fsum(math.exp((order - 1) * (0.3 - epsilon)) for order in ORDERS)
        assert min(total, 1.0) <= start.delta(epsilon) <= min(total * (1 + 1e-6), 1.0)


def test_with_some_no_single_order_is_bounded():
    """Why the summed delta: a strategy that spends where nothing is left at one order and much at another."""
    limits = [0.05, 0.05, 0.05, 3.0]
    found = leaves(RenyiFilter(orders=ORDERS, budgets=limits, policy="some"), lambda history: 0.9, admitted)
    assert renyi(found, 2.0) > 1 > limits[1]


@given(strategies, st.sampled_from([0.01, 0.1, 0.3]))
@settings(max_examples=40, deadline=None)
def test_the_odometer_holds_at_all_times(table, delta):
    found = leaves(
        RenyiOdometer(orders=ORDERS), chosen_by(table), lambda meter, epsilon: True, lambda meter: meter.epsilon(delta)
    )
    assert math.fsum(leaf.p for leaf in found if leaf.overshoot > 1e-12) <= delta


def test_the_odometer_would_notice():
    """The same without the price of certainty fails: half of all runs lose more than the order-2 sum."""
    bold = leaves(
        RenyiOdometer(orders=ORDERS), lambda history: 0.15, lambda meter, epsilon: True, lambda meter: meter.spent[1]
    )
    assert math.fsum(leaf.p for leaf in bold if leaf.overshoot > 1e-12) > 0.3


@given(strategies, st.floats(0.2, 4), st.sampled_from([1e-3, 0.05, 0.3]))
@settings(max_examples=40, deadline=None)
def test_the_approximate_filter_keeps_its_promise(table, target, delta):
    start = ApproxFilter(epsilon=target, slack_delta=delta)
    found = leaves(start, chosen_by(table), lambda meter, epsilon: meter.fits(epsilon))
    assert hockey_stick(found, target) <= delta + 1e-12


def test_the_approximate_filter_counts_deltas():
    """(epsilon, delta)-randomised response: the record is caught with probability delta, else answered."""
    epsilon, each, delta, target = 0.3, 0.02, 0.05, 3.0
    filtered, runs = ApproxFilter(epsilon=target, slack_delta=delta, delta=0.05), 0
    while filtered.fits(epsilon, each):
        filtered, runs = filtered.spend(epsilon, each), runs + 1
    assert runs == 2  # by the deltas: 0.06 > 0.05
    likely = (1 - each) / (1 + math.exp(-epsilon))
    one = [(each, 0.0), (likely, 1 - each - likely), (1 - each - likely, likely), (0.0, each)]
    pairs = [(p * r, q * s) for p, q in one for r, s in one]
    assert math.fsum(max(0.0, p - math.exp(target) * q) for p, q in pairs) <= 0.05 + delta


def test_the_odometer_pays_for_its_choice_of_order():
    odometer = RenyiOdometer(orders=ORDERS).spend([0.1, 0.2, 0.3, 0.4]).spend([0.1, 0.2, 0.3, 0.4])
    assert odometer.epsilon(1e-3) == pytest.approx(
        min(0.2 + math.log(4e3) / 0.5, 0.4 + math.log(4e3), 0.6 + math.log(4e3) / 3, 0.8 + math.log(4e3) / 15)
    )


def test_the_approximate_filter_is_advanced_composition():
    """As many equal steps pass as the formula allows."""
    target, delta, epsilon = 2.0, 1e-6, 0.05
    filtered, runs = ApproxFilter(epsilon=target, slack_delta=delta), 0
    while filtered.fits(epsilon):
        filtered, runs = filtered.spend(epsilon), runs + 1

    def bound(count):
        return math.sqrt(2 * math.log(1 / delta) * count) * epsilon + count * epsilon**2 / 2

    assert bound(runs) <= target < bound(runs + 1)
    with pytest.raises(InputError, match="what fits"):
        filtered.spend(epsilon)


@given(st.lists(st.floats(0, 1), max_size=40))
def test_rounding_never_exceeds_a_budget(costs):
    meter, exact = RenyiFilter(orders=[2.0], budgets=[3.0]), Fraction(0)
    for cost in costs:
        if meter.fits([cost]):
            meter, exact = meter.spend([cost]), exact + Fraction(cost)
    assert exact <= Fraction(float(meter.spent[0])) <= 3
    assert Fraction(float(meter.remaining()[0])) <= 3 - exact
    meter = RenyiFilter(orders=[2.0], budgets=[0.3])
    for _ in range(2):
        meter = meter.spend([0.1])
    assert not meter.fits([0.1])  # three doubles 0.1 are more than the double 0.3


def test_exact_sums_stay_exact():
    meter = RenyiFilter(orders=[2.0, 3.0], budgets=[0.75, np.inf])
    for _ in range(3):
        meter = meter.spend([0.25, 1e300])
    assert meter.spent[0] == 0.75 and not meter.fits([5e-324, 0]) and meter.fits([0, 1e308])
    assert meter.remaining().tolist() == [0.0, np.inf]


def test_a_filter_is_a_value():
    start = RenyiFilter(orders=ORDERS, budgets=np.ones(4))
    assert start.spend(np.full(4, 0.5)).fits(np.full(4, 0.5)) and start.fits(np.ones(4))
    for array in (start.orders, start.budgets, start.spent):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(InputError, match="beyond the budget"):
        start.spend([0.5, 0.5, 0.5, 1.5])
    assert RenyiFilter(orders=ORDERS, budgets=np.ones(4), policy="some").fits([0.5, 2, 2, 2])


def test_nothing_to_spend_costs_nothing():
    for policy in ("every", "some"):
        nothing = RenyiFilter(orders=ORDERS, budgets=np.zeros(4), policy=policy)
        assert nothing.fits(np.zeros(4)) and not nothing.fits(np.full(4, 5e-324))
        assert nothing.delta(0.0) == 0
    assert RenyiFilter(orders=ORDERS, budgets=np.full(4, np.inf), policy="some").delta(3.0) == 1
    odometer = RenyiOdometer(orders=ORDERS)
    assert odometer.epsilon(1e-5) == 0 and odometer.spend(np.zeros(4)).epsilon(0.0) == 0
    assert odometer.spend(np.ones(4)).epsilon(0.0) == math.inf


@pytest.mark.parametrize(
    "arguments",
    [
        {"orders": [1.0]},
        {"orders": [2.0, 2.0], "budgets": [1.0, 1.0]},
        {"orders": [], "budgets": []},
        {"budgets": [-1.0]},
        {"budgets": [math.nan]},
        {"budgets": [1.0, 1.0]},
        {"policy": "any"},
        {"spent": [-1.0]},
    ],
)
def test_bad_filters_are_refused(arguments):
    with pytest.raises(InputError, match="allowed"):
        RenyiFilter(**{"orders": [2.0], "budgets": [1.0], **arguments})


def test_bad_costs_are_refused():
    meter = RenyiFilter(orders=ORDERS, budgets=np.ones(4))
    for costs in ([1.0], np.full(4, -0.1), np.full(4, math.nan)):
        with pytest.raises(InputError, match="numbers >= 0"):
            meter.fits(costs)
    for arguments in ({"slack_delta": 0}, {"epsilon": -1}, {"delta": 1}, {"squares": math.inf}):
        with pytest.raises(InputError, match="allowed"):
            ApproxFilter(**{"epsilon": 1.0, "slack_delta": 1e-5, **arguments})
    for step in ((-1, 0), (math.inf, 0), (0.1, 1), (0.1, -0.1)):
        with pytest.raises(InputError, match="allowed"):
            ApproxFilter(epsilon=1, slack_delta=1e-5).fits(*step)


PAPER = {"delta": 1e-5, "n": 50000, "steps": 11700}


@pytest.mark.parametrize(
    ("epsilon_bar", "multiplier"), [(0.8, 8.50), (1.2, 5.66), (1.6, 4.25), (3.2, 2.12), (6.4, 1.06)]
)
def test_the_papers_noise_multipliers(epsilon_bar, multiplier):
    """ADPSGD footnote 3: 256 sigma / C_G at epsilon = 16 epsilon_bar."""
    budget = AdpSgdBudget(epsilon=16 * epsilon_bar, gradient_bound=2.5, **PAPER)
    assert budget.noise_multiplier(256) == pytest.approx(multiplier, abs=0.005)


def test_equation_6_letter_by_letter():
    alphas = [0.5, 2.0, 3.0]
    budget = AdpSgdBudget(epsilon=0.7, delta=1e-3, n=40, steps=3, gradient_bound=1.5)
    b = math.log(16 * 3 / (40 * 1e-3)) * math.log(1.25 / 1e-3)
    squared = (16 * 1.5) ** 2 * b / (40**2 * 0.7**2) * sum(1 / alpha**2 for alpha in alphas)
    assert budget.b_delta() == pytest.approx(b)
    assert budget.sigma(alphas) ** 2 == pytest.approx(squared)
    assert budget.sigma() == pytest.approx(budget.sigma([1.0] * 3))
    assert budget.sigma(iter([2.0] * 3)) == pytest.approx(budget.sigma() / 2)


@pytest.mark.parametrize(
    "numbers",
    [
        {"epsilon": 0},
        {"epsilon": math.inf},
        {"delta": 0},
        {"delta": 1},
        {"n": 0},
        {"n": 2.5},
        {"steps": True},
        {"gradient_bound": -1},
        {"n": 10**12, "delta": 0.5},
    ],
)
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        AdpSgdBudget(**{"epsilon": 1, **PAPER, **numbers})


def test_alphas_are_checked():
    budget = AdpSgdBudget(epsilon=1, delta=1e-5, n=100, steps=3)
    for alphas in ([1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, math.inf], [1.0, -1.0, 1.0]):
        with pytest.raises(InputError, match="3 finite numbers"):
            budget.sigma(alphas)
    with pytest.raises(InputError, match="batch"):
        budget.noise_multiplier(0)
