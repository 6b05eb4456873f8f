"""Looks at known-broken mechanisms: made once, made again where nobody found it, and counted."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from tests.calibration.plain import Plain
from tests.power import known_broken
from tests.power.known_broken import CONFIDENCE, MORE, SEED, TRIALS, broken_entries, key


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
    monkeypatch.setattr(known_broken, "part", lambda _registry, auditor, entry: f"{auditor} {entry.claim.id}")
    of_sources(monkeypatch, "these")
    return found


def of_sources_kept(path, **more):
    """Make the looks of a file fresh."""
    content = json.loads(path.read_text())
    content["known_broken"] = [one | {"sources": "these"} | more for one in content["known_broken"]]
    path.write_text(json.dumps(content))


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
    assert "probability 0.001, two with 0.002." in " ".join(lines)
    assert "| bad | found | 1 |" in lines
    assert "| worst * | found | 1 |" in lines


def test_looks_of_other_sources_are_replayed_and_made_again_only_where_their_part_differs(known, tmp_path, monkeypatch):
    list(known_broken.looks(known, [Plain()], folder=tmp_path))
    of_sources(monkeypatch, "others")
    known.looked.clear()
    assert list(known_broken.looks(known, [Plain()], folder=tmp_path)) == []
    assert known.looked == []
    assert "| bad | found | 1 |" in known_broken.lines(known, tmp_path)
    of_sources(monkeypatch, "yet others")
    monkeypatch.setattr(known_broken, "part", lambda _registry, auditor, entry: f"now {entry.claim.id == 'bad'}")
    assert len(list(known_broken.looks(known, [Plain()], folder=tmp_path))) == 3


def test_nothing_is_unfound_before_all_have_looked(known, tmp_path):
    known.auditors.add("other", Plain(name="other"))
    list(known_broken.looks(known, [Plain()], folder=tmp_path))
    assert known.looked == [("worst", TRIALS), ("bad", TRIALS)]
    assert "- other, missing: all." in known_broken.lines(known, tmp_path)
    assert "| worst | missed | 0 |" in known_broken.lines(known, tmp_path)


def test_a_look_that_is_lacking_hides_no_other_and_is_no_refusal(known, tmp_path):
    """With another auditor that has not looked, nobody knows any more that nobody finds it; the find stands."""
    list(known_broken.looks(known, [Plain()], folder=tmp_path))
    known.auditors.add("other", Plain(name="other"))
    known_broken.Kept(tmp_path, "other").put("known_broken", {"claim": "bad", "trials": TRIALS, "verdict": "refused"})
    of_sources_kept(tmp_path / "other.json")
    lines = known_broken.lines(known, tmp_path)
    assert "| worst * | found | 1 |" in lines
    assert "| bad | found | 1 |" in lines
    of_sources_kept(tmp_path / "other.json", verdict="not_refuted")
    lines = known_broken.lines(known, tmp_path)
    assert "| worst * | ? | found | 1 |" in lines
    assert "| bad | missed | found | 1 |" in lines
    assert "- other, missing: worst." in lines


def test_stale_looks_are_named_and_not_shown(known, tmp_path, monkeypatch):
    list(known_broken.looks(known, [Plain()], folder=tmp_path))
    of_sources(monkeypatch, "others")
    assert known_broken.lines(known, tmp_path) == ["- plain, stale: all."]
    assert len(json.loads((tmp_path / "plain.json").read_text())["known_broken"]) == 3


def test_a_look_is_kept_by_all_that_decides_it(monkeypatch):
    registered = registry()
    entries = broken_entries(registered)
    first, second = (registered.auditors.get(name) for name in ("event", "histogram"))
    keys = [key(registered, auditor, entry, TRIALS) for auditor in (first, second) for entry in entries[:10]]
    assert len({one["sources"] for one in keys}) == len(keys)
    (before,) = keys[:1]
    assert before | {"trials": MORE} == key(registered, first, entries[0], MORE)
    for name, value in (("SEED", SEED + 1), ("CONFIDENCE", 0.5)):
        with monkeypatch.context() as changed:
            changed.setattr(known_broken, name, value)
            assert key(registered, first, entries[0], TRIALS) != before
    moved = replace(entries[0].claim, relation="add-remove" if entries[0].claim.relation != "add-remove" else "replace")
    assert key(registered, first, replace(entries[0], claim=moved), TRIALS)["sources"] != before["sources"]


def test_all_quick_entries_that_are_expected_to_be_broken_are_looked_at():
    found = {entry.claim.id for entry in broken_entries(registry())}
    assert len(found) > 50
    assert {"bad-partial-sum", "dp-sgd-noise-0.9", "float-laplace", "svt6", "unclipped-sum-sensitivity"} <= found


def test_a_look_is_one_audit_at_its_budget_and_confidence_and_refusals_are_not_told(tmp_path):
    """The exact auditor refutes a law, and refuses what has none; the verdict is that of the ordinary runner."""
    registered = registry()
    entries = {entry.claim.id: entry for entry in broken_entries(registered)}
    seen = known_broken.look(registered, "histogram", entries["exact-count"], trials=2000)
    assert seen["verdict"] == "refuted"
    assert known_broken.look(registered, "exact", entries["cut-gaussian"])["verdict"] == "refused"
    chosen = [entries["exact-count"], entries["cut-gaussian"]]
    made = known_broken._made(registered, [registered.auditors.get("exact")], chosen, TRIALS, tmp_path)
    assert [line.split(",")[0] for line in made] == ["exact on exact-count"]


def test_a_look_spends_the_confidence_that_is_printed(monkeypatch):
    asked = []

    def planned(*given, **named):
        asked.append(named["confidence"])
        return make_plan(*given, **named)

    make_plan = known_broken.make_plan
    monkeypatch.setattr(known_broken, "make_plan", planned)
    registered = registry()
    entry = next(entry for entry in broken_entries(registered) if entry.claim.id == "cut-gaussian")
    known_broken.look(registered, "exact", entry)
    assert asked == [CONFIDENCE]
