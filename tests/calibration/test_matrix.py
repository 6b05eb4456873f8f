"""The matrix: finished cells are kept and stale ones made again, and the table says what the cells say."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from tests.calibration import matrix
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
    tallies = matrix.calibrate([auditor or Picky()], repetitions=repetitions, seed=seed, jobs=1, folder=folder)
    return [(tally.boundary, tally.alpha, tally.count) for tally in tallies]


def test_finished_cells_are_kept_and_stale_ones_made_again(few, tmp_path):
    first = made(tmp_path)
    assert [each[:2] for each in first] == [("die", 0.2), ("die", 0.05)]
    assert made(tmp_path) == []
    path = tmp_path / "plain.json"
    content = json.loads(path.read_text())
    content["cells"] = [cell for cell in content["cells"] if cell["alpha"] != 0.05]
    path.write_text(json.dumps(content))
    assert made(tmp_path) == first[1:]  # a stopped run goes on, with the same numbers
    assert len(made(tmp_path, Picky(version="2"))) == 2
    assert len(made(tmp_path, Picky(version="2"), repetitions=25)) == 2
    assert len(made(tmp_path, Picky(version="2"), repetitions=25, seed=2)) == 2
    assert len(json.loads(path.read_text())["cells"]) == 4


def test_the_table_tells_counts_refusals_and_failures(few, tmp_path):
    made(tmp_path)
    told = matrix.rendered(tmp_path)
    assert "2 cells, 40 audits" in told
    assert "0 cells fail" in told
    assert "Not examined, not the die: laplace (50 trials, alpha 0.05), laplace (50 trials, alpha 0.2)." in told
    assert "**fails**" not in told
    made(tmp_path, Picky(split=False, version="3"), repetitions=40)
    told = matrix.rendered(tmp_path)
    assert told.count("**fails**") == 2
    assert "2 cells fail" in told


def test_a_whole_matrix_has_every_level_and_budget():
    found = list(matrix.cells([Picky()]))
    assert len(found) == len(boundaries()) * len(matrix.ALPHAS) * len(matrix.TRIALS)
    assert {(cell.alpha, cell.trials) for cell in found} == {(0.2, 100), (0.05, 100), (0.2, 100_000), (0.05, 100_000)}
    assert matrix.REPETITIONS >= 2000
