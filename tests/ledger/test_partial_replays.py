"""A part of a row: the same for the same code, another for other code, and no clock or name in it."""

from __future__ import annotations

from dataclasses import replace

from auditors.privacy.histogram.auditor import HistogramAuditor
from dpverify.core.plugins import registry
from dpverify.ledger import partial_replays
from dpverify.ledger.partial_replays import DRAWS, exact_numbers, partial_replay
from dpverify.runner.plan import PROFILES, make_plan, task_streams


def unit():
    known = registry()
    name = next(name for name in known.entries if name.startswith("randomised-response"))
    (found,) = make_plan(known, [known.entries.get(name)], suite="core", methods=("histogram",), trials=200_000).units
    return found


def test_a_part_is_given_back_and_follows_the_streams_of_the_row():
    one = unit()
    same = partial_replay(one.task, one.auditors, {})
    assert partial_replay(one.task, one.auditors, {}) == same
    assert "histogram: the first draws" in same["compared"]
    assert partial_replay(replace(one.task, seed=1), one.auditors, {})["digest"] != same["digest"]
    renamed = replace(one.task.claim, id="renamed", streams=one.task.claim.id)
    assert partial_replay(replace(one.task, claim=renamed), one.auditors, {})["digest"] == same["digest"]
    other = replace(one.task.claim, id="another")
    assert partial_replay(replace(one.task, claim=other), one.auditors, {})["digest"] != same["digest"]


def test_it_is_that_of_the_record_s_row_and_seed_in_the_full_profile(monkeypatch):
    seen = []
    monkeypatch.setattr(partial_replays, "partial_replay", lambda task, own, _: seen.append((task, own)) or {})
    item = {"id": "AD-TOL-R.far", "seed": 5, "evidence": [{"auditor": "mean"}], "witness": None, "seconds": 1.0}
    assert partial_replays.parts(registry(), [item], jobs=1) == {"AD-TOL-R.far": {}}
    ((task, auditors),) = seen
    assert (task.claim.id, task.seed, task.effort) == ("AD-TOL-R.far", 5, PROFILES["full"].effort)
    assert [each.name for each in auditors] == ["mean"]


def test_bits_are_all_that_was_found_and_not_how_long_it_took():
    one = unit()
    task = replace(one.task, trials=DRAWS, stream=task_streams(0, "a name"))
    found = HistogramAuditor().audit(task)
    assert exact_numbers(found) == exact_numbers(replace(found, seconds=17.0, seed=3, claim="another", version="99"))
    assert exact_numbers(found) != exact_numbers(replace(found, bound=found.bound + 1e-15))
    assert exact_numbers(found) != exact_numbers(replace(found, statistics={**found.statistics, "n": 1}))
