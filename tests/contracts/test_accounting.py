"""What every step and every accountant must keep. Both come from the registry: a new one is tested by being added.

The oracle takes seconds for a composition: it is examined on `FEW` of them, and by ``make test-all`` only, but for two.
"""

from __future__ import annotations

import copy
import functools
import math
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpverify.accounting.steps.approx import ApproxStep
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.laplace import LaplaceStep
from dpverify.accounting.steps.no_op import NoOpStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.pure import PureStep
from dpverify.core.composition import (
    Accountant,
    Composed,
    Composition,
    HasApprox,
    HasLaws,
    HasMu,
    HasPure,
    HasRenyi,
    Part,
    Step,
)
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry

ACCOUNTANTS: dict[str, Any] = dict(registry().accountants.items())
FACTORIES: dict[str, Any] = dict(registry().steps.items())
STEPS: list[Any] = [step for factory in FACTORIES.values() for step in getattr(factory, "examples", tuple)()]

ROUNDING = 1e-9  # what two ways of adding the same costs up may differ by, relatively
ROUND_TRIP = 1e-6  # epsilon(delta(epsilon)) against epsilon, relatively: every bracket's slack is far below
ABSOLUTE = 1e-9  # the same where epsilon itself is near 0
DELTAS = (0.0, 1e-9, 1e-5, 0.01, 0.4)
EPSILONS = (0.0, 0.05, 1.0, 4.0, 30.0)
ORDERS = np.array([1.001, 1.5, 2.0, 3.7, 32.0, 512.0])

SLOW = {"pld", "pld-dp-accounting"}
steps = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.text())
accountants = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in ACCOUNTANTS]
)


def compositions() -> list[Composition]:
    """Each example alone, and some with another one, run a few times."""
    found = [Composition.of(step) for step in STEPS]
    for number, step in enumerate(STEPS):
        other = STEPS[(3 * number + 5) % len(STEPS)]
        if len({step.relation, other.relation} - {"any"}) < 2:
            found.append(Composition(parts=(Part(step=step, count=2), Part(step=other, count=3))))
    return found


COMPOSITIONS = compositions()
FEW = COMPOSITIONS[::5]
JUDGED = {"gaussian(sigma=8.5, sensitivity=1)", "poisson-gaussian(q=0.00512, sigma=1)"}


@functools.cache
def cost(name: str, composition: Composition) -> Composed | None:
    """The cost by one accountant; None when it refuses."""
    accountant = ACCOUNTANTS[name]
    return accountant.compose(composition) if accountant.refuses(composition) is None else None


def candidates(name: str) -> list[Composition]:
    return FEW if name in SLOW else COMPOSITIONS


def admitted(name: str) -> list[tuple[Composition, Composed]]:
    """What the accountant does not refuse, and its cost."""
    found = [(composition, cost(name, composition)) for composition in candidates(name)]
    return [(composition, composed) for composition, composed in found if composed is not None]


def shown(composition: Composition) -> str:
    return " + ".join(f"{part.count} x {part.step.text()}" for part in composition) or "nothing"


def raised(value: float) -> float:
    return value * (1 + ROUND_TRIP) + ABSOLUTE


@pytest.mark.parametrize("name", FACTORIES)
def test_every_step_gives_examples_of_itself(name):
    examples = FACTORIES[name].examples()
    assert examples
    for step in examples:
        assert isinstance(step, Step)
        assert step.text().startswith(f"{name}(")


@steps
def test_a_step_is_a_value(step):
    assert step == copy.deepcopy(step) == pickle.loads(pickle.dumps(step))  # noqa: S301
    assert hash(step) == hash(copy.deepcopy(step))
    assert Composition.of(step, copy.deepcopy(step)).parts == (Part(step=step, count=2),)
    with pytest.raises((AttributeError, TypeError)):
        step.sigma = step.epsilon = 3


@steps
def test_a_curve_has_its_shape_and_no_nan(step):
    if not isinstance(step, HasRenyi):
        pytest.skip("no curve")
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


@steps
def test_no_bound_is_below_the_laws(step):
    if not isinstance(step, HasLaws):
        pytest.skip("no laws")
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


@accountants
def test_an_accountant_says_who_it_is(name):
    accountant = ACCOUNTANTS[name]
    assert isinstance(accountant, Accountant)
    assert accountant.name == name
    assert accountant.version and accountant.source
    assert accountant.side in ("upper", "lower", "bracket", "printed")


