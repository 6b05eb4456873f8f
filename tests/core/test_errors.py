import copy
import re
from pathlib import Path

import pytest

from dpverify.core.errors import STATUS, AuditError, InputError, exit_status, one_line


def test_an_input_error_is_one_line_with_value_allowed_and_remedy():
    problem = InputError("delta = 2", allowed="a number in [0, 1)", remedy="write delta=1e-5")
    assert str(problem) == "delta = 2; allowed: a number in [0, 1); write delta=1e-5"
    assert problem.exit_status == 2
    assert isinstance(problem, ValueError)


def test_an_input_error_comes_back_from_another_process():
    problem = InputError("delta = 2", allowed="a number in [0, 1)", remedy="write delta=1e-5")
    again = copy.copy(problem)  # by what pickle asks for, too
    assert (type(again), str(again), again.allowed) == (InputError, str(problem), problem.allowed)


def test_an_audit_error_exits_with_three():
    assert AuditError("no plug-ins").exit_status == 3


def test_one_line_folds_every_blank():
    assert one_line("a\n  b\tc ") == "a b c"


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
