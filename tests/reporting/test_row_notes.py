"""What was assumed or left out of a row stands in every format of a report."""

import io
from xml.etree import ElementTree

import pytest
from rich.console import Console

from dpverify.core.note import Kind, Note
from dpverify.core.plugins import registry
from dpverify.reporting.row_notes import limiting_notes, named, row_notes
from dpverify.reporting.terminal import closing_table, one_result
from tests.reporting.test_writers import made

NOTES = [
    "assumed: a record is float(0, 1)",
    "raised: the mechanism raised an exception on 2 of 14 pairs",
    "steps: bets (false-alarm probability 0.0004): refuted",
    "the mechanism <never> drew from its rng",
]


def test_notes_have_their_labels_and_none_is_told_twice():
    assert row_notes(made(notes=NOTES)) == [
        ("assumed", "a record is float(0, 1)"),
        ("raised", "the mechanism raised an exception on 2 of 14 pairs"),
        ("steps", "bets (false-alarm probability 0.0004): refuted"),
        ("note", "the mechanism <never> drew from its rng"),
    ]
    assert row_notes(made(notes=NOTES[:1], reason=f"because {NOTES[0]}")) == []
    assert row_notes(made()) == []


def test_what_draws_would_not_detect_is_no_note_on_a_claim_that_they_refuted():
    notes = ["draws: 400 draws a side will not detect epsilon = 2 with 80 % power; 800 might"]
    assert len(row_notes(made(notes=notes))) == 1
    assert row_notes(made(notes=notes, verdict="refuted")) == []


def test_rows_of_which_the_same_is_said_stand_together():
    rows = [made(id=name, notes=NOTES) for name in "abcde"]
    found = {str(note): ids for note, ids in limiting_notes([*rows, made(id="a", notes=NOTES)])}
    assert found == {NOTES[0]: [*"abcde"], NOTES[1]: [*"abcde"]}
    assert named([*"abcde"]) == "a, b, c and 2 more"


@pytest.mark.parametrize("name", ["html", "md", "junit", "json", "sarif"])
def test_every_format_says_what_was_assumed_and_what_raised(name, tmp_path):
    item = made(notes=NOTES, verdict="refuted", surprise="it should stand")
    text = registry().writers.get(name).write([item], tmp_path, title="run").read_text()
    if name == "junit":
        text = ElementTree.fromstring(text.encode()).findtext("testsuite/testcase/failure")
    for words in ("a record is float(0, 1)", "raised an exception on 2 of 14 pairs"):
        assert words in text
    assert "<never>" not in text or name in ("json", "junit", "sarif")


def test_the_terminal_says_it_of_a_run_and_of_one_audit():
    console = Console(file=io.StringIO(), width=80)
    closing_table([made(notes=NOTES)], console)
    one_result(made(verdict="not_refuted"), console, notes=NOTES)
    text = console.file.getvalue()
    assert text.count("a record is float(0, 1)") == 2
    assert "not refuted, but it raised on some of the data: PureDP(epsilon=1)" in text


@pytest.mark.parametrize("name", ["html", "md"])
def test_a_page_says_what_nobody_looked_at_and_why_nothing_was_decided(name, tmp_path):
    item = made(verdict="unsupported", method=None, bound=None, confidence=None, evidence=[], reason="no exact law")
    text = registry().writers.get(name).write([item], tmp_path, title="run").read_text()
    assert "Nobody looked at running time" in text and "no exact law" in text


def test_what_falls_outside_of_its_example_is_told_of_every_row():
    evidence = [{**made()["evidence"][0], "statistics": {"outside": {"line": "false unless records lie in [0, 1]"}}}]
    rows = [made(id="a", evidence=evidence), made(id="b", evidence=evidence), made(id="c")]
    assert limiting_notes(rows) == [(Note(Kind.OUTSIDE, "false unless records lie in [0, 1]"), ["a", "b"])]
