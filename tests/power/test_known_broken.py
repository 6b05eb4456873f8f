"""Looks at known-broken mechanisms: made once, made again where nobody found it, and counted."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dpverify.core.registry import Registry
from tests.calibration.plain import Plain
from tests.power import known_broken
from tests.power.known_broken import MORE, TRIALS


@pytest.fixture
def known(monkeypatch):
    """Two mechanisms, of which the auditor finds one at once, and the other one with more draws."""
    entries = [SimpleNamespace(claim=SimpleNamespace(id=name)) for name in ("worst", "bad")]
    found = Registry()
    found.auditors.add("plain", Plain())
    found.looked = []

    def look(_registry, auditor, entry, *, trials):
        found.looked.append((entry.claim.id, trials))
        verdict = "refuted" if entry.claim.id == "bad" or trials == MORE else "not_refuted"
        return {"auditor": auditor, "claim": entry.claim.id, "verdict": verdict, "seconds": 0.1}

    monkeypatch.setattr(known_broken, "broken_entries", lambda _registry: entries)
    monkeypatch.setattr(known_broken, "look", look)
    of_sources(monkeypatch, "these")
    return found


def of_sources(monkeypatch, sources):
    monkeypatch.setattr(
        known_broken,
        "key",
        lambda _registry, _auditor, entry, trials: {"claim": entry.claim.id, "trials": trials, "sources": sources},
    )


def test_each_is_looked_at_once_and_what_nobody_finds_once_more(known, tmp_path):
    told = list(known_broken.looks(known, [Plain()], folder=tmp_path))
    assert known.looked == [("worst", TRIALS), ("bad", TRIALS), ("worst", MORE)]
    assert told[0] == f"plain on worst, {TRIALS} trials: not_refuted (0.1 s)"
    assert list(known_broken.looks(known, [Plain()], folder=tmp_path)) == []
    lines = known_broken.lines(known, tmp_path)
    assert "| bad | found | 1 |" in lines
    assert "| worst * | found | 1 |" in lines


def test_nothing_is_unfound_before_all_have_looked(known, tmp_path):
    known.auditors.add("other", Plain(name="other"))
    list(known_broken.looks(known, [Plain()], folder=tmp_path))
    assert known.looked == [("worst", TRIALS), ("bad", TRIALS)]
    assert "- other, missing: all." in known_broken.lines(known, tmp_path)
    assert "| worst | missed | 0 |" in known_broken.lines(known, tmp_path)


def test_stale_looks_are_named_and_not_shown(known, tmp_path, monkeypatch):
    list(known_broken.looks(known, [Plain()], folder=tmp_path))
    of_sources(monkeypatch, "others")
    assert known_broken.lines(known, tmp_path) == ["- plain, stale: all."]
    assert len(json.loads((tmp_path / "plain.json").read_text())["known_broken"]) == 3
