"""The power matrix: finished cells are kept, stale ones made again, and what is lacking is named beside the tables."""

from __future__ import annotations

import json

import pytest

from dpverify.core.registry import Registry
from tests.calibration.boundaries import boundaries
from tests.calibration.plain import Plain
from tests.power import matrix, sweep


def first():
    """Stands for the first audits of a point."""
    return PART[0]


PART = ["the same"]


@pytest.fixture
def few(monkeypatch):
    known = [boundary for boundary in boundaries() if boundary.name in ("laplace", "canaries")]
    monkeypatch.setattr(sweep, "swept", lambda: known)
    monkeypatch.setattr(sweep, "RATIOS", (0.5, 1.0))
    asked = []

    def cell(auditor, boundary, ratio, *, repetitions, jobs):
        asked.append((boundary.name, ratio))
        found = {"claim": boundary.guarantee.text(), "detected": 3, "interval": [0.1, 0.6], "cpu_seconds": 0.0}
        return {
            "auditor": auditor.name,
            "mechanism": boundary.name,
            "ratio": ratio,
            "repetitions": repetitions,
            **found,
        }

    monkeypatch.setattr(sweep, "cell", cell)
    PART[0] = "the same"
    monkeypatch.setattr(matrix, "part_of", lambda auditor, boundary, key: first)
    monkeypatch.setattr(matrix.known_broken, "broken_entries", lambda _registry: [])
    return asked


@pytest.fixture
def known():
    found = Registry()
    found.auditors.add("plain", Plain())
    return found


def test_finished_cells_are_kept_and_stale_ones_made_again(few, tmp_path, monkeypatch):
    def asked(**options):
        few.clear()
        matrix.curves([Plain()], jobs=1, repetitions=options.pop("repetitions", 9), folder=tmp_path, **options)
        return sorted(few)

    every = [(name, ratio) for name in ("canaries", "laplace") for ratio in (0.5, 1.0)]
    assert asked() == every
    assert asked() == []
    assert asked(repetitions=10) == every
    monkeypatch.setattr(matrix, "deciding", lambda auditor, boundary: "other sources")
    assert asked(repetitions=10) == []  # replayed: their first audits are the same
    monkeypatch.setattr(matrix, "deciding", lambda auditor, boundary: "yet others")
    PART[0] = "another"
    assert asked(repetitions=10) == every
    assert len(json.loads((tmp_path / "plain.json").read_text())["sweep"]) == 4


def test_what_is_stale_or_missing_is_named_and_not_drawn(few, tmp_path, known, monkeypatch):
    def told():
        matrix.render(known, tmp_path, tmp_path, repetitions=9)
        return (tmp_path / "power.md").read_text()

    assert "- plain, missing: laplace; canaries." in told()
    matrix.curves([Plain()], jobs=1, repetitions=9, folder=tmp_path)
    content = json.loads((tmp_path / "plain.json").read_text())
    some = [one for one in content["sweep"] if (one["mechanism"], one["ratio"]) != ("laplace", 1.0)]
    (tmp_path / "plain.json").write_text(json.dumps({**content, "sweep": some}))
    assert "- plain, missing: laplace at 1." in told()
    matrix.curves([Plain()], jobs=1, repetitions=9, folder=tmp_path)
    assert "missing" not in told() and "| plain | 3/9 | 3/9 |" in told()
    assert "plain" in (tmp_path / "power.svg").read_text()
    monkeypatch.setattr(matrix, "deciding", lambda auditor, boundary: "other sources")
    assert "- plain, stale: laplace; canaries." in told() and "3/9" not in told()
    assert "plain" not in (tmp_path / "power.svg").read_text()
