"""Pages of experiments, from records alone: what each says, and that texts are escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger.committed_records import read_record
from dpverify.ledger.utility_records import read_experiment
from dpverify.reporting.progress import CellsProgress, duration
from dpverify.reporting.utility_pages import (
    _data,
    _row,
    numbers_of,
    outcome_of,
    statement_lines,
    write_utility_pages,
)
from dpverify.reporting.utility_then import share

NAME = "adpsgd-fig-1"
POINTS = [[1.0, 0.5, 0.4, 0.6], [10.0, 0.7, 0.6, 9.0]]


def record(id, outcome, **more):
    said = {"outcome": outcome, "upper": 0.2, "failing": [], "moved": [], "exact": False, "missing": {}, **more}
    part = {"statistics": said, "measure": {"claimed": 0.05}, "bound": 0.1, "detectable": 0.08, "trials": 9}
    return {"id": id, "evidence": [part], "reason": "", "guarantee": "Shape(...)", "reproduce": "dpverify reproduce x"}


def pages(tmp_path, outcome="refuted", changed=None, **more):
    known = registry()
    experiment = replace(known.experiments.get(NAME), title="A <b>title</b>", needs={"cifar-10": "a file"})
    only = SimpleNamespace(experiments={NAME: experiment})
    kept = {
        "name": NAME, "profile": "quick", "repetitions": 3, "seconds": 1.5, "reproduce": "dpverify reproduce x",
        "curves": {"adult": {"ADP-SGD": {"noise": POINTS}, "DP-SGD": {"noise": POINTS}}},
        "arms": {"ADP-SGD": {"price": "one"}, "DP-SGD": {"price": "then"}},
        "settings": {"ADP-SGD": {"adult": {"1": {"eta": 0.5}}}},
        "prices": {"ADP-SGD": {"kind": "one", "adult": {"1": [0.99, "pld"], "2": [None, "below its floor"]}}},
    }  # fmt: skip
    kept |= changed or {}
    statements = {each.id: record(each.id, outcome, **more) for each in experiment.statements}
    written = write_utility_pages(only, {NAME: kept}, statements, tmp_path)
    return [path.read_text() for path in written]


def test_what_the_pages_say(tmp_path):
    first, item = pages(tmp_path, failing=["a against b at 1"])
    assert "does not hold" in first.lower()
    assert 'href="utility/adpsgd-fig-1.html"' in first
    assert "decreases much slower" in item
    assert "A &lt;b&gt;title" in item
    assert "a against b at 1" in item
    assert "shortfall 0.1 to 0.2, allowed 0.05; n = 9, 80 % power for 0.03 more" in item
    assert "eta 0.5" in item
    assert "0.99 (pld); 2: none; below its floor" in item
    assert "cifar-10" in item
    assert item.count("<svg") >= 3
    assert "nan" not in item
    assert set(re.findall(r'(?:src|href)="([^"]*)"', first + item)) <= {"utility/adpsgd-fig-1.html", "../utility.html"}


@pytest.mark.parametrize(
    ("outcome", "word"), [("confirmed", "holds"), ("depends", "depends on settings"), ("undecided", "undecided")]
)
def test_every_outcome_has_its_word(tmp_path, outcome, word):
    first, item = pages(tmp_path, outcome=outcome, vacuous="because")
    assert word in first.lower()
    assert f'class="verdict {outcome}">{word}' in item
    assert ("Because" in item) is (outcome == "depends")  # of an undecided one the numbers say it all


def test_what_was_not_measured():
    item = {"id": "U-X", "evidence": [], "verdict": "unsupported", "reason": "paired: no data set is here: ipums"}
    assert outcome_of(item) == "missing"
    assert outcome_of({**item, "reason": "not measured yet"}) == "unmeasured"
    failed = {**item, "verdict": "error", "reason": "paired: run d a 1 -1, repetition 0: ValueError: no"}
    assert outcome_of(failed) == "failed"
    assert "could not be measured" in next(statement_lines([failed]))
    assert numbers_of(item) == item["reason"]
    assert next(statement_lines([item])).split()[:3] == ["U-X", "data", "missing"]


def test_a_quick_page_says_what_was_cut_and_how_settings_were_chosen(tmp_path):
    effort = {"rows": 5000, "once": True, "places": [2, 7], "settings": {"steps": 40, "model": "mlp:16"}}
    chosen = {"effort": effort, "trials": {"ADP-SGD": 3, "DP-SGD": 0}, "rule": "oracle"}
    first, item = pages(tmp_path, changed=chosen)
    assert "at most 5,000 records of either part, steps = 40, model = mlp:16, 2 of 7 places, settings chosen" in item
    assert "Settings that were chosen on the test part of the same data set (an oracle" in item
    assert "trials: ADP-SGD 3, DP-SGD none" in item
    assert "by the same number" not in item
    assert "Provisional" in item
    assert "provisional" in first
    for said in ({"profile": "full"}, {"repetitions": 1}):
        assert "rovisional" not in "".join(pages(tmp_path, changed=said))
    assert "Provisional" not in pages(tmp_path, outcome="undecided")[1]
    assert "on another data set" in pages(tmp_path, changed={**chosen, "rule": "other"})[1]


def test_limits_that_say_nothing_are_not_printed():
    few = "undecided: too few repetitions: 2, and a verdict needs 10"
    assert numbers_of(record("U", "undecided", vacuous=few)) == "too few repetitions: 2, and a verdict needs 10; n = 9"
    apart = "unequal: the arms are not at one price on d at 1: epsilon of a 1, b 2"
    line = next(statement_lines([record("U", "unequal", vacuous=apart)]))
    assert line.split(maxsplit=1)[1].startswith("not at one price       the arms are not at one price on d")
    wide = record("U", "undecided", vacuous="undecided: the shortfall lies between 0.1 and 0.2", upper="inf")
    assert "shortfall 0.1 to inf" in numbers_of(wide)


def test_progress_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("dpverify.reporting.progress.PLAIN_EVERY", -1.0)
    with CellsProgress() as shown:
        shown.told("x", 3, 9, 75.0)
    with CellsProgress(quiet=True) as shown:
        shown.told("y", 3, 9, None)
    assert capsys.readouterr().err == "3 of 9 trainings, x, 75 s left\n"


def test_durations():
    assert [duration(each) for each in (4.4, 100, 3000, 6000)] == ["4 s", "2 min", "50 min", "1 h 40 min"]


def test_verdicts_have_p_values_among_all_statements(tmp_path):
    """Holm: two verdicts at .001 each are two of two statements; what is computed and not drawn does not count."""
    first, item = pages(tmp_path, p=0.001, corrected="undecided")
    assert "p = 0.002 among all verdicts of both columns (Holm)" in item
    assert "By the corrected resampled t, which allows for splits that share records: undecided." in item
    assert "by the corrected resampled t undecided" in first
    assert "Holm)" not in pages(tmp_path, p=0.0, exact=True)[1]
    assert "resampled t" not in pages(tmp_path, corrected="refuted")[1]


def test_a_verdict_that_one_column_only_affords_is_none(tmp_path):
    """Two statements, two columns: each verdict has a quarter of 5 %."""
    assert 'class="verdict refuted"' in pages(tmp_path, p=0.012)[1]
    first, item = pages(tmp_path, p=0.013)
    assert 'class="verdict refuted"' not in item and "Does not hold among one column only: p = 0.013" in item
    assert "<b>2</b>undecided" in first
    assert 'class="verdict refuted"' in pages(tmp_path, p=0.013, exact=True)[1]


def test_the_first_page_tells_the_papers_data_substitutes_and_cuts():
    known = registry()
    told = {}
    for name, experiment in known.experiments.items():
        told[name] = dict(_data(experiment, read_experiment(name)))
        assert told[name]["Paper"], name
    assert told["adadp-fig-1a"] == {
        "Paper": "cifar-10",
        "Here": "mnist, fashion-mnist, in place of it",
        "Cut": "20 of 200 rounds, a hidden layer of 64, 5,000 records",
    }
    assert told["rsgd-fig-1"] == {"Paper": "adult, bank, ipums-br, ipums-us", "Not here": "ipums-br, ipums-us"}
    assert told["adpsgd-fig-1"] == {"Paper": "none: computed"}
    assert told["blsgd-fig-1a"] == {"Paper": "adult"}
    quick = {**read_experiment("adadp-fig-4a"), "profile": "quick"}
    assert dict(_data(known.experiments.get("adadp-fig-4a"), quick))["Cut"].endswith("sigmas; 2 of 4 places")
    notes = [name for name, each in known.experiments.items() if "in place of" in told[name].get("Here", "")]
    assert set(notes) == {name for name in notes if "cifar-10" in told[name]["Paper"]}


def test_no_shortfall_stands_without_its_means():
    known = registry()
    for name, experiment in known.experiments.items():
        for each in experiment.statements:
            row = _row(each, read_record(each.id), read_experiment(name), share(known))
            assert row["worst"] or "shortfall" not in row["numbers"], each.id


def test_what_speaks_against_a_paper_is_not_its_success(tmp_path):
    known = registry()
    against = {each.id for name in known.experiments for each in known.experiments.get(name).statements if each.against}
    assert against == {"U-AP-TABLE-2-SELECTION", "U-AP-TABLE-2-SIZE"}
    name = "adpsgd-table-2"
    experiment = known.experiments.get(name)
    statements = {each.id: record(each.id, "confirmed") for each in experiment.statements}
    kept = {"name": name, "profile": "full", "repetitions": 30, "seconds": 1.5, "reproduce": "r", "curves": {},
            "arms": {}, "settings": {}, "prices": {}}  # fmt: skip
    _, item = write_utility_pages(SimpleNamespace(experiments={name: experiment}), {name: kept}, statements, tmp_path)
    assert '<span class="verdict undecided">holds, and is said against the paper</span>' in item.read_text()
    assert 'class="verdict confirmed"' not in item.read_text()