@accountants
def test_nothing_costs_nothing(name):
    for nothing in (Composition(), Composition.repeat(NoOpStep(), 7)):
        composed = cost(name, nothing)
        assert composed is not None, ACCOUNTANTS[name].refuses(nothing)
        for delta in DELTAS:
            assert composed.epsilon(delta).upper == 0
        for epsilon in EPSILONS:
            assert composed.delta(epsilon).upper == 0


@accountants
def test_doing_nothing_besides_changes_nothing(name):
    for composition, composed in admitted(name):
        more = cost(name, composition.then(Composition.repeat(NoOpStep(), 5)))
        assert more is not None
        for delta in DELTAS[1:4]:
            assert more.epsilon(delta).upper == pytest.approx(composed.epsilon(delta).upper, rel=ROUNDING), shown(
                composition
            )


@accountants
def test_an_accountant_is_of_use_for_some_step(name):
    assert any(composition.parts[0].step != NoOpStep() for composition, _ in admitted(name))


@accountants
def test_a_refusal_is_one_line_and_an_error(name):
    accountant = ACCOUNTANTS[name]
    for composition in COMPOSITIONS:
        reason = accountant.refuses(composition)
        if reason is not None:
            assert reason and "\n" not in reason
            with pytest.raises(InputError):
                accountant.compose(composition)


@accountants
def test_bad_deltas_and_epsilons_are_refused(name):
    composed = cost(name, Composition())
    for delta in (-0.1, 1, 1.5, math.nan, math.inf, "1e-5", True):
        with pytest.raises(InputError, match="allowed: 0 <= delta < 1"):
            composed.epsilon(delta)
    for epsilon in (-1e-9, math.inf, math.nan, "1", False):
        with pytest.raises(InputError, match="epsilon"):
            composed.delta(epsilon)


@accountants
def test_epsilon_and_delta_are_decreasing_curves_in_range(name):
    for composition, composed in admitted(name):
        brackets = [composed.epsilon(delta) for delta in DELTAS]
        for bracket in brackets:
            assert 0 <= bracket.lower <= bracket.upper, shown(composition)
            assert math.isfinite(bracket.upper) or bracket.note, f"infinite without a reason: {shown(composition)}"
        for before, after in pairwise(brackets):
            assert after.upper <= raised(before.upper), shown(composition)
        brackets = [composed.delta(epsilon) for epsilon in EPSILONS]
        for bracket in brackets:
            assert 0 <= bracket.lower <= bracket.upper <= 1, shown(composition)
        for before, after in pairwise(brackets):
            assert after.upper <= raised(before.upper), shown(composition)


@accountants
def test_epsilon_and_delta_invert_each_other(name):
    """Upper bounds to `ROUND_TRIP`; brackets, whose ends may differ by a grid, as far as both ends say."""
    exact = ACCOUNTANTS[name].side != "bracket"
    for composition, composed in admitted(name):
        for delta in DELTAS[1:]:
            epsilon = composed.epsilon(delta)
            if math.isfinite(epsilon.upper):
                back = composed.delta(raised(epsilon.upper))
                assert (back.upper if exact else back.lower) <= delta, shown(composition)
            if ABSOLUTE < epsilon.lower < math.inf:
                assert composed.delta((epsilon.lower - ABSOLUTE) * (1 - ROUND_TRIP)).upper >= delta, shown(composition)
        for epsilon in EPSILONS:
            delta = composed.delta(epsilon)
            if 0 < delta.upper < 1:
                back = composed.epsilon(delta.upper)
                assert (back.upper if exact else back.lower) <= raised(epsilon), shown(composition)


@accountants
def test_order_and_grouping_do_not_matter(name):
    for first, second in pairwise(candidates(name)):
        try:
            forward = first.then(second).then(first)
        except InputError:
            continue  # under different relations
        backward = first.then(first.then(second))
        other = second.then(first).then(first)
        assert set(forward.parts) == set(backward.parts) == set(other.parts)
        costs = [cost(name, composition) for composition in (forward, backward, other)]
        if costs[0] is None:
            assert costs == [None] * 3
            continue
        for delta in (1e-5, 0.01):
            uppers = [composed.epsilon(delta).upper for composed in costs]
            assert uppers == pytest.approx([uppers[0]] * 3, rel=ROUNDING), shown(forward)


