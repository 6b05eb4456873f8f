"""What falls outside of an example is the first line and no verdict; what is stated is audited as stated.

False alarms: audits of true claims are at 1e-9 each, and so is what they say of data outside.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import PASSES, Status
from dpverify.definitions.pure_dp import PureDP
from dpverify.neighbourhood.neighbourhood import of_example
from dpverify.neighbourhood.outside import LEAST_TRIALS, SHARE, split
from dpverify.reporting.formatting import false_alarms
from dpverify.runner.plan import Unit
from dpverify.runner.record import record
from dpverify.sampling.streams import stream

SURE = 1 - 1e-9
DATA = [0.2, 0.9, 1.0, 0.0]


def clipped(data):
    return float(np.sum(np.clip(np.nan_to_num(np.asarray(data, dtype=float)), 0, 1)))


def right(data, size, rng):
    return clipped(data) + rng.laplace(size=size)


def wrong(data, size, rng):
    return clipped(data) + rng.laplace(scale=0.5, size=size)


def no_clip(data, size, rng):
    return float(sum(data)) + rng.laplace(size=size)


def clip_lets_nan_pass(data, size, rng):
    return float(np.sum(np.clip(np.asarray(data, dtype=float), 0, 1))) + rng.laplace(size=size)


def exact_above_1000(data, size, rng):
    noise = rng.laplace(size=size)
    return clipped(data) + (noise if max(data, default=0) <= 1000 else 0 * noise)


def overflows_at_127(data, size, rng):
    above = np.asarray(data, dtype=np.int8) + np.int8(1)  # 127 becomes -128
    return float(np.sum(above.astype(float) / 101)) + rng.laplace(size=size)


def raises_on_nan(data, size, rng):
    if np.isnan(np.asarray(data, dtype=float)).any():
        raise ValueError("NaN is not allowed")
    return clipped(data) + rng.laplace(size=size)


def slow_on_large(data, size, rng):
    for _ in range(int(10 ** min(max(data, default=0), 7))):  # a second, where others take microseconds
        pass
    return clipped(data) + rng.laplace(size=size)


def hangs_on_large(data, size, rng):
    while max(data, default=0) > 10:
        pass
    return clipped(data) + rng.laplace(size=size)


def audit(function, data=DATA, **settings):
    words = {"claim": "PureDP(epsilon=1)", "trials": 40_000, "confidence": SURE} | settings
    return dpv.audit(function, data=data, **words)


@pytest.mark.parametrize(
    ("function", "data", "start"),
    [
        (no_clip, DATA, "false unless records lie in [0, 1]: clip, or state --bounds (it falls at 1000000.0)"),
        (
            clip_lets_nan_pass,
            DATA,
            "false where a record is NaN: drop or replace NaN, which clipping lets pass, or state --bounds",
        ),
        (exact_above_1000, DATA, "false unless records lie in [0, 1]: clip, or state --bounds (it falls at 1000000.0)"),
        (
            overflows_at_127,
            [3, 50, 100],
            "false unless records lie in [3, 100]: clip, or state --bounds (it falls at 1",
        ),
        (overflows_at_127, np.array([3, 50, 100], np.int8), "false unless records lie in [3, 100]: clip, or state"),
    ],
)
def test_what_falls_outside_is_the_first_line_and_no_refutation(function, data, start):
    result = audit(function, data)
    assert result.verdict is Status.NOT_REFUTED
    assert result.lines()[0].startswith(start)
    assert result.check() is result
    found = result.evidence.statistics["outside"]
    assert (found["says"], found["bound"] > 1) == ("refuted", True)
    assert {"d0", "d1", "event", "pair"} <= set(found["witness"])
    assert record(result.row)["evidence"][0]["statistics"]["outside"]["line"] == result.row.outside
    assert json.dumps(record(result.row), allow_nan=False)


def test_by_type_it_is_a_refutation():
    result = audit(no_clip, domain="type")
    assert (result.verdict, result.row.outside) == (Status.REFUTED, "")
    assert "1000000.0" in result.evidence.witness["pair"]
    assert audit(right, domain="type").verdict is Status.CERTIFIED
    with pytest.raises(InputError, match=r"domain 'types'; allowed: example, type"):
        audit(right, domain="types")


@pytest.mark.parametrize(("domain", "spent"), [("type", "1e-09"), ("example", "9e-10")])
@pytest.mark.parametrize("function", [right, wrong])
def test_what_is_spent_outside_counts_where_it_can_refute(function, domain, spent):
    found = false_alarms([record(audit(function, domain=domain).row)])
    assert found == f"False-alarm probability of these rows together: at most {spent} (1 statistical audit)."


def test_a_refutation_outside_counts_once():
    assert "at most 1e-09 (2" in false_alarms([record(audit(no_clip, domain="type").row)])


def test_a_right_mechanism_passes_and_exceptions_outside_are_told_in_one_line():
    for function, told, verdict in ((right, 0, Status.CERTIFIED), (raises_on_nan, 1, Status.NOT_REFUTED)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = audit(function)
        assert (result.verdict, result.row.outside) == (verdict, "")
        assert sum("ValueError: NaN is not allowed" in note for note in result.notes) == told
        assert not any(note.startswith("raised: ") for note in result.notes)
        assert sum(note.startswith("outside: ") for note in result.notes) == 1


@pytest.mark.parametrize(
    ("function", "why"),
    [(slow_on_large, "(a call takes much longer there)"), (hangs_on_large, "ran longer than its limit of 0.5 s")],
)
def test_a_call_that_takes_too_long_outside_is_told_and_left_out(function, why, monkeypatch):
    monkeypatch.setattr("dpverify.neighbourhood.outside.PATIENCE", 0.5 if function is hangs_on_large else 60.0)
    result = audit(function)
    assert result.verdict is Status.NOT_REFUTED
    (told,) = (note for note in result.notes if note.startswith("outside: "))
    assert why in told
    assert "were left out (" in told


def test_a_wrong_mechanism_is_refuted_inside_and_nothing_is_tried_outside():
    result = audit(wrong)
    assert result.verdict is Status.REFUTED
    assert not any(note.startswith("outside: ") for note in result.notes)


def test_what_is_stated_is_audited_as_stated():
    for stated in ({"bounds": (0, 1)}, {"records": "float(0, 1)"}):
        for function in (no_clip, clip_lets_nan_pass):
            result = audit(function, **stated)
            assert (result.verdict, result.row.outside) == (Status.CERTIFIED, "")
            assert not any(note.startswith("outside: ") for note in result.notes)
    assert audit(no_clip, bounds=(0, 2)).verdict is Status.REFUTED
    assert audit(clip_lets_nan_pass, records="missing(float(0, 1))").verdict is Status.REFUTED


def test_levels_and_draws_are_divided_before_the_first_draw():
    claim = Claim(
        id="c",
        guarantee=PureDP(epsilon=1.0),
        relation="add-remove",
        subject="c",
        source=Source(paper="user", locus=""),
        space=SearchSpace(),
    )
    place = of_example(DATA, relation=None, records=None, bounds=None, unit=None)
    task = Task(
        claim=claim,
        build=lambda **_: None,
        neighbors=place.generator,
        alpha=1e-3,
        trials=10_000,
        stream=lambda *names: stream(0, *names),
    )
    unit = Unit(entry=SuiteEntry(claim=claim, suites=()), auditors=(registry().auditors.get("gate"),), task=task)
    inside, outside = split(unit, place.beyond)
    assert inside.task.alpha + outside.unit.task.alpha == pytest.approx(1e-3, rel=1e-12)
    assert outside.unit.task.alpha == SHARE * 1e-3
    assert (inside.task.trials, outside.unit.task.trials) == (9_000, 1_000)
    assert outside.unit.entry.claim.stream_name != claim.stream_name  # draws of its own
    few, on_top = split(replace(unit, task=replace(task, trials=LEAST_TRIALS - 1)), place.beyond)
    assert (few.task.trials, on_top.unit.task.trials, on_top.trials) == (LEAST_TRIALS - 1, 199, LEAST_TRIALS - 1)
    assert few.task.alpha + on_top.unit.task.alpha == pytest.approx(1e-3, rel=1e-12)
    assert split(unit, None) == (unit, None)


def test_the_line_that_makes_it_again_names_all_draws():
    result = audit(no_clip, trials=10_000)
    assert "trials=10000" in result.row.reproduce


def test_few_draws_are_enough_for_a_replay_outside():
    result = audit(no_clip, trials=500)
    assert result.row.outside.startswith("false unless records lie in [0, 1]")
    assert "trials=500" in result.row.reproduce
    hidden = audit(lambda data, rng: no_clip(data, None, np.random.default_rng(int(rng.integers(2**32)))), trials=500)
    assert hidden.row.outside.startswith("false unless records lie in [0, 1]")  # its generator is followed


def test_what_is_not_tried_is_told(tmp_path):
    told = "outside: nothing was tried of what the example does not show, which pooled evidence cannot"
    pooled = {"sequential": True, "trials": 2_000}
    assert told in audit(no_clip, evidence_file=tmp_path / "e.json", **pooled).notes
    assert told not in audit(no_clip, evidence_file=tmp_path / "f.json", bounds=(0, 1), **pooled).notes


def test_what_ends_the_process_outside_is_left_out_and_told():
    """numpy's bincount of 2^63 - 1 writes beyond its table."""

    def histogram(data, rng):
        if max(data, default=0) > 2**60:
            os.abort()
        return np.bincount(data, minlength=4)[:4] + rng.laplace(size=4)

    result = audit(histogram, data=[0, 1, 2, 3], trials=20_000)
    assert result.verdict is Status.NOT_REFUTED
    (told,) = (note for note in result.notes if note.startswith("outside: "))
    assert "the largest integers were left out (the process at work died" in told
    strict = audit(histogram, data=[0, 1, 2, 3], trials=20_000, domain="type")
    assert "left out" in strict.shortfall()


def test_methods_that_draw_nothing_try_nothing_outside():
    result = audit(no_clip, trials=20_000, methods=["replay"], domain="type")
    assert any("which methods that draw nothing cannot" in note for note in result.notes)
    assert "nothing was tried" in result.shortfall()


@pytest.mark.parametrize("data", [DATA, [0, 1, 2, 3]])
def test_whatever_goes_wrong_outside_takes_no_verdict_inside(data, monkeypatch):
    def fails(*_given, **_words):
        raise InputError("a pair cannot be built", allowed="another")

    monkeypatch.setattr("dpverify.datasets.neighbors.beyond_example.BeyondExample.candidates", fails)
    result = audit(right, data=data, trials=4_000)
    assert result.verdict in PASSES
    assert any("nothing was tried" in note and "a pair cannot be built" in note for note in result.notes)
