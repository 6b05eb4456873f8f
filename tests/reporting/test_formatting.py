"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.formatting import accepted_among, accepted_until, bound_text, number, number_down, tally_apart
from dpverify.reporting.markdown_writer import MarkdownWriter
from dpverify.reporting.terminal import closing_table
from tests.reporting.test_terminal import shown
from tests.reporting.test_writers import made


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 8))
def test_a_lower_bound_as_read_is_none_above_it_and_near(value, digits):
    read = float(number_down(value, digits))
    assert read <= value
    assert read >= value - 2 * abs(value) * 10.0 ** (1 - digits) or math.isinf(read)


@pytest.mark.parametrize(("value", "read"), [(0.1719754, "0.1719"), (0.1, "0.1"), (-1.00001, "-1.001"), (2, "2")])
def test_lower_bounds_that_fit_stay(value, read):
    assert number_down(value) == read


@pytest.mark.parametrize("value", [None, math.inf, "inf", 0.0])
def test_what_cannot_be_rounded_is_written_as_any_number(value):
    assert number_down(value) == number(value)


@pytest.mark.parametrize(
    ("verdict", "bound", "said"),
    [
        ("refuted", 1.000000000001, ("> 1", "> 1", ">1")),
        ("refuted", 1.2, ("≥ 1.2", ">= 1.2", "≥1.2")),
        ("not_refuted", 0.99999999, ("≥ 0.9999", ">= 0.9999", "≥0.9999")),
        ("certified", 1.0, ("≥ 1", ">= 1", "≥1")),
        ("unsupported", None, ("≥ -", ">= -", "≥-")),
    ],
)
def test_a_bound_that_exceeds_the_claim_is_never_shown_as_the_claim(verdict, bound, said):
    item = {"verdict": verdict, "bound": bound, "claimed": 1.0}
    assert tuple(bound_text(item, at_least=sign) for sign in ("≥ ", ">= ", "≥")) == said


def row(verdict="refuted", until=None, **more):
    accepted = {"accepted": {"until": until, "reason": "known"}} if until else {}
    return made(verdict=verdict, expectation=None, surprise="") | accepted | more


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [row(until="2026-12-31"), row(), row("not_refuted")],
            "2 of 3 claims are false (1 of them accepted until 2026-12-31);",
        ),
        ([row(until="2026-12-31")] * 2, "2 of 2 claims are false (all of them accepted until 2026-12-31)."),
        (
            [row(until="2026-12-31"), row("certified")],
            "1 of 2 claims is false (accepted until 2026-12-31); 1 is certified for its stated law.",
        ),
        ([row(until="2026-12-31")], "The claim is false (accepted until 2026-12-31)."),
        (
            [row(until="2026-12-31"), row(until="2027-01-31"), row()],
            "3 of 3 claims are false (2 of them accepted until days from 2026-12-31 to 2027-01-31).",
        ),
        (
            [row(), row("error", until="2026-12-31")],
            "1 of 2 claims is false; for 1 nothing can be said (accepted until 20",
        ),
        ([row("error", until="2026-12-31")], "Nothing can be said of the claim (accepted until 2026-12-31)."),
        ([row(), row()], "2 of 2 claims are false."),
    ],
)
def test_the_conclusion_counts_what_is_accepted(rows, told):
    assert conclusion(rows).startswith(told)


def test_the_tally_of_a_run_says_it_too():
    assert tally_apart([row(until="2026-12-31"), row()]) == "2 claims: 2 refuted (1 of them accepted until 2026-12-31)"


def test_a_record_of_an_earlier_version_says_it_in_its_reason():
    assert accepted_until({"reason": "accepted until 2026-12-31: a ticket"}) == "2026-12-31"
    assert accepted_until({"reason": "too few draws; accepted until 2026-12-31: a ticket"}) == "2026-12-31"
    assert accepted_until({"reason": "x was accepted as refuted until 2020-01-01 (known), and that day is over"}) == ""
    assert accepted_among([{"reason": ""}, {}]) == ""


def test_the_closing_table_marks_it():
    lines = shown(closing_table, [row(until="2026-12-31", id="old"), row(id="new")])
    assert [line.split()[0] for line in lines if "refuted ‡" in line] == ["old"]
    assert any(line.startswith("‡: a failure that the suite file accepts") for line in lines)
    assert not any("‡" in line for line in shown(closing_table, [row(id="new")]))


def test_the_markdown_table_marks_it(tmp_path):
    rows = [row(until="2026-12-31", id="old"), row(id="new")]
    page = MarkdownWriter().write(rows, tmp_path, title="t").read_text()
    assert "| `old` | refuted, accepted |" in page and "| `new` | refuted |" in page
