"""One table of exit statuses: the worst word counts, and the documentation has the same table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpverify.core.exit_status import STATUS, exit_status

COMMANDS = Path(__file__).parents[2] / "dpverify" / "cli"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([], 0),
        (["not_refuted", "certified", "stands", "found", ""], 0),
        (["inconclusive", "not_refuted"], 3),
        (["inconclusive", "refuted", "error"], 1),
        (["MISSED"], 1),
        (["not seen", "FIXED"], 3),
    ],
)
def test_the_worst_word_counts(words, status):
    assert exit_status(words) == exit_status(reversed(words)) == status


def test_every_word_fails():
    assert {STATUS[word] for word in STATUS} == {1, 3}


def test_no_command_has_a_table_of_its_own():
    """But for a status that another process gave, and for a question that was answered."""
    for path in COMMANDS.glob("*.py"):
        found = re.findall(r"typer\.Exit\((.*)\)", path.read_text())
        for each in found:
            known = each in ("0", "INTERRUPTED") or each.startswith("_")
            assert known or any(word in each for word in ("exit_status", "rows_status", "tell(")), (path.name, each)
