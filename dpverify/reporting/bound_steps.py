"""How a bound follows from what its record holds, with its numbers, so that a reader can follow it by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from scipy import special

from dpverify.core.errors import DpverifyError
from dpverify.core.record import Record
from dpverify.reporting.formatting import number, number_down
from dpverify.shown.rounded import rounded_bound
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.joint import JointRegion


def bound_steps(item: Record) -> list[str]:
    """One step a line; where the leading evidence keeps no such numbers, what the bound rests on instead."""
    if not item["evidence"]:
        return []
    told = [*_steps(item["evidence"][0])]
    return [
        *told,
        f"Bound: {item['measure']} >= {number_down(item['bound'], 6)}; claimed {number(item['claimed'], 6)}.",
    ]


def _steps(leading: Mapping[str, Any]) -> Iterator[str]:
    said, measure = leading["statistics"], leading.get("measure") or {}
    drawn = leading.get("confidence") is not None
    if (counted := counted_event(leading)) is not None:
        yield from event_steps(counted, measure)
    elif drawn and isinstance(said.get("laws"), Mapping):
        yield from runs_steps(said["laws"], measure)
    elif drawn and "chain" in said:
        yield from bets_steps(said)
    elif drawn:
        yield "It rests on draws; `dpverify recheck` computes it again from the statistics below."
    else:
        yield "It rests on exact or enclosed computation, not on draws: the command of the row computes it again."
    steps = said.get("steps")
    if drawn and isinstance(steps, list):
        levels = [f"{step['step']} {number(step['level'], 2)}" for step in steps if "level" in step]
        yield (
            f"{_of_replay(said)}This step is one of the audit's; the error of all of them was divided beforehand: "
            f"{', '.join(levels)}{_in_all(said)}."
        )


def _of_replay(said: Mapping[str, Any]) -> str:
    runs = said.get("laws") or said.get("counts")
    if said.get("step") != "replay" or not isinstance(runs, Mapping):
        return ""
    return f"A replay may look often, so each look is at {number(runs.get('alpha'))}, whatever its share. "


def _in_all(said: Mapping[str, Any]) -> str:
    whole = said.get("level")
    return f" of {number(whole, 2)} in all" if isinstance(whole, int | float) else ""


def bets_steps(said: Mapping[str, Any]) -> Iterator[str]:
    """Explain the bound of an audit by betting: the error probability, the wealth, the chain of claims."""
    alpha, pairs = float(said["alpha"]), said.get("pairs")
    yield (
        f"Against each value of a list of claims a bettor starts with wealth 1 and bets before each draw. If the value "
        f"is true, the wealth has expectation 1 at most, so it ever reaches 1 / {number(alpha)} = {1.0 / alpha:.4g} "
        f"with probability {number(alpha)} at most (Ville's inequality)."
    )
    largest = said.get("e_value_largest")
    if isinstance(largest, int | float):
        reached = "which is enough" if largest >= 1.0 / alpha else "which is not enough"
        yield f"After {pairs} pairs of draws the largest wealth against the claim itself was {largest:.4g}, {reached}."
    yield (
        "The bound is the largest value of the list up to which every wealth reached that much. The wealths follow "
        "from the blocks' counts and bets below; `dpverify recheck` computes them again."
    )


def runs_steps(laws: Mapping[str, Any], measure: Mapping[str, Any]) -> Iterator[str]:
    """`laws` has p and q of the event by the laws, n runs a side and the error probability alpha."""
    p, q, size, alpha = float(laws["p"]), float(laws["q"]), int(laws["n"]), float(laws["alpha"])
    sure = alpha ** (1.0 / size)
    yield (
        f"In {size} fresh runs a side the noise-free values were the same every time. Were their probability below u = "
        f"{number(alpha)}^(1/{size}) = {sure:.6g} on a side, so many runs in a row would have had a probability below "
        f"{number(alpha)}."
    )
    low, high = p * sure, min(q + 1.0 - sure, 1.0)
    yield (
        f"By the law of the noise, the event has probability {p:.6g} given the one side's values and {q:.6g} given "
        f"the other's: in all at least u * {p:.6g} = {low:.6g} and at most {q:.6g} + 1 - u = {high:.6g}."
    )
    kind, argument = str(measure.get("kind")), measure.get("argument")
    found = list(formulas(kind, float(argument) if isinstance(argument, int | float) else 0.0))
    best = max(found, key=lambda each: each.value(low, high), default=None)
    if best is not None and best.value(low, high) > 0.0:
        told = best.text(f"{low:.6g}", f"{high:.6g}")
        yield f"So {kind} >= {told} = {number_down(best.value(low, high), 4)}."


COUNTS = ("k1", "n1", "k2", "n2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """An event's counts on the side where it was to be more likely, and on the other."""

    k1: int
    n1: int
    k2: int
    n2: int
    level: float
    """The error probability of the region of both probabilities."""
    share: float | None
    """Of the joint region, if that gave the bound."""
    sides: tuple[str, str]
    """Names of the two sides."""


