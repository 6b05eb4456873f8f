"""Break it and see it fall: mutations of the ledger's own claims, made from the registry and the committed records.

A row that stands close to its claim falls when the claim is a tenth smaller, when its printed bound lacks a factor, and
when it is taken for a claim about more neighbours; a row that fell has a repaired claim that does not. Which rows those
are is what their records say, and where a fault must show what their subjects say at single points and pairs: nothing
here names one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.plan import select_entries, subject_builder
from dpverify.runner.thread_limits import one_thread
from tests.ledger.committed import committed, rows_by_claim
from tests.ledger.faults import (
    CLEARLY,
    FAULT,
    Drop,
    decided_exactly,
    dropped,
    faulty,
    misread,
    misreadings,
    single,
    verdict,
    without,
)

pytestmark = pytest.mark.ci

QUICK, ALWAYS = 1.5, 24
"""Seconds that a row took when its record was made: what takes longer is marked slow, but for the quickest so many."""

DROPPED, MISREAD = 60, 12
"""The quickest so many of the other two kinds are always run."""

REPAIR = re.compile(r"-R(?=\.|$)")

RECORDS = committed()
IN_QUICK = {entry.claim.id for entry in select_entries(registry(), suite="papers", profile="quick")}


def marked(items: list[dict[str, Any]], *, always: int = ALWAYS, seconds: float = QUICK) -> list[Any]:
    """Parameters by id; slow ones marked, as are those that only the full profile decides."""
    quickest = sorted((item for item in items if item["id"] in IN_QUICK), key=lambda item: item["seconds"])
    quick = {item["id"] for place, item in enumerate(quickest) if place < always or item["seconds"] <= seconds}
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
    broken, build = made
    said = verdict(broken, build=build)
    # Without a proof the excess is seen all the same, and may not be called a refutation.
    assert said is (Status.REFUTED if proves(claim_id) else Status.INCONCLUSIVE)


STAND = [item for item in RECORDS if item["verdict"] in ("not_refuted", "certified") and decided_exactly(item)]
PRINTED = [item for item in STAND if item["method"] == "lemma"]


@cache
def drop_of(claim_id: str) -> Drop | None:
    """Which factor of a row's printed bound is left out; None where none shows."""
    item = next(item for item in PRINTED if item["id"] == claim_id)
    with one_thread():
        return dropped(single(claim_id), item["evidence"][0]["statistics"]["worst"]["parameters"])


def quick_ids(params: list[Any]) -> list[str]:
    return [param.values[0] for param in params if not param.marks]


DROPS = marked(PRINTED, always=DROPPED, seconds=0.0)
OTHERS = marked([item for item in STAND if item not in PRINTED], always=MISREAD, seconds=0.0)


def test_enough_rows_have_a_factor_that_shows():
    """Of those that every run looks at."""
    assert len([claim_id for claim_id in quick_ids(DROPS) if drop_of(claim_id) is not None]) >= DROPPED // 3


@pytest.mark.slow
def test_most_printed_bounds_have_a_factor_that_shows():
    assert len([item for item in PRINTED if drop_of(item["id"]) is not None]) >= len(PRINTED) // 2


@pytest.mark.parametrize("claim_id", DROPS)
def test_a_standing_row_falls_when_its_bound_lacks_a_factor(claim_id):
    drop = drop_of(claim_id)
    if drop is None:
        # How many rows may come here is bounded above: `test_enough_rows_have_a_factor_that_shows`.
        pytest.skip("nothing without which its bound is exceeded where it was looked")
    claim = single(claim_id)
    assert verdict(claim, build=without(claim, drop)) is Status.REFUTED


def test_enough_rows_can_be_misread():
    """Of all, and of those that every run looks at."""
    found = [param.values[0] for param in OTHERS if list(misreadings(single(param.values[0])))]
    assert len(found) >= 12
    assert len(set(found) & set(quick_ids(OTHERS))) >= 3


@pytest.mark.parametrize("claim_id", OTHERS)
def test_a_standing_row_falls_under_a_relation_that_it_is_not_about(claim_id):
    claim = single(claim_id)
    names = list(misreadings(claim))
    if not names:
        # How many rows may come here is bounded above: `test_enough_rows_can_be_misread`.
        pytest.skip("no other relation of which one of the first pairs exceeds it")
    assert {name: verdict(misread(claim, name)) for name in names} == dict.fromkeys(names, Status.REFUTED)


REFUTED = [item for item in RECORDS if item["verdict"] == "refuted"]
REPAIRED = [item for item in RECORDS if REPAIR.search(item["id"]) and item["guarantee"]]


def test_every_row_that_fell_has_a_repaired_claim():
    rows = rows_by_claim()
    repaired = {rows[item["id"]] for item in REPAIRED}
    assert {item["id"] for item in REFUTED if rows[item["id"]] not in repaired} == set()


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
    assert verdict(made[0], build=made[1]) is Status.NOT_REFUTED
