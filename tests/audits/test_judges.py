"""Every entry's finding goes before every judge, and no judge makes a verdict stronger."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.audits import judges
from dpverify.audits.asked import Asked
from dpverify.audits.finding import Finding
from dpverify.audits.judges import Known, judged
from dpverify.cli.run_suite_file import _finished
from dpverify.core.note import Kind, Note, note_of
from dpverify.core.verdict import Status
from dpverify.libraries.one_claim import ClaimSettings as OfLibrary
from dpverify.libraries.one_claim import audit_claim, entry_of
from dpverify.runner.regressions import Regression
from dpverify.saved_failures.again import RetrySettings

CLAIM = "PureDP(epsilon=1)"
SEEN = {"of the audit": judges.OF_AUDITS, "of the suite": judges.OF_SUITES}


def noisy(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def scores(count=400):
    return np.random.default_rng(0).normal(size=count)


def of_example():
    return dpv.audit(noisy, claim=CLAIM, data=[0.0, 1.0, 0.5], trials=4_000).finding


def of_assertion():
    with pytest.warns(dpv.VacuousAuditWarning):
        return dpv.assert_dp(noisy, claim=CLAIM, data=[0.0, 1.0, 0.5], trials=4_000).finding


def of_pair():
    return dpv.audit(noisy, [1.0, 1.0], [1.0], claim=CLAIM, trials=4_000, isolate=True).finding


def of_samples():
    return dpv.audit_samples(d0=scores(), d1=scores() + 0.1, claim=CLAIM).finding


def of_scores():
    return dpv.audit_scores(scores(), scores() + 0.1, claim=CLAIM).finding


def of_one_run():
    included = np.random.default_rng(1).integers(2, size=400)
    return dpv.audit_one_run(scores(), included, claim=CLAIM).finding


def of_canaries():
    features = np.random.default_rng(2).normal(size=(60, 3))
    with dpv.canaries(None, (features, features[:, 0] > 0), claim=CLAIM, count=200) as study:
        study.score(np.arange(200.0))
    return study.result.finding


def of_sampler():
    batches = [[record] for record in range(20)]
    return dpv.audit_sampler(lambda: iter(batches), records=20, accounted="shuffled(size=1)", epochs=30).finding


def of_library():
    pair = SimpleNamespace
    from dpverify.core.subjects import Pair
    from dpverify.definitions.pure_dp import PureDP

    offered = pair(
        id="a",
        guarantee=PureDP(epsilon=1.0),
        relation="add-remove",
        constructor="noisy",
        parameters={},
        source="here",
        twin="",
        pairs=(Pair(d0=[1.0, 1.0], d1=[1.0]),),
        build=lambda: noisy,
        single=None,
    )
    return audit_claim(offered, entry_of(offered, library="mine", version="1"), OfLibrary(alpha=1e-6, trials=4_000))


def of_suite_file(tmp_path):
    job = SimpleNamespace(
        entry=SimpleNamespace(name="a", expect="stands", accept=None, file=tmp_path / "dpverify.toml", line=1),
        asked=Asked(),
    )
    row, record, _ = _finished(job, of_example(), {"a": {}})
    return Finding(row=row, notes=tuple(map(note_of, record["notes"])))


ENTRIES = {
    name: entry for name, entry in globals().items() if name.startswith("of_") and name not in ("of_suite_file",)
}


@pytest.mark.parametrize("name", [*ENTRIES, "of_suite_file"])
def test_every_entry_goes_before_the_judges(name, monkeypatch, tmp_path):
    """The first of them marks the finding, so that one that no entry asked would be missed."""

    def mark(finding, known):
        return finding.but(finding.status, f"{finding.row.verdict.reason} marked")

    monkeypatch.setattr(judges, "OF_AUDITS", (*judges.OF_AUDITS, mark))
    found = of_suite_file(tmp_path) if name == "of_suite_file" else ENTRIES[name]()
    assert "marked" in found.row.verdict.reason


def test_saved_failures_go_before_the_judges(monkeypatch):
    monkeypatch.setattr(judges, "OF_AUDITS", (*judges.OF_AUDITS, lambda found, _: found.but(Status.ERROR, "marked")))
    known = dpv.registry()
    name = f"{__name__}:noisy"
    again = RetrySettings(known=known, seconds=1.0, alpha=1e-6, seed=0, mechanisms=frozenset([name]))
    words = {"relation": "add-remove", "mechanism": name, "guarantee": CLAIM, "auditor": "gate", "seed": 0}
    saved = Regression(claim="a", d0=[1.0, 1.0], d1=[1.0], form="list", **words)
    assert "marked" in again.outcome(saved).why


@pytest.mark.parametrize("known", [Known(strict=True), Known(strict=True, expect="stands"), Known(saw_nothing="x")])
def test_no_judge_makes_a_verdict_stronger(known):
    """In the order of what a verdict says for a claim. This one is false outside of its example, too."""
    weaker = [Status.CERTIFIED, Status.NOT_REFUTED, Status.INCONCLUSIVE, Status.UNSUPPORTED, Status.ERROR]
    found = of_example()
    assert found.row.outside
    for status in Status:
        given = found.but(status, "")
        given = replace(given, notes=(Note(Kind.RAISED, "ValueError on 3 pairs"),))
        after = judged(given, known).status
        assert after is status or weaker.index(after) >= weaker.index(status)
        assert (after is Status.REFUTED) is (status is Status.REFUTED)


def test_a_refutation_that_must_show_twice():
    first = of_example().but(Status.REFUTED, "")
    twice = judged(first, Known(again=lambda: first))
    assert twice.status is Status.REFUTED and Note(Kind.PLAIN, judges.CONFIRMED) in twice.notes
    once = judged(first, Known(again=lambda: first.but(Status.NOT_REFUTED, "")))
    assert once.status is Status.INCONCLUSIVE and "refuted once (epsilon >= " in once.row.verdict.reason


def test_what_a_suite_expects():
    found = of_example()
    broken = judged(found, Known(expect="broken", strict=True))
    assert (broken.fails, broken.status) == (True, Status.NOT_REFUTED)
    refuted = found.but(Status.REFUTED, "")
    assert judged(refuted, Known(expect="broken")).fails is False
    accepted = judged(refuted, Known(expect="stands", acceptance=lambda status: (f"known {status}", "soon over")))
    assert (accepted.fails, accepted.accepted, accepted.told) == (True, "known refuted", ("soon over",))
    assert judged(refuted, Known()).fails is False


def test_what_leaves_a_process_comes_back():
    found = of_example()
    again = Finding.of_values(found.values(), found.row.entry)
    assert again == replace(found)
    for wrong in (
        {},
        {**found.values(), "draws": "many"},
        {**found.values(), "notes": 3},
        {**found.values(), "notes": [["odd", "a"]]},
        None,
    ):
        with pytest.raises(dpv.AuditError, match="sent no result that can be read"):
            Finding.of_values(wrong, found.row.entry)