def counted_event(leading: Mapping[str, Any]) -> Counted | None:
    """The counts in an evidence's record; None where there are none of a single event."""
    said = leading["statistics"]
    counts = said.get("counts")
    if isinstance(counts, Mapping) and isinstance(counts.get("n"), int):  # of a replay: as many runs a side
        said = {**said, **counts, "n1": counts["n"], "n2": counts["n"], "region": {"kind": "joint"}}
    level = said.get("alpha_of_this_look", said.get("alpha"))
    if level is None or not all(isinstance(said.get(name), int) for name in COUNTS):
        return None
    toward = said.get("direction") or (leading.get("witness") or {}).get("direction") or ""
    first, _, second = str(toward).partition(" against ")
    region = said.get("region") or {}
    return Counted(
        **{name: said[name] for name in COUNTS},
        level=float(level),
        share=float(region.get("share", 0.5)) if region.get("kind") == "joint" else None,
        sides=(first or "the first side", second or "the other"),
    )


def event_steps(counted: Counted, measure: Mapping[str, Any]) -> Iterator[str]:
    """Explain the bound of an event: counts, limits of both probabilities, and the bound from these."""
    first, second = counted.sides
    k1, n1, k2, n2 = counted.k1, counted.n1, counted.k2, counted.n2
    yield (
        f"The event came in {k1} of {n1} fresh draws on {first} ({k1 / n1:.4g}), in {k2} of {n2} on {second} "
        f"({k2 / n2:.4g})."
    )
    p = float(clopper_pearson_lower(k1, n1, alpha=counted.level / 2.0))
    q = float(clopper_pearson_upper(k2, n2, alpha=counted.level / 2.0))
    low, high = rounded_bound(p, up=False), rounded_bound(q, up=True)
    yield (
        f"With probability 1 - {number(counted.level)} its probability is at least {low} on {first}, and at most "
        f"{high} on {second}: Clopper-Pearson limits, half of the error for each."
    )
    name, kind = str(measure.get("kind") or ""), list(formulas(str(measure.get("kind")), _argument(measure)))
    best = max(kind, key=lambda each: each.value(p, q), default=None)
    if best is not None and best.value(p, q) > 0.0:
        found = number_down(best.value(p, q), 6)
        yield f"From these limits alone: {name} >= {best.text(low, high)} = {found}."
    if counted.share is not None:
        yield from _joint(counted, name, kind)


