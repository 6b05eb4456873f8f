"""Statements at the prices of then: their comparisons again, of arms as their own papers accounted for them.

A comparison stands only where each of its private arms was run at the price of then; no other arm is put in its place.
It is judged by the rules of all statements, from the repetitions where the experiment's record has them. Where it has
means with intervals, the deviations of the series are taken to add up: however repetitions were paired, the standard
deviation of the differences is at most the sum of the series' own.

Side of the error: conservative; limits from means are at least as wide as those from repetitions would be. What the
paper does not print stays at the value used, and the settings of an arm are those that its twin of today was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from dpverify.core.claim import Claim
from dpverify.core.comparing import Contrast, Grid, JudgesAgain, Quantifier, Unit, series_key
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float
from dpverify.stats.paired_limits import needed
from dpverify.utility.experiment import Design

DIGITS = 6
"""Significant digits of the means and intervals in a record."""

MARK = "\N{ZERO WIDTH SPACE}"
"""Stands behind the label of an arm whose series is made of its mean: once, or twice for a negative coefficient."""

NOT_RUN = "no arm at then-prices was run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A claim that has some of the comparisons of another."""

    of: Any
    """The claim."""
    kept: tuple[Contrast, ...]

    @property
    def margin(self) -> float:
        """It is the claim's."""
        return float(self.of.margin)

    @property
    def unit(self) -> Unit:
        """It is the claim's."""
        found: Unit = self.of.unit
        return found

    @property
    def quantifier(self) -> Quantifier:
        """It is the claim's, said of these comparisons."""
        found: Quantifier = self.of.quantifier
        return found

    def arms(self) -> tuple[str, ...]:
        """They are those of the comparisons, made ones included."""
        return tuple(dict.fromkeys(arm for each in self.kept for _, arm, *_ in each.terms))

    def metrics(self) -> tuple[str, ...]:
        """It is the claim's."""
        found: tuple[str, ...] = self.of.metrics()
        return found

    def learned(self) -> tuple[str, ...]:
        """They are the claim's, as far as they are compared."""
        return tuple(arm for arm in self.arms() if arm.rstrip(MARK) in self.of.learned())

    def measures(self) -> tuple[Measure, ...]:
        """It is the claim's."""
        found: tuple[Measure, ...] = self.of.measures()
        return found

    def contrasts(self, _grid: Grid) -> tuple[Contrast, ...]:
        """Return the comparisons."""
        return self.kept

    def text(self) -> str:
        """The claim, and how much of it."""
        return f"{len(self.kept)} comparisons of {self.of.text()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """The comparisons of a statement at the prices of then."""

    kept: tuple[Contrast, ...] = ()
    """Those whose private arms were all run at them."""
    all: int = 0
    """Number of the statement's comparisons."""
    without: tuple[str, ...] = ()
    """Private arms that were not run at the price of then."""
    below: tuple[str, ...] = ()
    """Arms whose own account certifies no epsilon so small, somewhere where the statement speaks of them."""
    why: tuple[str, ...] = ()
    """What the experiment's record says of curves that were not run, in words."""

    def left_out(self, not_run: str = f"{NOT_RUN} ") -> str:
        """Say why comparisons are left out, in words; empty where none is. `not_run` begins what is said of arms."""
        why = f" ({'; '.join(self.why)})" if self.why else ""
        told = [f"{not_run}for {', '.join(self.without)}{why}"] if self.without else []
        if self.below:
            told.append(f"the paper's own account certifies no epsilon so small for {', '.join(self.below)}")
        return "; ".join(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThenVerdict:
    """The verdict at the prices of then."""

    outcome: str
    p: float
    """The level at which it would just be reached; 1 for none."""
    worst: str
    """The comparison that falls short the most, with its means, in words."""
    why: str
    """Why there is none, in words."""
    accountants: bool
    """Whether these comparisons hold then, and do not hold as certified now."""


def twin(label: str, prices: Mapping[str, str]) -> str:
    """The arm that one as accounted then is a second curve of: the one whose label its label begins with."""
    if prices.get(label) != "then":
        return label
    found = [other for other, price in prices.items() if price != "then" and label.startswith(other)]
    return max(found, key=len, default=label)


def at_then(claim: Any, design: Design, said: Mapping[str, Any], kept: Mapping[str, Any]) -> Then | None:
    """The comparisons at the prices of then; None where no arm of the statement has a price.

    Parameters
    ----------
    claim : Compares
        The statement as a guarantee.
    design : Design
        Of its experiment.
    said : mapping
        The ``statistics`` of the statement's record.
    kept : mapping
        The record of the experiment.
    """
    private = [label for label in claim.arms() if (arm := design.arm(label)).price != "none" and not arm.computes]
    if not private or "grid" not in said:
        return None
    prices = {arm.label: arm.price for arm in design.arms}
    twins = {twin(label, prices): label for label, price in prices.items() if price == "then"}
    grid = Grid(data=tuple(said["grid"]["data"]), xs=tuple(float(x) for x in said["grid"]["xs"]))
    contrasts: tuple[Contrast, ...] = claim.contrasts(grid)
    unrun = kept.get("unrun", {})
    run = {label for label, then in twins.items() if then not in unrun}
    found, below = [], dict[str, None]()
    for each in contrasts:
        if not {arm for _, arm, *_ in each.terms if arm in private} <= run:
            continue
        terms = [(data, twins.get(arm, arm) if arm in private else arm, m, x, k) for data, arm, m, x, k in each.terms]
        absent = [arm for data, arm, m, x, _ in terms if _point(kept, data, arm, m, x) is None]
        below |= dict.fromkeys(twin(arm, prices) for arm in absent)
        if not absent:
            found.append(replace(each, terms=tuple(terms)))
    without = tuple(arm for arm in private if arm not in run)
    why = tuple(dict.fromkeys(unrun[twins[arm]] for arm in without if arm in twins))
    return Then(kept=tuple(found), all=len(contrasts), without=without, below=tuple(below), why=why)


def then_verdict(
    registry: Registry, claim: Claim, item: Mapping[str, Any], kept: Mapping[str, Any], then: Then, *, alpha: float
) -> ThenVerdict | None:
    """The verdict on a statement's comparisons at the prices of then, at level `alpha`; None where none is there.

    `item`, `kept`: records of the statement and of its experiment.
    """
    part = item["evidence"][0]
    auditor: Any = registry.auditors.get(part["auditor"])
    if not then.kept or not isinstance(auditor, JudgesAgain):
        return None
    guarantee: Any = claim.guarantee
    said = part["statistics"]
    values, prices, compared = _values(then.kept, {**said["values"], **kept.get("then", {})}, kept)
    if guarantee.unit == "log" and any(MARK in key for key in values):
        why = "a ratio needs every repetition, and the record has means"
        return ThenVerdict(outcome="undecided", p=1.0, worst="", why=why, accountants=False)
    measured = {**said, "values": values, "prices": prices, "moved": [], "settings": {}, "resampled": 0.0}
    narrower = replace(claim, guarantee=Part(of=guarantee, kept=compared))
    found = _statistics(auditor.judged_again(narrower, measured, alpha=alpha))
    held = found["outcome"] == "confirmed"
    if guarantee.quantifier == "some" and found["outcome"] == "refuted" and len(then.kept) < then.all:
        return ThenVerdict(outcome="undecided", p=1.0, worst="", why="those left out may hold", accountants=False)
    return ThenVerdict(
        outcome=found["outcome"],
        p=found["p"],
        worst=found["worst"].replace(MARK, ""),
        why=found.get("vacuous", "").partition(": ")[2].replace(MARK, ""),
        accountants=held and _fails_now(_statistics(auditor.judged_again(claim, said, alpha=alpha)), then, guarantee),
    )


def _statistics(evidence: Evidence) -> Mapping[str, Any]:
    return evidence.statistics


def _fails_now(said: Mapping[str, Any], then: Then, claim: Any) -> bool:
    """Tell whether the same comparisons do not hold as certified now: too many of them fail by themselves (Holm)."""
    if said["outcome"] != "refuted":
        return False
    failing = set(said["failing"])
    return any(
        sum(each.label in failing for each in group) > len(group) - needed(claim.quantifier, len(group))
        for name in dict.fromkeys(each.group for each in then.kept)
        if (group := [each for each in then.kept if each.group == name])
    )


def _points(kept: Mapping[str, Any], data: str, arm: str) -> Mapping[str, Any]:
    """The curves of an arm that have points, by metric."""
    found = kept["curves"].get(data, {}).get(arm, {})
    return {metric: points for metric, points in found.items() if points}


def _point(kept: Mapping[str, Any], data: str, arm: str, metric: str, x: float) -> list[float] | None:
    """The point [x, mean, low, high] of a curve, or None."""
    points = _points(kept, data, arm).get(metric, [])
    return next((list(point) for point in points if f"{point[0]:.6g}" == f"{x:.6g}"), None)


def _values(
    contrasts: tuple[Contrast, ...], repeated: Mapping[str, list[float]], kept: Mapping[str, Any]
) -> tuple[dict[str, list[float]], dict[str, Any], tuple[Contrast, ...]]:
    """Series of the comparisons, prices of their arms, and the comparisons of these series.

    Where a comparison lacks the repetitions of a series, all of its series are made so that their deviations add up.
    """
    values, prices, found = dict[str, list[float]](), dict[str, Any](), []
    pattern = _pattern(int(kept["repetitions"]))
    for each in contrasts:
        terms = []
        known = all(series_key(*term[:4]) in repeated for term in each.terms)
        for data, arm, metric, x, k in each.terms:
            label = arm if known else arm + MARK * (1 if k > 0 else 2)
            values[series_key(data, label, metric, x)] = (
                list(repeated[series_key(data, arm, metric, x)])
                if known
                else _made(_point(kept, data, arm, metric, x) or [], pattern, 1.0 if k > 0 else -1.0)
            )
            if arm in kept["prices"]:
                prices[label] = kept["prices"][arm]
            terms.append((data, label, metric, x, k))
        found.append(replace(each, terms=tuple(terms)))
    return values, prices, tuple(found)


def _made(point: list[float], pattern: Float, sign: float) -> list[float]:
    """Return numbers with the mean and the standard error of a point, which deviate as the pattern does."""
    mean, error = mean_and_error(point, pattern.size)
    found: list[float] = (mean + sign * error * np.sqrt(pattern.size) * pattern).tolist()
    return found


def _pattern(count: int) -> Float:
    """Return numbers of mean 0 and standard deviation 1, shape (count,)."""
    if count < 2:
        return np.zeros(max(count, 1))
    found = np.linspace(-1.0, 1.0, count)
    return np.asarray(found / found.std(ddof=1))


def mean_and_error(point: list[float], count: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The mean, and its standard error from its interval by Student's t; not too small by the digits of the record.

    `point`: [x, mean, low, high]. An interval of no length says nothing of the error: it is 0, and equal draws decide
    nothing.
    """
    _, mean, low, high = point
    if high <= low or count < 2:
        return mean, 0.0
    last = 10.0 ** (np.floor(np.log10(max(abs(low), abs(high)))) + 1 - DIGITS)
    half = (high - low) / 2 + float(last)
    return mean, float(half / special.stdtrit(count - 1, (1 + confidence) / 2))
