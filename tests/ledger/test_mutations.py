"""Break it and see it fall: mutations of the ledger's own claims, made from the registry and the committed records.

A row that stands close to its claim falls when the claim is a tenth smaller; a row that fell has a repaired claim that
does not. Which rows those are is what their records say; nothing here names one.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.ledger.rows import ledger_records
from dpverify.runner.plan import select_entries, subject_builder
from tests.ledger.faults import FAULT, decided_exactly, faulty, single, verdict

QUICK, ALWAYS = 1.5, 24
"""Seconds that a row took when its record was made: what takes longer is marked slow, but for the quickest so many."""

CLEARLY = 1.02
"""By so much must a row's bound exceed the shrunk claim: a shrunk search is no worse, but not to the last digit."""

REPAIR = re.compile(r"-R(?=\.|$)")

RECORDS = ledger_records(registry())
IN_QUICK = {entry.claim.id for entry in select_entries(registry(), suite="papers", profile="quick")}


def marked(items: list[dict[str, Any]]) -> list[Any]:
    """Parameters by id; slow ones marked, as are those that only the full profile decides."""
    quickest = sorted((item for item in items if item["id"] in IN_QUICK), key=lambda item: item["seconds"])
    quick = {item["id"] for place, item in enumerate(quickest) if place < ALWAYS or item["seconds"] <= QUICK}
    return [pytest.param(item["id"], marks=() if item["id"] in quick else pytest.mark.slow) for item in items]


def standing() -> list[dict[str, Any]]:
    """Rows that stand, decided by no draw, and so close to their claim that the fault must show."""
    found = []
    for item in RECORDS:
        stands = item["verdict"] in ("not_refuted", "certified") and decided_exactly(item)
        ratio = item["tightness"] if stands else None
        if isinstance(ratio, int | float) and item["claimed"] > 0 and ratio > FAULT * CLEARLY and _printed(item):
            found.append(item)
    return found


def _printed(item: dict[str, Any]) -> bool:
    """Whether nine tenths of what is claimed is less: a printed bound of 0 is not."""
    return (item["witness"] or {}).get("printed", 1.0) != 0


STANDING = standing()


def proves(claim_id: str) -> bool:
    """Whether a refutation could be proved at the worst point found: a lemma need not have a proof everywhere."""
    item = next(item for item in RECORDS if item["id"] == claim_id)
    if item["method"] != "lemma":
        return True
    worst = item["evidence"][0]["statistics"]["worst"]
    return subject_builder(registry(), single(claim_id))(**worst["parameters"]).proved_ratio() is not None


def test_enough_rows_stand_so_close():
    assert len([item for item in STANDING if proves(item["id"])]) >= 20


@pytest.mark.parametrize("claim_id", marked(STANDING))
def test_a_standing_row_falls_when_its_claim_is_a_tenth_smaller(claim_id):
    claim = single(claim_id)
    made = faulty(claim)
    assert made is not None
    broken, wrap = made
    said = verdict(broken, wrap=wrap)
    # Without a proof the excess is seen all the same, and may not be called a refutation.
    assert said is (Status.REFUTED if proves(claim_id) else Status.INCONCLUSIVE)


REFUTED = [item for item in RECORDS if item["verdict"] == "refuted"]
REPAIRED = [item for item in RECORDS if REPAIR.search(item["id"]) and item["guarantee"]]


def test_every_row_that_fell_has_a_repaired_claim():
    rows = {item["ledger"]["row"] for item in REPAIRED}
    assert {item["id"] for item in REFUTED if item["ledger"]["row"] not in rows} == set()


def test_no_repaired_claim_fell():
    assert [item["id"] for item in REPAIRED if item["verdict"] in ("refuted", "inconclusive", "error")] == []


@pytest.mark.parametrize("claim_id", marked([item for item in REPAIRED if decided_exactly(item)]))
def test_a_repaired_claim_stands_where_its_original_fell(claim_id):
    assert verdict(single(claim_id)) in (Status.NOT_REFUTED, Status.CERTIFIED)


def test_the_fault_is_one():
    """The wrapped claim of a row that is far from its bound is not refuted by the wrapping alone."""
    far = next(
        item
        for item in RECORDS
        if item["verdict"] == "not_refuted" and item["method"] == "lemma" and item["tightness"] < 0.8
    )
    made = faulty(single(far["id"]))
    assert made is not None
    assert verdict(made[0], wrap=made[1]) is Status.NOT_REFUTED
