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

NO_VERDICT = ("undecided", "depends", "unequal", "missing")
"""Outcomes that are neither: too little is known, it turns with a setting, the arms are not at one price, no data."""

DECIDED = ("confirmed", "refuted")
RUINED = "ruined"
"""The outcome with a moved setting under which even training without noise learns nothing: it counts for nothing."""

LEAST_LEVEL = 1e-15
"""No smaller level is told."""

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
    worst: str = ""
    """The comparison that falls short the most, with the means of its series, in words."""
    moved: tuple[str, ...] = ()
    """The outcome with each moved setting, in their order, at as many repetitions as it has."""
    p: float = 1.0
    """The level at which the verdict would just be reached, for procedures over many statements; 1 for no verdict."""
    corrected: str = ""
    """The outcome by the corrected resampled t of Nadeau and Bengio (2003), whose error allows for splits that share
    records; empty where repetitions are no splits of one table."""


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
    moves = said.get("moved", ())
    if unequal := apart(_wide(claim, said), said.get("prices", {})):
        none = ("unequal",) * len(moves)
        return replace(base, outcome="unequal", excess=min(base.excess, 0.0), failing=(), why=unequal, moved=none)
    turned, outcomes = [], []
    for each in moves:
        outcome, turns = _with_moved(claim, said, each, base, alpha / len(moves), alpha)
        outcomes.append(outcome)
        if turns:
            turned.append(f"{each['setting']} = {each['value']} of {each['arm']} makes it {outcome}")
    ratio = float(said.get("resampled", 0.0))
    corrected = _once(claim, said, said["values"], alpha, ratio=ratio).outcome if ratio else ""
    base = replace(base, moved=tuple(outcomes), p=_least_level(claim, said, base, alpha), corrected=corrected)
    if not turned:
        return base
    why = f"{base.outcome} at the settings used, but {'; '.join(turned)}"
    return replace(base, outcome="depends", excess=min(base.excess, 0.0), why=why)


def _with_moved(
    claim: Compares, said: Mapping[str, Any], each: Mapping[str, Any], base: Judged, level: float, alpha: float
) -> tuple[str, bool]:
    """The outcome with a moved setting, and whether it takes the verdict away.

    It does where the outcome is the opposite, or where as many repetitions decide at the settings used and not with the
    moved one; and where a deciding comparison changes by more than chance toward that (Holm at `level`).
    """
    count = min(map(len, each["values"].values()), default=0)
    own = {key: list(row)[:count] for key, row in said["values"].items()}
    other = {**own, **{key: list(row)[:count] for key, row in each["values"].items()}}
    found = _once(claim, said, other, alpha)
    if each.get(RUINED):
        return RUINED, False
    if base.outcome not in DECIDED or found.outcome == base.outcome or not count or _idle(claim, said, other):
        return found.outcome, False
    if found.outcome not in DECIDED and _once(claim, said, own, alpha).outcome != base.outcome:
        return found.outcome, False
    toward = 1.0 if base.outcome == "confirmed" else -1.0
    deciding = [term for term in _wide(claim, said) if not base.failing or term.label in base.failing]
    rows = [(_shortfall(claim, said, own, term), _shortfall(claim, said, other, term)) for term in deciding]
    if said.get("exact"):
        return found.outcome, any(float(toward * (after - before).mean()) > 0 for before, after in rows)
    changes = [toward * (after - before) for before, after in rows]
    names = [term.label for term in deciding]
    limits = paired_limits(changes, names, quantifier="every", margin=0.0, alpha=level)
    return found.outcome, bool(limits.failing)


def _least_level(claim: Compares, said: Mapping[str, Any], base: Judged, alpha: float) -> float:
    """The level at which the verdict would just be reached, to a millionth of its logarithm; the larger side."""
    if base.outcome not in DECIDED:
        return 1.0
    if said.get("exact"):
        return 0.0
    low, high = math.log(LEAST_LEVEL), math.log(alpha)
    if _once(claim, said, said["values"], LEAST_LEVEL).outcome == base.outcome:
        return LEAST_LEVEL
    for _ in range(24):
        middle = (low + high) / 2
        same = _once(claim, said, said["values"], math.exp(middle)).outcome == base.outcome
        low, high = (low, middle) if same else (middle, high)
    return float(f"{math.exp(high):.3g}")


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
    lacking = "; ".join(said.get("missing", {}))
    missing = bool(lacking) and not claim.contrasts(_grid(said))
    none = f"it speaks of data sets that are not here ({lacking})" if missing else ""
    why = (
        none or "; ".join(narrow(claim, said)) or "none of the data sets and places that it speaks of is measured here"
    )
    return Judged(
        outcome="missing" if missing else "undecided",
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


def _shortfall(
    claim: Compares, said: Mapping[str, Any], values: Mapping[str, Sequence[float]], contrast: Contrast
) -> Float:
    """By how much each repetition falls short, shape (n,); a gain is a shortfall from it."""
    rows = [(k, _series(claim, said, values, data, arm, metric, x)) for data, arm, metric, x, k in contrast.terms]
    fewest = min(row.size for _, row in rows)
    return np.asarray(max(-claim.margin, 0.0) - np.sum([k * row[:fewest] for k, row in rows], axis=0))


def _once(
    claim: Compares,
    said: Mapping[str, Any],
    values: Mapping[str, Sequence[float]],
    alpha: float,
    *,
    ratio: float = 0.0,
) -> Judged:
    """The verdict at the settings used. `ratio`: of the sizes of test and training part, for the corrected t."""
    contrasts = _wide(claim, said)
    if not contrasts:
        return _nothing(claim, said)
    allowed = max(claim.margin, 0.0)
    shortfalls = [_shortfall(claim, said, values, each) for each in contrasts]
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
        ratio=ratio,
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
        worst=_in_words(contrasts[int(np.argmax(means))], values, fewest),
    )


def _in_words(contrast: Contrast, values: Mapping[str, Sequence[float]], count: int) -> str:
    """``a against b on d at 1: a 0.71, b 0.83``; of metric, data set and place what differs between its series."""
    several = [len({term[place] for term in contrast.terms}) > 1 for place in (2, 0, 3)]
    told = []
    for data, arm, metric, x, _ in contrast.terms:
        where = " ".join(
            word for word, named in zip((metric, f"on {data}", f"at {x:g}"), several, strict=True) if named
        )
        mean = np.mean(values[series_key(data, arm, metric, x)][:count])
        told.append(f"{arm} {mean:.4g}{f' ({where})' if where else ''}")
    return f"{contrast.label}: {', '.join(dict.fromkeys(told))}"


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
