"""What a gate makes of results: failures, what is accepted until when, and passes that say too little."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from dpverify.audits import judges
from dpverify.audits.finding import Finding
from dpverify.core.claim import Claim, Source
from dpverify.core.evidence import Evidence
from dpverify.core.suite import Expectation, SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.row import Row
from dpverify.suite_file.acceptance import known_of
from dpverify.suite_file.entry import Accepted, Entry

DAY = datetime.date(2027, 1, 31)
AFTER = DAY + datetime.timedelta(days=1)


def result(status: Status, *, detectable: float | None = None) -> Finding:
    claim = Claim(
        id="a", guarantee=PureDP(epsilon=1.0), relation="add-remove", subject="f", source=Source(paper="x", locus="")
    )
    measure = claim.guarantee.measures()[0]
    evidence = Evidence(
        claim="a",
        auditor="gate",
        version="1",
        measure=measure,
        bound=0.5,
        excess=-0.5,
        confidence=0.999,
        detectable=detectable,
        statistics={"sought": 2.0},
        trials=10,
    )
    verdict = Verdict(claim=claim, status=status, evidence=(evidence,), reason="nothing seen")
    row = Row(entry=SuiteEntry(claim=claim, suites=()), verdict=verdict, seconds=0.0, seed=0, reproduce="")
    return Finding(row=row)


def judged(finding: Finding, entry: Entry, *, strict: bool, today: datetime.date) -> Finding:
    return judges.judged_for_suite(finding, known_of(entry, strict=strict, today=today))


def entry(verdict: str | None = None, *, expect: Expectation = "stands") -> Entry:
    accept = None if verdict is None else Accepted(verdict=verdict, reason="old", until=DAY)
    return Entry(name="a", mechanism="m:f", claim="", file=Path("dpverify.toml"), line=4, accept=accept, expect=expect)


@pytest.mark.parametrize(
    ("status", "strict", "fails"),
    [
        (Status.REFUTED, False, True),
        (Status.ERROR, False, True),
        (Status.UNSUPPORTED, False, True),
        (Status.NOT_REFUTED, True, False),
        (Status.INCONCLUSIVE, False, False),
        (Status.INCONCLUSIVE, True, True),
    ],
)
def test_what_fails(status, strict, fails):
    found = judged(result(status), entry(), strict=strict, today=DAY)
    assert (found.fails, found.accepted) == (fails, "")


@pytest.mark.parametrize("status", list(Status))
def test_what_is_known_to_be_broken_passes_by_its_refutation_alone(status):
    for strict in (False, True):
        found = judged(result(status), entry(expect="broken"), strict=strict, today=DAY)
        assert found.fails is (status is not Status.REFUTED)
        assert found.status is status


def test_a_weak_pass_is_told_and_inconclusive_where_it_is_strict():
    loose = judged(result(Status.NOT_REFUTED, detectable=3.0), entry(), strict=False, today=DAY)
    assert (loose.fails, loose.status) == (False, Status.NOT_REFUTED)
    assert "was to detect 2" in loose.told[0]
    strict = judged(result(Status.NOT_REFUTED, detectable=3.0), entry(), strict=True, today=DAY)
    assert (strict.fails, strict.status) == (True, Status.INCONCLUSIVE)
    assert "was to detect 2" in strict.row.verdict.reason


def test_a_failure_is_accepted_up_to_its_day():
    found = judged(result(Status.REFUTED), entry("refuted"), strict=False, today=DAY)
    assert (found.accepted, found.told) == ("accepted until 2027-01-31: old", ())
    over = judged(result(Status.REFUTED), entry("refuted"), strict=False, today=AFTER)
    assert (over.fails, over.accepted) == (True, "")
    assert "that day is over" in over.told[0]


def test_another_failure_than_the_accepted_one_fails():
    found = judged(result(Status.REFUTED), entry("inconclusive"), strict=True, today=DAY)
    assert (found.fails, found.accepted, found.told) == (True, "", ())


def test_what_is_accepted_and_passes_is_told():
    found = judged(result(Status.NOT_REFUTED), entry("refuted"), strict=False, today=AFTER)
    assert found.told == ("a is accepted as refuted, and is not any more: delete its `accept` (dpverify.toml:4)",)
    assert not judged(result(Status.INCONCLUSIVE), entry("refuted"), strict=False, today=DAY).accepted
