"""From the values in a record to the verdict on a claim about means: its contrasts' shortfalls, and their limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpverify.core.comparing import Compares, Contrast, Grid, series_key, sign
from dpverify.core.errors import InputError
from dpverify.core.evidence import LackingError
from dpverify.core.subjects import Float
from dpverify.stats.paired_limits import paired_limits

NO_VERDICT = ("undecided", "depends", "unequal")
"""Outcomes that are neither: too little is known, it turns with a setting, the arms are not at one price."""

FEWEST = 2
"""Repetitions that give an interval."""

ENOUGH = 10
"""Repetitions that give a verdict: below, a mean of a few discrete numbers (shares of a small test part) is too far
from normal, and false alarms exceed their level (13 % in place of 0.8 % for three coins at the margin)."""


NARROW = {"accuracy": 0.02}
"""Recoverable ranges, by metric, below which a share of one is no unit: a test part's own error is as large."""


APART = 0.02
"""Share by which certified prices of arms that are compared may differ."""

PAYING = ("one", "own", "then")
"""Kinds of price (`dpverify.utility.experiment.Price`) of arms that pay; others are references beside any price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the values say."""

    outcome: str
    """``confirmed``, ``refuted``, ``undecided``, ``depends`` or ``unequal``."""
    bound: float
    upper: float
    """`bound`, `upper`: lower and upper confidence limit of the deciding shortfall, in the margin's unit; where the
    claim asks for a gain, of the shortfall from that gain."""
    excess: float
    """``bound - margin``, or at most 0 where there is no verdict."""
    estimate: float
    """The mean shortfall of the contrast that falls short the most."""
    detectable: float
    """Excess that 80 % power would have seen."""
    failing: tuple[str, ...]
    """Labels of comparisons that fail by themselves (Holm)."""
    why: str
    """In words, for what has no verdict."""
    repetitions: int
    """Fewest of a contrast."""
    moved: tuple[str, ...] = ()
    """The outcome with each moved setting, in their order."""


def judged(claim: Compares, said: Mapping[str, Any], *, alpha: float) -> Judged:
    """The verdict on `claim` from a record's ``grid``, ``values``, ``ranges``, ``levels``, ``prices`` and ``moved``.

    Raises
    ------
    LackingError
        When a series or a range that the claim needs is not there.
    InputError
        For values that are no finite numbers.
    """
    base = _once(claim, said, said["values"], alpha)
    if unequal := apart(_wide(claim, said), said.get("prices", {})):
        none = ("unequal",) * len(said.get("moved", ()))
        return replace(base, outcome="unequal", excess=min(base.excess, 0.0), failing=(), why=unequal, moved=none)
    turned, outcomes = [], []
    for each in said.get("moved", ()):
        found = _once(claim, said, {**said["values"], **each["values"]}, alpha)
        outcomes.append(found.outcome)
        if {base.outcome, found.outcome} == {"confirmed", "refuted"}:
            turned.append(f"{each['setting']} = {each['value']} of {each['arm']} makes it {found.outcome}")
    base = replace(base, moved=tuple(outcomes))
    if not turned:
        return base
    why = f"{base.outcome} at the settings used, but {'; '.join(turned)}"
    return replace(base, outcome="depends", excess=min(base.excess, 0.0), why=why)


def _wide(claim: Compares, said: Mapping[str, Any]) -> tuple[Contrast, ...]:
    """The claim's contrasts, without those in shares of a range that is too narrow for that."""
    ranges = said.get("ranges", {}) if claim.unit == "range" else {}
    return tuple(
        each
        for each in claim.contrasts(_grid(said))
        if all(ranges.get(f"{data}|{m}", math.inf) >= NARROW.get(m, 0.0) for data, _, m, _, _ in each.terms)
    )


def narrow(claim: Compares, said: Mapping[str, Any]) -> list[str]:
    """Which data sets are left out for their narrow ranges, in words."""
    if claim.unit != "range":
        return []
    return [
        f"the recoverable range of {metric} on {data} is {said['ranges'][key]:.2g}, below {NARROW[metric]:g}"
        for metric in dict.fromkeys(claim.metrics())
        if metric in NARROW
        for data in said["grid"]["data"]
        if said.get("ranges", {}).get(key := f"{data}|{metric}", math.inf) < NARROW[metric]
    ]


def _nothing(claim: Compares, said: Mapping[str, Any]) -> Judged:
    """No verdict: nothing that the claim speaks of can be compared."""
    why = "; ".join(narrow(claim, said)) or "none of the data sets and places that it speaks of is measured here"
    return Judged(
        outcome="undecided",
        bound=0.0,
        upper=math.inf,
        excess=0.0,
        estimate=0.0,
        detectable=math.inf,
        failing=(),
        why=f"nothing to compare: {why}",
        repetitions=0,
    )


def _grid(said: Mapping[str, Any]) -> Grid:
    return Grid(data=tuple(said["grid"]["data"]), xs=tuple(float(x) for x in said["grid"]["xs"]))


