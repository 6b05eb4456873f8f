"""What a row's verdict means for the exit status."""

from dataclasses import replace

import pytest

from dpverify.core.verdict import Status
from dpverify.runner.row import rows_status


@pytest.mark.parametrize(
    ("expectation", "shift", "status"),
    [("stands", 0.0, 0), ("stands", 5.0, 1), ("broken", 5.0, 0), ("broken", 0.0, 1), (None, 5.0, 0), (None, 0.0, 0)],
)
def test_exit_status_compares_with_the_expectation(rows, house, entry, expectation, shift, status):
    assert rows_status(rows(house(entry("a", expectation, shift=shift)))) == status


def test_an_expected_verdict_that_nobody_gave_is_not_a_pass(rows, house, entry, mean):
    class Refuses(mean):
        name = "refuses"

        def refuses(self, task):
            return "it looks at other claims"

    found = rows(house(entry("a", "stands"), auditors=[Refuses()]))
    assert found[0].verdict.status == "unsupported"
    assert rows_status(found) == 3
    assert rows_status(rows(house(entry("a"), auditors=[Refuses()]))) == 0


def test_a_row_that_was_cut_short_is_no_surprise_and_is_not_complete(house, entry, rows):
    """A known-broken claim that the clock left unaudited was not missed; nor does anything pass for that."""
    for expectation in ("broken", "stands", None):
        (row,) = rows(house(entry("a", expectation)))
        open_ = replace(row.verdict, status=Status.INCONCLUSIVE)
        cut = replace(row, verdict=open_, cut="out of time")
        assert cut.surprise == ""
        assert cut.incomplete
        assert rows_status([cut]) == 3
        whole = replace(cut, cut="")
        assert bool(whole.surprise) == (expectation == "broken")
        refuted = replace(cut, verdict=replace(row.verdict, status=Status.REFUTED))
        assert bool(refuted.surprise) == (expectation == "stands")
        assert rows_status([refuted]) == (1 if expectation == "stands" else 0)


def test_where_each_row_has_a_confidence_only_too_many_false_alarms_are_a_surprise(rows, house, entry):
    """Of 20 claims that stand 8 are refuted with probability 4e-4 by chance, and 12 with 5e-8; a miss always counts."""

    def status(false, **options):
        claims = [entry(f"c{i:02}", "stands", shift=5.0 if i < false else 0.0) for i in range(20)]
        return rows_status(rows(house(*claims)), **options)

    assert status(1) == 1
    assert status(8, chance=0.1) == 0
    assert status(12, chance=0.1) == 1
    missed = [entry("missed", "broken", shift=0.0), *(entry(f"c{i:02}", "stands", shift=0.0) for i in range(20))]
    assert rows_status(rows(house(*missed)), chance=0.1) == 1
