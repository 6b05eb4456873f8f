"""The contract of an accountant: its numbers are never on the wrong side, and rise with what is composed.

>>> from dpverify.testing import AccountantContract, check_accountant
>>> import dpverify as dpv
>>> check_accountant(dpv.registry().accountants.get("rdp"))

It is asked about the examples of all registered steps, alone and composed, and about compositions whose exact
delta(epsilon) is a closed form, which no accountant may be below: Gaussian noise composes to one Gaussian (Dong, Roth
and Su 2019, Corollary 3.3; Balle and Wang 2018, Theorem 8); Laplace noise once; k randomised responses of one bit by
the binomial distribution (Kairouz, Oh and Viswanath 2015, Theorem 3.3). An accountant whose side is ``printed`` is not
held to a side. Limits: finitely many compositions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from scipy import special, stats

from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import NoOpStep, RandomisedResponseStep
from dpverify.core.composition import Accountant, Bracket, Composed, Composition
from dpverify.core.errors import InputError
from dpverify.testing.contracts.accountant_case import AccountantCase, lowered, raised, shown
from dpverify.testing.contracts.rules import Rule, as_tests, check

SIDES = ("upper", "lower", "bracket", "printed")

EXACTNESS = 1e-9
"""Of the closed forms, relatively; 1e-15 absolutely."""

INVERTIBLE = 1 - 1e-6
"""Above it a delta has too few digits left of 1 - delta to say which epsilon it belongs to."""

BAD_DELTAS: tuple[Any, ...] = (-0.1, 1, 1.5, math.nan, math.inf, "1e-5", True)
BAD_EPSILONS: tuple[Any, ...] = (-1e-9, math.inf, math.nan, "1", False)


def says_who_it_is(case: AccountantCase) -> str:
    """It has a name, a version, the source of its theorem, and a side."""
    accountant: Any = case.accountant
    if not isinstance(accountant, Accountant):
        needed = ("name", "version", "source", "side", "refuses", "compose")
        return (
            f"{case.name} is no Accountant: it lacks {', '.join(one for one in needed if not hasattr(accountant, one))}"
        )
    empty = [name for name in ("name", "version", "source") if not getattr(accountant, name)]
    if empty:
        return f"{case.name} has an empty {empty[0]}"
    return (
        "" if accountant.side in SIDES else f"{case.name} has the side {accountant.side!r}; allowed: {', '.join(SIDES)}"
    )


def is_of_use_for_some_step(case: AccountantCase) -> str:
    """It does not refuse everything but doing nothing."""
    if any(composition.parts[0].step != NoOpStep() for composition, _ in case.admitted()):
        return ""
    return f"{case.name} refuses every one of {len(case.compositions)} compositions: pass some that it accounts for"


def refuses_in_one_line(case: AccountantCase) -> str:
    """A refusal is one line; composing what is refused is an InputError."""
    for composition in case.compositions:
        reason = case.accountant.refuses(composition)
        if reason is None:
            continue
        if not reason or "\n" in reason:
            return f"{case.name} refuses {shown(composition)} with {reason!r}: one line that says why is needed"
        wrong = _refused(lambda composition=composition: case.accountant.compose(composition))  # type: ignore[misc]
        if wrong:
            return f"{case.name} refuses {shown(composition)}, and {wrong} when it is composed all the same"
    return ""


def refuses_bad_numbers(case: AccountantCase) -> str:
    """A delta outside [0, 1) and an epsilon that is negative, infinite or no number are InputErrors of one line."""
    composed = case.cost(Composition())
    if composed is None:
        return f"{case.name} refuses the composition of nothing: it costs nothing"
    asked: list[tuple[str, Callable[[Any], Bracket], tuple[Any, ...]]] = [
        ("delta", composed.epsilon, BAD_DELTAS),
        ("epsilon", composed.delta, BAD_EPSILONS),
    ]
    for name, ask, values in asked:
        for value in values:
            wrong = _refused(lambda ask=ask, value=value: ask(value))  # type: ignore[misc]
            if wrong:
                return f"{case.name} {wrong} at {name} = {value!r}: raise InputError in one line"
    return ""


def nothing_costs_nothing(case: AccountantCase) -> str:
    """No steps, and steps that do nothing, cost 0; beside others they change nothing."""
    for nothing in (Composition(), Composition.repeat(NoOpStep(), 7)):
        composed = case.cost(nothing)
        if composed is None:
            return f"{case.name} refuses {shown(nothing)}: it costs nothing"
        costs = [composed.epsilon(delta) for delta in case.deltas] + [composed.delta(each) for each in case.epsilons]
        if any(cost.upper != 0 for cost in costs):
            return f"{case.name} charges {max(cost.upper for cost in costs):g} for {shown(nothing)}"
    for composition, composed in case.admitted():
        more = case.cost(composition.then(Composition.repeat(NoOpStep(), 5)))
        for delta in case.deltas[1:4]:
            one, other = composed.epsilon(delta).upper, math.nan if more is None else more.epsilon(delta).upper
            if not _near(one, other, case.rounding):
                return f"{case.name} charges {other:g} for {shown(composition)} and 5 steps of nothing, {one:g} without"
    return ""


def order_and_grouping_do_not_matter(case: AccountantCase) -> str:
    """The same steps in another order cost the same."""
    for first, second in pairwise(case.compositions):
        try:
            orders = [first.then(second).then(first), first.then(first.then(second)), second.then(first).then(first)]
        except InputError:
            continue  # under different relations
        costs = [case.cost(each) for each in orders]
        if any((cost is None) != (costs[0] is None) for cost in costs):
            return f"{case.name} refuses {shown(orders[0])} in some orders only"
        for delta in (1e-5, 0.01):
            uppers = [cost.epsilon(delta).upper for cost in costs if cost is not None]
            if not all(_near(uppers[0], upper, case.rounding) for upper in uppers):
                return f"{case.name} charges {min(uppers):g} to {max(uppers):g} for orders of {shown(orders[0])}"
    return ""


def curves_fall_and_stay_in_range(case: AccountantCase) -> str:
    """epsilon falls with delta, delta with epsilon; 0 <= lower <= upper, delta <= 1; what is infinite says why."""
    for composition, composed in case.admitted():
        epsilons = [composed.epsilon(delta) for delta in case.deltas]
        deltas = [composed.delta(epsilon) for epsilon in case.epsilons]
        if any(not 0 <= each.lower <= each.upper for each in (*epsilons, *deltas)) or any(d.upper > 1 for d in deltas):
            return f"{case.name} is out of range on {shown(composition)}: 0 <= lower <= upper, and delta <= 1"
        if any(math.isinf(each.upper) and not each.note for each in epsilons):
            return f"{case.name} is infinite on {shown(composition)} and its note does not say why"
        for curve in (epsilons, deltas):
            if any(after.upper > raised(before.upper) for before, after in pairwise(curve)):
                return f"{case.name} has a curve that rises on {shown(composition)}"
    return ""


def curves_invert_each_other(case: AccountantCase) -> str:
    """delta(epsilon(delta)) is delta: to a relative 1e-6, or as far as both ends of a bracket say."""
    exact = case.accountant.side != "bracket"
    for composition, composed in case.admitted():
        told = f"{case.name}: epsilon(delta) and delta(epsilon) contradict each other on {shown(composition)}"
        for delta in case.deltas[1:]:
            epsilon = composed.epsilon(delta)
            if math.isfinite(epsilon.upper):
                back = composed.delta(raised(epsilon.upper))
                if (back.upper if exact else back.lower) > delta:
                    return told
            if 0 < lowered(epsilon.lower) < math.inf and composed.delta(lowered(epsilon.lower)).upper < delta:
                return told
        for value in case.epsilons:
            found = composed.delta(value)
            if 0 < found.upper < INVERTIBLE:
                again = composed.epsilon(found.upper)
                if (again.upper if exact else again.lower) > raised(value):
                    return told
    return ""


def more_runs_never_cost_less(case: AccountantCase) -> str:
    """Runs of a step cost more, the more there are: 1, 2 and 7."""
    return _rising(case, ([Composition.repeat(step, count) for count in (1, 2, 7)] for step in case.steps))


def more_noise_never_costs_more(case: AccountantCase) -> str:
    """Gaussian and Laplace noise and randomised response cost no more when there is more noise."""
    return _rising(case, (each[::-1] for each in more_and_more_noise()))


def is_never_on_the_wrong_side_of_exact_losses(case: AccountantCase) -> str:
    """Upper ends are not below the closed forms of Gaussian, Laplace, randomised response; lower ends not above."""
    if case.accountant.side == "printed":
        return ""
    for composition, profile in closed_forms():
        composed = case.cost(composition)
        for epsilon in case.epsilons if composed is not None else ():
            assert composed is not None
            found, exact = composed.delta(epsilon), profile(epsilon)
            if found.upper < exact * (1 - EXACTNESS) - 1e-15 or found.lower > exact * (1 + EXACTNESS) + 1e-15:
                return (
                    f"{case.name} brackets delta({epsilon:g}) of {shown(composition)} by {found.lower:.6g} and "
                    f"{found.upper:.6g}; it is {exact:.6g}"
                )
            if 0 < exact < 1:
                back = composed.epsilon(exact)
                if back.upper < lowered(epsilon) or back.lower > raised(epsilon):
                    return (
                        f"{case.name} brackets epsilon({exact:.6g}) of {shown(composition)} by {back.lower:.6g} and "
                        f"{back.upper:.6g}; it is {epsilon:g}"
                    )
    return ""


def _rising(case: AccountantCase, sequences: Any) -> str:
    """The line where a later composition of some sequence costs less than an earlier one, or must by its bracket."""
    end = "lower" if case.accountant.side == "bracket" else "upper"
    for sequence in sequences:
        costs: list[Composed] = [cost for each in sequence if (cost := case.cost(each)) is not None]
        for (before, after), composition in zip(pairwise(costs), sequence, strict=False):
            curves = [(before.epsilon(delta), after.epsilon(delta).upper) for delta in case.deltas]
            curves += [(before.delta(epsilon), after.delta(epsilon).upper) for epsilon in case.epsilons]
            for one, other in ((getattr(bracket, end), upper) for bracket, upper in curves):
                if one > raised(other):
                    more = f"{other:g} for more runs or less noise"
                    return f"{case.name} charges {one:g} for {shown(composition)}, and {more}"
    return ""


def _refused(ask: Callable[[], Any]) -> str:
    """Empty where it raises an InputError of one line; else what it does instead."""
    try:
        ask()
    except InputError as problem:
        return "raises an InputError of several lines" if "\n" in str(problem) else ""
    except Exception as problem:  # noqa: BLE001 - an author's code may raise anything
        return f"raises {type(problem).__name__}"
    return "returns a number"


def _near(one: float, other: float, rounding: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=rounding)


RULES: tuple[Rule[AccountantCase], ...] = (
    says_who_it_is,
    refuses_in_one_line,
    is_of_use_for_some_step,
    refuses_bad_numbers,
    nothing_costs_nothing,
    order_and_grouping_do_not_matter,
    curves_fall_and_stay_in_range,
    curves_invert_each_other,
    more_runs_never_cost_less,
    more_noise_never_costs_more,
    is_never_on_the_wrong_side_of_exact_losses,
)


def check_accountant(accountant: Accountant, *, compositions: Sequence[Composition] | None = None) -> None:
    """Check that an accountant keeps the contract.

    Parameters
    ----------
    accountant : Accountant
        Any.
    compositions : sequence of Composition or None
        What it is asked about beside the closed forms; None for the examples of all registered steps.

    Raises
    ------
    AssertionError
        One line: the first rule that is broken.
    """
    check(RULES, AccountantCase(accountant, compositions))


@as_tests(RULES)
class AccountantContract:
    """Tests to inherit: one for each rule.

    Attributes
    ----------
    accountant : Accountant
        The one to check.
    compositions : sequence of Composition or None
        As for `check_accountant`.
    """

    accountant: Any = None
    compositions: Sequence[Composition] | None = None

    def case(self) -> AccountantCase:
        """The case that the rules look at."""
        if self.accountant is None:
            raise AssertionError(f"{type(self).__name__} lacks an accountant: set accountant = ...")
        return AccountantCase(self.accountant, self.compositions)


Profile = Callable[[float], float]
"""delta(epsilon), exact up to rounding."""


def gaussian_profile(mu: float) -> Profile:
    """Return the profile of N(mu, 1) against N(0, 1)."""

    def delta(epsilon: float) -> float:
        far = special.log_ndtr(-epsilon / mu - mu / 2)
        return float(special.ndtr(-epsilon / mu + mu / 2) - math.exp(min(epsilon + far, 0.0)))

    return delta


def laplace_profile(shift: float) -> Profile:
    """Return the profile of Laplace noise of scale 1 around `shift` against around 0."""
    return lambda epsilon: -math.expm1(min((epsilon - shift) / 2, 0.0))


def response_profile(epsilon_each: float, count: int) -> Profile:
    """Return the profile of `count` randomised responses of one bit."""
    truth = 1 / (1 + math.exp(-epsilon_each))
    told = [stats.binom.pmf(number, count, truth) for number in range(count + 1)]

    def delta(epsilon: float) -> float:
        pairs = zip(told, reversed(told), strict=True)
        return math.fsum(max(0.0, ours - math.exp(epsilon) * theirs) for ours, theirs in pairs)

    return delta


def closed_forms() -> Iterator[tuple[Composition, Profile]]:
    """Compositions, and their exact profiles."""
    for sigma, count in ((1.0, 1), (2.0, 1), (5.0, 30), (0.5, 2)):
        yield Composition.repeat(GaussianStep(sigma=sigma), count), gaussian_profile(math.sqrt(count) / sigma)
    for scale in (0.5, 1.0, 4.0):
        yield Composition.of(LaplaceStep(scale=scale)), laplace_profile(1 / scale)
    for epsilon, count in ((1.0, 1), (0.5, 4), (0.1, 50)):
        yield Composition.repeat(RandomisedResponseStep(epsilon=epsilon), count), response_profile(epsilon, count)


def more_and_more_noise() -> Iterator[list[Composition]]:
    """The same steps with more noise each time."""
    yield [Composition.repeat(GaussianStep(sigma=sigma), 3) for sigma in (0.5, 1.0, 1.5, 4.0)]
    yield [Composition.repeat(LaplaceStep(scale=scale), 3) for scale in (0.5, 1.0, 1.5, 4.0)]
    yield [Composition.repeat(RandomisedResponseStep(epsilon=epsilon), 3) for epsilon in (2.0, 1.0, 0.5, 0.1)]
