"""The matrix: finished cells are kept and stale ones made again, and the table says what the cells say."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from auditors.privacy.histogram.auditor import HistogramAuditor
from tests.calibration import matrix, table
from tests.calibration.boundaries import boundaries
from tests.calibration.plain import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Picky(Plain):
    """Examines one boundary only."""

    def refuses(self, task):
        return None if task.claim.id == "boundary-die" else "not the die"


@pytest.fixture
def few(monkeypatch):
    known = tuple(boundary for boundary in boundaries() if boundary.name in ("die", "laplace"))
    monkeypatch.setattr(matrix, "boundaries", lambda: known)
    monkeypatch.setattr(matrix, "TRIALS", (50,))


def made(folder, auditor=None, *, repetitions=20, seed=1):
    todo = list(matrix.cells([auditor or Picky()]))
    tallies = matrix.calibrate(todo, repetitions=repetitions, seed=seed, jobs=1, folder=folder)
    return [(tally.boundary, tally.alpha, tally.count) for tally in tallies]


def told(folder, auditor=None, *, repetitions=20, seed=1):
    todo = list(matrix.cells([auditor or Picky()]))
    return table.rendered(list(matrix.states(todo, repetitions=repetitions, seed=seed, folder=folder)))


def test_finished_cells_are_kept_and_stale_ones_made_again(few, tmp_path, monkeypatch):
    first = made(tmp_path)
    assert [each[:2] for each in first] == [("die", 0.2), ("die", 0.05)]
    assert made(tmp_path) == []
    path = tmp_path / "plain.json"
    content = json.loads(path.read_text())
    content["cells"] = [cell for cell in content["cells"] if cell["alpha"] != 0.05]
    path.write_text(json.dumps(content))
    assert made(tmp_path) == first[1:]  # a stopped run goes on, with the same numbers
    assert made(tmp_path, Picky(version="2")) == []  # another version of the same code is replayed
    assert len(made(tmp_path, repetitions=25)) == 2
    assert len(made(tmp_path, repetitions=25, seed=2)) == 2
    assert made(tmp_path, repetitions=25, seed=2) == []
    assert len(json.loads(path.read_text())["cells"]) == 2


def test_cells_of_other_sources_are_replayed_and_made_again_only_where_the_first_audits_differ(
    few, tmp_path, monkeypatch
):
    made(tmp_path)
    path = tmp_path / "plain.json"
    before = json.loads(path.read_text())["cells"]
    monkeypatch.setattr(matrix, "deciding", lambda auditor, boundary: "other sources")
    assert made(tmp_path) == []
    after = json.loads(path.read_text())["cells"]
    assert after == [{**cell, "replayed": "other sources"} for cell in before]
    assert "2 cells, 40 audits" in told(tmp_path)
    assert "2 replayed, 0 stale" in told(tmp_path) and "- Replayed: die." in told(tmp_path)
    monkeypatch.setattr(matrix, "deciding", lambda auditor, boundary: "yet others")
    assert "2 stale" in told(tmp_path)
    after[0]["part"] = "0" * 16  # what the sources then gave
    path.write_text(json.dumps({"cells": after}))
    assert [each[:2] for each in made(tmp_path)] == [(after[0]["boundary"], after[0]["alpha"])]
    assert "1 replayed, 0 stale" in told(tmp_path)


def test_the_first_audits_are_those_of_the_cell_and_tell_a_changed_auditor():
    response = next(boundary for boundary in boundaries() if boundary.name == "response")
    cell = matrix.Cell(auditor=HistogramAuditor(), boundary=response, alpha=0.2, trials=100)
    same = cell.part(1)()
    assert cell.part(1)() == same
    noisier = replace(response, subject=replace(response.subject, epsilon=0.99))
    others = [cell.part(2)(), replace(cell, alpha=0.1).part(1)(), replace(cell, boundary=noisier).part(1)()]
    assert same not in others


def test_cells_that_hold_and_have_no_part_yet_get_one(few, tmp_path):
    made(tmp_path)
    path = tmp_path / "plain.json"
    before = json.loads(path.read_text())["cells"]
    path.write_text(json.dumps({"cells": [{k: v for k, v in cell.items() if k != "part"} for cell in before]}))
    assert made(tmp_path) == []
    assert json.loads(path.read_text())["cells"] == before


def test_a_cell_that_no_boundary_or_budget_has_any_more_is_dropped(few, tmp_path, monkeypatch):
    made(tmp_path)
    only = tuple(boundary for boundary in boundaries() if boundary.name == "die")
    monkeypatch.setattr(matrix, "boundaries", lambda: only)
    made(tmp_path, repetitions=21)
    assert {cell["boundary"] for cell in json.loads((tmp_path / "plain.json").read_text())["cells"]} == {"die"}
    monkeypatch.setattr(matrix, "TRIALS", (60,))
    made(tmp_path, repetitions=21)
    assert {cell["trials"] for cell in json.loads((tmp_path / "plain.json").read_text())["cells"]} == {60}


def test_the_table_tells_counts_refusals_and_failures(few, tmp_path):
    made(tmp_path)
    text = told(tmp_path)
    assert "2 cells, 40 audits" in text
    assert "0 cells fail; 0 replayed, 0 stale, 0 missing" in text
    assert "Not examined, not the die: laplace." in text
    assert "**fails**" not in text
    wrong = Picky(split=False, version="3")
    made(tmp_path, wrong, repetitions=40)
    text = told(tmp_path, wrong, repetitions=40)
    assert text.count("**fails**") == 2
    assert "2 cells fail" in text


def test_the_table_names_what_is_stale_or_missing_and_counts_neither(few, tmp_path, monkeypatch):
    assert "0 stale, 2 missing" in told(tmp_path)
    assert "- Not yet made: die." in told(tmp_path)
    made(tmp_path)
    monkeypatch.setattr(matrix, "deciding", lambda auditor, boundary: "other sources")
    text = told(tmp_path)
    assert "0 cells, 0 audits" in text
    assert "2 stale, 0 missing" in text
    assert "- Stale, to be made again: die." in text
    assert table.COLUMNS not in text


def test_a_part_of_a_boundary_is_told_by_trials_and_alpha(few, tmp_path):
    todo = [cell for cell in matrix.cells([Picky()]) if cell.alpha == 0.2]
    matrix.calibrate(todo, repetitions=20, seed=1, jobs=1, folder=tmp_path)
    assert "- Not yet made: die (50 at 0.05)." in told(tmp_path)


def test_a_whole_matrix_has_every_level_and_budget():
    found = list(matrix.cells([Picky()]))
    budgets = [len(matrix._budgets(each)) for each in boundaries()]
    assert len(found) == sum(budgets) * len(matrix.ALPHAS)
    assert len({cell.place for cell in found}) == len(found)
    usual = {(cell.alpha, cell.trials) for cell in found if cell.boundary.most is None}
    assert usual == {(0.2, 100), (0.05, 100), (0.2, 100_000), (0.05, 100_000)}
    assert all(cell.boundary.reason for cell in found if cell.boundary.most is not None)
    assert all(cell.trials <= cell.boundary.most for cell in found if cell.boundary.most is not None)
    assert matrix.REPETITIONS >= 2000


@pytest.mark.parametrize(
    ("most", "budgets"),
    [(None, [100, 100_000]), (50, [50]), (100, [100]), (5000, [100, 5000]), (10**6, [100, 100_000])],
)
def test_a_boundary_with_few_trials_has_the_budgets_up_to_them(most, budgets):
    assert matrix._budgets(replace(boundaries()[0], most=most, reason="slow")) == budgets


def test_the_table_begins_with_the_first_boundaries_and_their_cheap_budget():
    order = [(not cell.boundary.first, cell.trials) for cell in matrix.cells([Picky()]) if cell.boundary.most is None]
    assert order == sorted(order)
