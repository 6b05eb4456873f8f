"""`dpverify gallery`: the list, one bug, a run, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests import forked


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dpverify", "gallery", *words]
    return forked.run(command, timeout=300)


def test_the_list_and_one_bug() -> None:
    found = run("--list")
    assert found.returncode == 0 and "opendp-2707" in found.stdout
    shown = run("opendp-2707")
    assert shown.returncode == 0 and "measured" in shown.stdout and max(map(len, shown.stdout.splitlines())) <= 80
    item = json.loads(run("opendp-2707", "--json").stdout)
    assert item["record"]["verdict"] == "refuted" and item["version"] == "0.14.1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such"], "no bugs called 'no-such'"),
        (["--run", "no-such"], "no bugs called 'no-such'"),
        (["--list", "--run", "opendp-2707"], "allowed: one of them"),
        (["--out", "x"], "--out without --run"),
    ],
)
def test_bad_words_are_one_line(words: list[str], said: str) -> None:
    found = run(*words)
    assert found.returncode == 2 and said in found.stderr and len(found.stderr.splitlines()) == 1
