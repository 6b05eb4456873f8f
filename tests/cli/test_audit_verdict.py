"""The verdict of an audit is that of its counts, told by the process that ran no mechanism."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from dpverify.cli.audit_verdict import sends_nothing, told_apart
from dpverify.core.errors import AuditError
from dpverify.reporting.checked_records import DIFFERS
from tests import forked
from tests.attack import hostile_verdicts

AUDIT = ("--claim", "PureDP(epsilon=1)", "--d0", "[1,1]", "--d1", "[1]", "--trials", "2000", "--json", "found.json")


def audited(folder, name):
    shutil.copy(Path(hostile_verdicts.__file__), folder)
    words = [sys.executable, "-m", "dpverify", "audit", f"hostile_verdicts:{name}", *AUDIT]
    return forked.run(words, cwd=folder)


@pytest.mark.ci
@pytest.mark.parametrize("name", ["judge", "lower_bound", "certified", "weaker_claim"])
def test_another_verdict_than_that_of_the_counts_is_none(tmp_path, name):
    ran = audited(tmp_path, name)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.startswith(f"dpverify: {DIFFERS}: ") and ran.stderr.count("\n") == 1
    assert not (tmp_path / "found.json").exists()


@pytest.mark.ci
def test_the_words_are_those_of_the_parent(tmp_path):
    ran = audited(tmp_path, "renderer")
    assert ran.returncode == 1 and ran.stdout.startswith("refuted: PureDP(epsilon=1) of renderer")
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert found["verdict"] == "refuted" and found["reproduce"].startswith("dpverify audit hostile_verdicts:renderer ")


@pytest.mark.parametrize("sent", [None, {}, {"item": None}, [], "refuted"])
def test_no_record_is_no_verdict(sent):
    with pytest.raises(AuditError, match="sent no record"):
        told_apart(sent, ["audit", "m:f"])


def test_who_sends_none():
    assert sends_nothing(["audit", "--help"]) and sends_nothing(
        ["audit", "--samples-d0=a.csv", "--samples-d1", "b.csv"]
    )
    assert not sends_nothing(["audit", "m:f", "--data", "[1]"])
