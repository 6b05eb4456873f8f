"""Further pictures of a row: the privacy profile, and what is registered for its evidence (detection power, ...)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.core.errors import DpverifyError
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.grammar import parse_guarantee
from dpverify.runner.recheck_printed import printed_evidence
from dpverify.shown.svg import chart_svg
from dpverify.shown.view import Chart, PlotSeries

MOST_ROWS = 100
"""A report of more rows has no further pictures, so that it stays small and is written soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChart:
    """A picture as SVG, with what stands around it."""

    title: str
    svg: str
    note: str


def row_charts(item: Record) -> list[RowChart]:
    """All that can be drawn from the leading evidence of a record; none for a claim that is no privacy guarantee."""
    if not item["evidence"] or not item["method"]:
        return []
    try:
        found = parse_guarantee(item["guarantee"], registry().definitions.mapping())
    except DpverifyError:
        return []
    if not isinstance(found, PrivacyGuarantee):
        return []
    return [
        RowChart(title=each.title, svg=chart_svg(each, label=f"{each.title}: {item['id']}"), note=each.note)
        for each in _charts(found, item)
        if each.series
    ]


def _epsilon(part: Mapping[str, Any]) -> tuple[float, float] | None:
    """The lower bound on epsilon, and its delta, of evidence whose measure is an epsilon."""
    measure, bound = part.get("measure") or {}, part.get("bound")
    if measure.get("kind") != "epsilon" or not isinstance(bound, int | float):
        return None
    return float(bound), float(measure.get("argument") or 0.0)


def _charts(found: PrivacyGuarantee, item: Record) -> Iterator[Chart]:
    part = item["evidence"][0]
    yield privacy_profile(found, (part.get("picture") or {}).get("rectangle"), epsilon=_epsilon(part))
    for name, chart in registry().charts.items():
        if name == "detection power" and item["verdict"] == "refuted":
            continue  # what would have been found is no question any more
        try:
            yield chart(found, printed_evidence(item["id"], part))
        except (DpverifyError, KeyError):
            continue  # this evidence has no such picture


FLOOR = 1e-7
"""Smaller values of delta are drawn here."""

MOST = 20.0
"""The largest epsilon that is drawn."""

POINTS = 73


def privacy_profile(
    found: PrivacyGuarantee, box: Mapping[str, float] | None, *, epsilon: tuple[float, float] | None = None
) -> Chart:
    """Draw the chart.

    Parameters
    ----------
    found : PrivacyGuarantee
        The claim; the larger of its two directions is drawn.
    box : mapping or None
        ``fpr_high`` and ``fnr_high``: upper limits of both error rates at one event, which hold together. What is
        shown are lower bounds on delta at all epsilon, at their confidence.
    epsilon : tuple or None
        A lower bound on epsilon at a delta, and that delta: below it delta is larger than this one. Drawn where there
        is no box.
    """
    shown = _least(box) if box else None
    ends = [_end(lambda at: _claimed(found, at)), *([_end(shown)] if shown else [])]
    ends += [epsilon[0]] if epsilon and math.isfinite(epsilon[0]) else []
    at = np.linspace(0.0, min(1.15 * max(*ends, 0.01), MOST), POINTS)
    claimed = np.maximum(_claimed(found, at), FLOOR)
    series = [PlotSeries(label="claimed, at most", x=at.tolist(), y=claimed.tolist(), marked=False)]
    if shown:
        least = np.maximum(shown(at), FLOOR)
        above = (least > FLOOR).tolist()
        kept = max(sum(above) + 1, 2) if any(above) else 0
        if kept:
            series.append(
                PlotSeries(label="shown, at least", x=at[:kept].tolist(), y=least[:kept].tolist(), marked=False)
            )
    elif epsilon and 0.0 < epsilon[0] < math.inf:
        at_delta = max(epsilon[1], FLOOR)
        words = f"shown: delta is more than {epsilon[1]:.3g}, up to the end of the line"
        series.append(PlotSeries(label=words, x=[0.0, epsilon[0]], y=[at_delta, at_delta], marked=False))
    return Chart(
        title="Privacy profile",
        x="epsilon",
        y="delta",
        series=series,
        note=f"Where the second line lies above the first one, the claim is refuted. Values below {FLOOR:g} are drawn "
        "there.",
    )


def _claimed(found: PrivacyGuarantee, at: Float) -> Float:
    sides = [np.asarray(found.delta(at, reverse=side), dtype=np.float64) for side in (False, True)]
    return np.maximum(*sides)


def _least(box: Mapping[str, float]) -> Any:
    """Lower bounds on delta from the event and from its complement."""
    fpr, fnr = box["fpr_high"], box["fnr_high"]

    def shown(at: Float) -> Float:
        times = np.exp(np.minimum(at, 700.0))
        return np.maximum(np.maximum(1.0 - fnr - times * fpr, 1.0 - fpr - times * fnr), 0.0)

    return shown


def _end(delta: Any) -> float:
    """The least epsilon, to 1 %, from which on delta is at most the floor; at most `MOST`."""
    low, high = 0.0, MOST
    if float(delta(np.array([high]))[0]) > FLOOR:
        tail = float(delta(np.array([high]))[0])  # a claim whose delta never falls: where it is close to its last value
        return _where(lambda at: float(delta(np.array([at]))[0]) <= 1.05 * tail)
    while high - low > 0.01 * high and high > 1e-3:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if float(delta(np.array([middle]))[0]) <= FLOOR else (middle, high)
    return high


def _where(holds: Any) -> float:
    low, high = 0.0, MOST
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return min(1.5 * high, MOST) if math.isfinite(high) else MOST