def _once(claim: Compares, said: Mapping[str, Any], values: Mapping[str, Sequence[float]], alpha: float) -> Judged:
    contrasts = _wide(claim, said)
    if not contrasts:
        return _nothing(claim, said)
    asked = max(-claim.margin, 0.0)  # a gain is a shortfall from it
    allowed = max(claim.margin, 0.0)
    shortfalls = []
    for each in contrasts:
        rows = [(k, _series(claim, said, values, data, arm, metric, x)) for data, arm, metric, x, k in each.terms]
        fewest = min(row.size for _, row in rows)
        shortfalls.append(asked - np.sum([k * row[:fewest] for k, row in rows], axis=0))
    fewest = min(each.size for each in shortfalls)
    if fewest < FEWEST and not said.get("exact"):
        raise InputError(f"{fewest} repetitions", allowed=f"at least {FEWEST}")
    means = np.array([each.mean() for each in shortfalls])
    exact = bool(said.get("exact"))
    if exact:
        shortfalls = [np.full(FEWEST, each.mean()) for each in shortfalls]
    limits = paired_limits(
        shortfalls,
        [each.group for each in contrasts],
        quantifier=claim.quantifier,
        margin=allowed,
        alpha=alpha,
        exact=exact,
    )
    few = fewest < ENOUGH and not exact
    idle = "" if few else _idle(claim, said, values)
    within = limits.upper < allowed or (exact and limits.upper == allowed)  # equal draws are no evidence of more
    none = few or bool(idle)
    outcome = "undecided" if none else "refuted" if limits.lower > allowed else "confirmed" if within else "undecided"
    why = ""
    if few:
        why = f"too few repetitions: {fewest}, and a verdict needs {ENOUGH}"
    elif idle:
        why = idle
    elif not math.isfinite(limits.lower - limits.upper):
        why = "repetitions that are all the same say nothing of how far the mean is from them"
    elif outcome == "undecided":
        why = (
            f"the shortfall lies between {limits.lower:.3g} and {limits.upper:.3g}, the margin is {allowed:g}; an "
            f"excess of {limits.detectable:.3g} over it would have been seen with 80 % power"
        )
    return Judged(
        outcome=outcome,
        bound=limits.lower,
        upper=limits.upper,
        excess=min(limits.lower - allowed, 0.0) if none else limits.lower - allowed,
        estimate=float(means.max()),
        detectable=limits.detectable,
        failing=() if none else tuple(contrasts[place].label for place in limits.failing),
        why=why,
        repetitions=fewest,
    )


def _idle(claim: Compares, said: Mapping[str, Any], values: Mapping[str, Sequence[float]]) -> str:
    """An arm that learns nothing on a data set, in words; empty where all learn, or no level is known."""
    for data in said["grid"]["data"]:
        for metric in claim.metrics():
            level = said.get("levels", {}).get(f"{data}|{metric}")
            for arm in claim.learned() if level is not None else ():
                keys = [series_key(data, arm, metric, float(x)) for x in said["grid"]["xs"]]
                means = [float(np.mean(values[key])) for key in keys if key in values]
                best = max(means, key=lambda mean: sign(metric) * mean, default=level)
                if sign(metric) * best <= sign(metric) * level:
                    return (
                        f"{arm} learns nothing on {data}: its {metric} is {best:.3g} at best, and a verdict on how "
                        f"little it changes needs one beyond {level:.3g}"
                    )
    return ""


def _series(
    claim: Compares,
    said: Mapping[str, Any],
    values: Mapping[str, Sequence[float]],
    data: str,
    arm: str,
    metric: str,
    x: float,
) -> Float:
    """One series in the margin's unit, float64, shape (n,)."""
    key = series_key(data, arm, metric, x)
    if key not in values:
        raise LackingError(f"the values of {key}")
    found = np.asarray(values[key], dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise InputError(f"values of {key} that are not finite", allowed="finite numbers")
    if claim.unit == "log":
        if (found <= 0).any():
            raise InputError(f"values of {key} that are not above 0", allowed="numbers above 0 for a ratio")
        return np.asarray(np.log(found))
    if claim.unit == "own":
        return found
    width = said.get("ranges", {}).get(f"{data}|{metric}")
    if width is None:
        raise LackingError(f"the recoverable range of {metric} on {data}")
    if not (math.isfinite(width) and width > 0):
        raise InputError(f"a recoverable range of {width} of {metric} on {data}", allowed="a number above 0")
    return np.asarray(found / width)


def apart(contrasts: Sequence[Contrast], prices: Mapping[str, Any]) -> str:
    """Where paying arms of one contrast do not cost the same, in words; empty where all do.

    A price that is not known is the same as no other. A contrast of one arm with itself at other places is a claim
    about prices, and needs none to be the same.

    `prices`: by arm: ``kind``, and by data set and place [certified epsilon or None, accountant].
    """
    for each in contrasts:
        at: dict[tuple[str, float], dict[str, float | None]] = {}
        for data, arm, _, x, _ in each.terms:
            said = prices.get(arm, {})
            if said.get("kind") in PAYING and data in said:
                at.setdefault((data, x), {})[arm] = said[data].get(f"{x:.6g}", (None,))[0]
        for (data, x), costs in at.items():
            known = [cost for cost in costs.values() if cost is not None]
            if len(costs) > 1 and (len(known) < len(costs) or max(known) > min(known) * (1 + APART)):
                told = ", ".join(
                    f"{arm} {'unknown' if cost is None else format(cost, '.4g')}" for arm, cost in costs.items()
                )
                return f"the arms are not at one price on {data} at {x:g}: epsilon of {told}"
    return ""
