import copy

from dpverify.core.errors import AuditError, InputError, one_line


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
