"""What no replay can see is told wherever a replay leads, and nowhere else."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from dpverify.reporting.replay_lines import replay_lines
from dpverify.reporting.row_lines import found_lines
from dpverify.reporting.terminal import one_result
from tests.reporting.test_writers import made

COIN = {"compared": 2, "hidden_coin": "a noisy value was compared at mechanism.py:7"}


def item(**statistics: Any) -> dict[str, Any]:
    return made(evidence=[{"statistics": {"compared": 2, "hidden_coin": None, **statistics}}])


def test_a_hidden_coin_is_told_on_the_terminal_and_in_reports():
    out = io.StringIO()
    one_result(item(**COIN), Console(file=out, width=80))
    told = " ".join(out.getvalue().split())
    assert "hidden a noisy value was compared at mechanism.py:7: what is released after it was not examined" in told
    assert any("hidden" in line for line in found_lines(item(**COIN)))


@pytest.mark.parametrize("name", ["unseen", "plain_numbers", "no_proof", "assumed"])
def test_what_the_evidence_rests_on_is_told(name):
    lines = replay_lines(item(**{name: "word " * 40}))
    assert " ".join(" ".join(lines).split()).count("word") == 40
    assert max(map(len, lines)) <= 79


def test_nothing_hidden_and_other_methods_have_no_lines():
    assert replay_lines(item()) == []
    assert replay_lines(made(evidence=[{"statistics": {"hidden_coin": "x"}}])) == []
    assert replay_lines({"evidence": []}) == []
