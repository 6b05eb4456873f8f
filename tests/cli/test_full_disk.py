"""A disk without room takes no verdict: what cannot be written is a warning beside it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from dpverify.runner import evidence_file, regressions
from tests.forked import run

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
MODULE = "def leak(data, size, rng):\n    return sum(data) + 0.01 * rng.laplace(size=size)\n"
AUDIT = ("audit", "m:leak", "--d0", "[1,1]", "--d1", "[1]", "--claim", "PureDP(epsilon=1)", "--trials", "2000")


def leak(data, size, rng):
    return sum(data) + 0.01 * rng.laplace(size=size)


@pytest.mark.parametrize("option", ["--json", "--events"])
def test_the_verdict_is_printed_and_decides(option, tmp_path):
    (tmp_path / "m.py").write_text(MODULE)
    ran = run([sys.executable, "-m", "dpverify", *AUDIT, option, str(FULL)], cwd=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("refuted")
    assert "No space left on device" in ran.stderr
    assert ran.stderr.count("\n") == 1


def no_room(path, _text, **_how):
    raise InputError(f"cannot write {path}: No space left on device", allowed="room")


def test_a_saved_failure_without_room_is_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(regressions, "write_atomically", no_room)
    how = {"claim": "PureDP(epsilon=1)", "trials": 2000, "regressions": tmp_path}
    result = dpv.audit(leak, data=[0.1, 0.5, 0.9], **how)
    assert result.verdict is Status.REFUTED
    assert any(note.startswith("regression: not saved: cannot write") for note in result.notes)
    assert not list(tmp_path.iterdir())


def test_so_is_evidence_that_cannot_be_written_any_more(tmp_path, monkeypatch):
    written, real = [], evidence_file.write_atomically

    def once(path, text, **how):
        written.append(path)
        return real(path, text, **how) if len(written) == 1 else no_room(path, text)

    monkeypatch.setattr(evidence_file, "write_atomically", once)
    file = tmp_path / "e.json"
    how = {"claim": "PureDP(epsilon=1)", "trials": 2000, "sequential": True, "evidence_file": file}
    result = dpv.audit(leak, [1, 1], [1], **how)
    assert result.verdict is Status.REFUTED
    assert any(note.startswith("evidence: not saved: cannot write") for note in result.notes)
    (session,) = json.loads(file.read_text())["sessions"]
    assert not session["done"]  # it counts as a killed one does


def test_where_not_even_the_beginning_can_be_written_nothing_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence_file, "write_atomically", no_room)
    how = {"claim": "PureDP(epsilon=1)", "trials": 2000, "sequential": True, "evidence_file": tmp_path / "e.json"}
    with pytest.raises(InputError, match="No space left"):
        dpv.audit(leak, [1, 1], [1], **how)
