"""The worst of a record is the worst that is known: nothing shown beside a row lies above it.

A remark or a figure builds its row's own subject at points of its choice. Those of them that are points of the claim's
box (the same subject but for searched parameters, these inside) are looked at again, by the ratio that the record
speaks of. Which points these are is seen by watching the computations; nothing here names one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from auditors.accounting.lemma import LemmaAuditor
from auditors.accounting.lemma_points import LemmaBox, LemmaPoint
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim
from dpverify.core.plugins import registry
from dpverify.core.subjects import HasPrintedBound, PrivacyGuarantee
from dpverify.ledger.stale import state
from dpverify.runner.plan import subject_builder, task_streams
from dpverify.runner.thread_limits import one_thread
from tests.ledger.committed import committed
from tests.ledger.faults import single

KNOWN = registry()

QUICK = 0.6
"""Seconds that a fresh look at effort 1 may take, from what the record took a point: what takes longer is slow."""

POINTS = 800
"""Roughly, that such a look has."""

ROUNDING = 1e-9
"""Relative, between two computations of one ratio."""

ROUNDING_ELSEWHERE = 1e-6
"""The same, where a truth is not proved: a convolution by FFT rounds otherwise on processors of other vector widths (a
relative 3e-8 was seen; the errors that such truths state are a thousand times larger)."""


ROUNDED = 1e-3
"""Part of its excess that a rounder witness of the exact auditor may lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Something that is shown beside a row."""

    claim: Claim
    name: str
    compute: Callable[[], Any]


def everything() -> list[Beside]:
    """Remarks and figures beside rows whose record is of a printed bound."""
    shown = [(name, "remark", remark.shown) for name, remark in KNOWN.remarks.items()]
    for title, figure in KNOWN.figures.items():
        shown += [(claim_id, title, figure.curves) for claim_id in figure.claims]
    found = [Beside(claim=single(claim_id), name=name, compute=compute) for claim_id, name, compute in shown]
    found = [each for each in found if not isinstance(each.claim.guarantee, PrivacyGuarantee)]  # whose curves take time
    return [each for each in found if each.claim.guarantee.measures()[0].kind == "ratio"]


def task(claim: Claim) -> Task:
    return Task(
        claim=claim,
        build=subject_builder(KNOWN, claim),
        neighbors=KNOWN.neighbors.get(claim.relation),
        alpha=0.5,
        trials=1,
        stream=task_streams(0, claim.id, "lemma"),
    )


@contextmanager
def watched(kind: type[Any]) -> Iterator[list[Any]]:
    """All of a class that are made meanwhile."""
    made: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        plain = kind.__init__

        def init(self: Any, *given: Any, **named: Any) -> None:
            plain(self, *given, **named)
            made.append(self)

        patch.setattr(kind, "__init__", init)
        yield made


def inside(claim: Claim, made: list[Any]) -> list[dict[str, float]]:
    """The points of the claim's box among these subjects."""
    build, found = subject_builder(KNOWN, claim), []
    for subject in made:
        place = {name: float(getattr(subject, name)) for name in claim.space.parameters if hasattr(subject, name)}
        within = all(low <= place.get(name, low - 1) <= high for name, (low, high) in claim.space.parameters.items())
        if within and build(**place) == subject and place not in found:
            found.append(place)
    return found


ALL = everything()


@cache
def worst_shown(claim_id: str) -> tuple[str, LemmaPoint] | None:
    """The worst point of the row's box that is shown beside it (with where), or its own."""
    found: tuple[str, LemmaPoint] | None = None
    with one_thread():
        for beside in (each for each in ALL if each.claim.id == claim_id):
            field = LemmaBox(task=task(beside.claim))
            with watched(type(field.task.build())) as made:
                beside.compute()
            for place in inside(beside.claim, made):
                seen = field.visit(place)
                if found is None or seen.ratio > found[1].ratio:
                    found = (beside.name, seen)
    return found


