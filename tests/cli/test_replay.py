"""`dpverify audit --method replay`: one line of command, the place in the user's code in the record."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpverify.cli.command_line import application

CODE = """
import dpverify as dpv

def leaky(data, rng):
    dpv.public("number of records", len(data))
    return float(sum(data) + rng.laplace(scale=1.0))

def sound(data, rng):
    return float(sum(data) + rng.laplace(scale=1.0))
"""


@pytest.mark.parametrize(("name", "status", "verdict"), [("leaky", 1, "refuted"), ("sound", 0, "not_refuted")])
def test_a_replay_from_the_command_line(name, status, verdict, tmp_path: Path, monkeypatch) -> None:
    module = f"replayed_{name}"
    (tmp_path / f"{module}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    words = ["audit", f"{module}:{name}", "--claim", "PureDP(epsilon=1)", "--d0", "[1.0, 0.5]", "--d1", "[1.0]"]
    found = CliRunner().invoke(application(["audit"]), [*words, "--method", "replay", "--json", "-"])
    sys.modules.pop(module, None)
    assert found.exit_code == status, found.output
    (row,) = json.loads(found.stdout)
    assert (row["verdict"], row["method"]) == (verdict, "replay")
    if name == "leaky":
        assert row["witness"]["where"] == f"{module}.py:5"


@pytest.mark.parametrize(("name", "words"), [("leaky", "fresh runs a side"), ("sound", "without a proof")])
def test_a_replay_of_other_peoples_code_is_never_called_exact(name, words, tmp_path: Path, monkeypatch) -> None:
    module = f"counted_{name}"
    (tmp_path / f"{module}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    given = ["--claim", "PureDP(epsilon=1)", "--d0", "[1.0, 0.5]", "--d1", "[1.0]", "--method", "replay"]
    told = " ".join(CliRunner().invoke(application(["audit"]), ["audit", f"{module}:{name}", *given]).output.split())
    sys.modules.pop(module, None)
    assert words in told
    assert "exact method" not in told
