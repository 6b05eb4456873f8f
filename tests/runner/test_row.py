"""What a row's verdict means for the exit status."""

import pytest

from dpverify.runner.row import exit_status


@pytest.mark.parametrize(
    ("expectation", "shift", "status"),
    [("stands", 0.0, 0), ("stands", 5.0, 1), ("broken", 5.0, 0), ("broken", 0.0, 1), (None, 5.0, 0), (None, 0.0, 0)],
)
def test_exit_status_compares_with_the_expectation(rows, house, entry, expectation, shift, status):
    assert exit_status(rows(house(entry("a", expectation, shift=shift)))) == status


def test_an_expected_verdict_that_nobody_gave_is_not_a_pass(rows, house, entry, mean):
    class Refuses(mean):
        name = "refuses"

        def refuses(self, task):
            return "it looks at other claims"

    found = rows(house(entry("a", "stands"), auditors=[Refuses()]))
    assert found[0].verdict.status == "unsupported"
    assert exit_status(found) == 3
    assert exit_status(rows(house(entry("a"), auditors=[Refuses()]))) == 0