@accountants
def test_more_runs_never_cost_less(name):
    for step in STEPS[:: 5 if name in SLOW else 1]:
        found = [cost(name, Composition.repeat(step, count)) for count in (1, 2, 7)]
        if found[0] is None:
            continue
        for before, after in pairwise(composed for composed in found if composed is not None):
            for delta in DELTAS:
                assert before.epsilon(delta).upper <= raised(after.epsilon(delta).upper), step.text()
            for epsilon in EPSILONS:
                assert before.delta(epsilon).upper <= raised(after.delta(epsilon).upper), step.text()


@pytest.mark.parametrize(("tighter", "looser"), [("rdp", "rdp-classic"), ("rdp-classic", "moments")])
def test_tight_is_never_above_loose(tighter, looser):
    for composition, composed in admitted(looser):
        best = cost(tighter, composition)
        for delta in DELTAS:
            assert best.epsilon(delta).upper <= raised(composed.epsilon(delta).upper), shown(composition)
        for epsilon in EPSILONS:
            assert best.delta(epsilon).upper <= raised(composed.delta(epsilon).upper), shown(composition)


@pytest.mark.parametrize("composition", COMPOSITIONS, ids=shown)
def test_no_lower_end_is_above_any_upper_end(composition):
    """Accountants judge each other: the exact ones and the oracle against every bound."""
    check_sides(composition, with_slow=shown(composition) in {f"1 x {text}" for text in JUDGED})


@pytest.mark.slow
@pytest.mark.parametrize("composition", FEW, ids=shown)
def test_no_upper_end_is_below_the_oracle(composition):
    check_sides(composition, with_slow=True)


def check_sides(composition: Composition, *, with_slow: bool) -> None:
    sound = [name for name, accountant in ACCOUNTANTS.items() if accountant.side != "printed"]
    asked = [name for name in sound if with_slow or name not in SLOW]
    costs = {name: composed for name in asked if (composed := cost(name, composition)) is not None}
    for ask, arguments in (("epsilon", DELTAS), ("delta", EPSILONS)):
        for argument in arguments:
            brackets = {name: getattr(composed, ask)(argument) for name, composed in costs.items()}
            for low, lower in brackets.items():
                for high, upper in brackets.items():
                    assert lower.lower <= upper.upper, f"{low} above {high} at {ask}({argument})"


EXTREME = [
    Composition(parts=(Part(step=step, count=count),))
    for step in (
        *(GaussianStep(sigma=sigma) for sigma in (1e-150, 1e-6, 1.0, 1e150)),
        *(LaplaceStep(scale=scale) for scale in (1e-300, 1e-6, 1e150)),
        PureStep(epsilon=5.0),
        ApproxStep(epsilon=0.5, delta=1e-300),
        PoissonGaussianStep(q=0.01, sigma=1e-6),
    )
    for count in (10, 10**12)
] + [Composition(parts=(Part(step=GaussianStep(sigma=1.0), count=10**12), Part(step=LaplaceStep(scale=1e-300))))]
MANY = [Composition.repeat(step, 10**12) for step in STEPS]


@accountants
def test_extremes_are_answered_or_refused_in_one_line(name):
    """Overflow is +inf with the reason, or a refusal: no other exception and, as pytest has it here, no warning."""
    for composition in EXTREME if name in SLOW else EXTREME + MANY:
        composed = cost(name, composition)
        if composed is None:
            assert "\n" not in str(ACCOUNTANTS[name].refuses(composition))
            continue
        found = [composed.epsilon(delta) for delta in (0.0, 1e-300, 1 - 1e-9)]
        found += [composed.delta(epsilon) for epsilon in (0.0, 1e308)]
        for bracket in found:
            assert math.isfinite(bracket.upper) or bracket.note, shown(composition)


@pytest.mark.parametrize(
    "composition",
    [
        Composition.repeat(GaussianStep(sigma=1e-150), 10),
        Composition.repeat(PureStep(epsilon=5.0), 10**12),
        EXTREME[-1],
    ],
    ids=shown,
)
def test_the_oracle_says_why_it_has_no_number(composition):
    found = cost("pld", composition)
    assert found is not None
    bracket = found.epsilon(1e-5)
    assert math.isfinite(bracket.upper) or (bracket.lower == 0 and "doubles" in bracket.note)
    assert found.delta(1.0).upper <= 1