RECORDS = {item["id"]: item for item in committed()}
BESIDE = sorted({each.claim.id for each in ALL if isinstance(task(each.claim).build(), HasPrintedBound)})
LONG = KNOWN.figures.get("adpsgd-footnote-3").claims
"""Rows beside the one figure that takes seconds."""


def estimated(claim_id: str) -> float:
    """Seconds of a fresh look, from the record, stale or not; endless for a row without one."""
    item = RECORDS.get(claim_id)
    looked = item["evidence"][0]["statistics"].get("evaluations") if item is not None else None
    return POINTS * item["seconds"] / looked if item is not None and looked else float("inf")


SEARCHED = [claim_id for claim_id in BESIDE if single(claim_id).space.parameters]


def shown(claim_id: str) -> tuple[str, LemmaPoint]:
    """How many may be skipped here is bounded: `test_points_of_most_rows_are_shown`."""
    found = worst_shown(claim_id)
    if found is None:
        pytest.skip("nothing is shown at a point of its box")
    return found


def holds(claim_id: str, worst: float) -> None:
    where, seen = shown(claim_id)
    rounding = ROUNDING if seen.truth.proved else ROUNDING_ELSEWHERE
    assert seen.ratio <= worst * (1 + rounding), f"{where} of {claim_id} shows {seen.ratio} at {dict(seen.parameters)}"


def test_points_of_most_rows_are_shown():
    """Else the tests below would compare nothing."""
    with_points = {claim_id for claim_id in BESIDE if claim_id not in LONG and worst_shown(claim_id) is not None}
    assert len(with_points) >= 50
    assert len(with_points.intersection(SEARCHED)) >= 40


@pytest.mark.parametrize(
    "claim_id",
    [pytest.param(each, marks=() if estimated(each) <= QUICK else pytest.mark.slow) for each in SEARCHED],
)
def test_nothing_shown_lies_above_what_a_fresh_look_finds(claim_id):
    shown(claim_id)
    with one_thread():
        evidence = LemmaAuditor().audit(task(single(claim_id)))
    holds(claim_id, evidence.statistics["worst"]["ratio"])


@pytest.mark.parametrize(
    "claim_id", [pytest.param(each, marks=pytest.mark.ci if each in LONG else ()) for each in BESIDE]
)
def test_nothing_shown_lies_above_the_committed_worst(claim_id):
    item = RECORDS.get(claim_id)
    if item is None or state(KNOWN, single(claim_id), item).stale:
        pytest.skip("no record of this code")  # which the ledger says beside it; one of this code may not be wrong
    holds(claim_id, float(item["evidence"][0]["statistics"]["worst"]["ratio"]))


def test_no_records_own_or_smallest_point_lies_above_its_worst():
    """Of all auditors that keep them, stale or not: a record may not contradict itself."""
    compared, wrong = 0, []
    for claim_id, item in RECORDS.items():
        for part in item["evidence"]:
            places = {name: part["statistics"].get(name) for name in ("own", "smallest", "worst")}
            worst = places.pop("worst")
            for name, place in places.items():
                if place and worst and comparable(item, place, worst):
                    compared += 1
                    if float(place["ratio"]) > most(part, float(worst["ratio"])):
                        wrong.append((claim_id, part["auditor"], name, place["ratio"], worst["ratio"]))
    assert compared >= 150
    assert wrong == []


def comparable(item: dict[str, Any], place: dict[str, Any], worst: dict[str, Any]) -> bool:
    """One ratio: of the same measure where there are several, at a size that the claim is for."""
    sizes = {item["space"].get("size"), *(item["space"].get("sizes") or ())}
    return place.get("measure") == worst.get("measure") and place.get("size", worst.get("size")) in {None, *sizes}


def most(part: dict[str, Any], worst: float) -> float:
    """What another ratio may be: worst points of the exact auditor are told in rounder numbers."""
    rounder = ROUNDED * max(worst - 1, 0.0) if part["auditor"] == "exact" and worst < math.inf else 0.0
    return worst * (1 + ROUNDING) + rounder
