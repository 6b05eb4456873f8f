"""Further pictures of a row: the privacy profile, and what is registered for its evidence (detection power, ...)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.core.errors import DpverifyError
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.core.subjects import PrivacyGuarantee
from dpverify.definitions.grammar import parse_guarantee
from dpverify.reporting.privacy_profile import privacy_profile
from dpverify.runner.recheck_printed import printed_evidence
from dpverify.shown.svg import chart_svg
from dpverify.shown.view import Chart

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