def _joint(counted: Counted, name: str, kind: list[Formula]) -> Iterator[str]:
    """The corner of the joint region at which the bound is least, with the two tails that one can look up."""
    share = counted.share or 0.5
    k1, n1, k2, n2 = counted.k1, counted.n1, counted.k2, counted.n2
    try:
        region = JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=counted.level, share=share)
    except DpverifyError:
        return
    corners = [(float(p), float(q)) for p, q in zip(*region.corners(), strict=True)]
    told = (
        "Sharper, since both limits are hardly ever wrong at once: the bound is the least value over all pairs (p, q) "
        "whose counts are together not too improbable, at the same error"
    )
    least = [(min((each.value(p, q), p, q) for p, q in corners), each) for each in kind]
    (bound, p, q), best = max(least, key=lambda each: each[0][0], default=((0.0, 0.0, 0.0), None))
    if best is None or not bound > 0.0:
        yield f"{told}."
        return
    above = float(special.betainc(k1, n1 - k1 + 1, p)) if k1 else 1.0
    below = float(special.betaincc(k2 + 1, n2 - k2, q)) if k2 < n2 else 1.0
    yield (
        f"{told}. It is least near p = {p:.6g}, q = {q:.6g}: {name} >= {best.text(f'{p:.6g}', f'{q:.6g}')} = "
        f"{number_down(bound, 6)}."
    )
    a, b = 2.0 * share, 2.0 - 2.0 * share
    powers = " (Fisher)" if math.isclose(a, b) else f", with exponents {a:.3g} and {b:.3g} (Good's product),"
    yield (
        f"To check that pair: at p a count of {k1} or more has probability {above:.4g}, at q one of {k2} or fewer has "
        f"{below:.4g}; the product{powers} is {above**a * below**b:.4g}. At the true pair so small a product has "
        f"probability {number(counted.level)} at most."
    )


def _argument(measure: Mapping[str, Any]) -> float:
    found = measure.get("argument")
    return float(found) if isinstance(found, int | float) and math.isfinite(found) else 0.0


_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A lower bound on a measure from two probabilities p and q of one event."""

    value: Callable[[float, float], float]
    """The bound at (p, q); -inf or nan where the two say nothing."""
    text: Callable[[str, str], str]
    """The formula, from the texts of p and q."""


def formulas(kind: str, argument: float) -> Iterator[Formula]:
    """All that bound the measure, from the event and from its complement; none for a kind that no event bounds."""
    if kind == "epsilon":
        less = f" - {number(argument, 6)}" if argument else ""
        yield Formula(
            value=lambda p, q: _log_ratio(p - argument, q),
            text=lambda p, q: f"ln(({p}{less}) / {q})" if less else f"ln({p} / {q})",
        )
        yield Formula(
            value=lambda p, q: _log_ratio(1.0 - q - argument, 1.0 - p),
            text=lambda p, q: f"ln((1 - {q}{less}) / (1 - {p}))",
        )
    elif kind == "delta":
        times = f"e^{number(argument, 6)}"
        yield Formula(
            value=lambda p, q: p - math.exp(argument) * q,
            text=lambda p, q: f"{p} - {times} * {q}",
        )
        yield Formula(
            value=lambda p, q: 1.0 - q - math.exp(argument) * (1.0 - p),
            text=lambda p, q: f"(1 - {q}) - {times} * (1 - {p})",
        )
    elif kind == "mu":
        yield Formula(
            value=lambda p, q: _quantile(p) - _quantile(q),
            text=lambda p, q: f"z({p}) - z({q}), z the quantile of a standard normal number",
        )
    elif kind == "renyi":
        yield Formula(value=lambda p, q: _renyi(p, q, argument), text=lambda p, q: _renyi_text(p, q, argument))
        yield Formula(value=lambda p, q: _renyi(q, p, argument), text=lambda p, q: _renyi_text(q, p, argument))


def _log_ratio(p: float, q: float) -> float:
    if not p > 0.0:
        return -math.inf
    return math.log(p / q) if q > 0.0 else math.inf


def _quantile(rate: float) -> float:
    if 0.0 < rate < 1.0:
        return _NORMAL.inv_cdf(rate)
    return math.inf if rate >= 1.0 else -math.inf


def _renyi(p: float, q: float, order: float) -> float:
    total = _term(p, q, order) + _term(1.0 - p, 1.0 - q, order)
    return math.log(total) / (order - 1.0) if math.isfinite(total) and order > 1.0 else total


def _term(p: float, q: float, order: float) -> float:
    if p <= 0.0:
        return 0.0
    return math.exp(order * math.log(p) + (1.0 - order) * math.log(q)) if q > 0.0 else math.inf


def _renyi_text(p: str, q: str, order: float) -> str:
    a = number(order, 6)
    return f"ln({p}^{a} * {q}^(1 - {a}) + (1 - {p})^{a} * (1 - {q})^(1 - {a})) / ({a} - 1)"
