"""Notes are of a kind: a record's line is made of it, and one function reads the line back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.note import LINES, ONE_BY_ONE, Kind, Note, Telling, note_of, plain_notes

READ = [kind for kind in Kind if any(LINES.get(kind, (kind, "")))]


@pytest.mark.parametrize("kind", READ)
@given(text=st.text("ab: 01"))
def test_what_a_reader_asks_for_comes_back_from_the_line(kind, text):
    note = Note(kind, LINES.get(kind, ("", ""))[1] + text)
    assert note_of(str(note)) == note


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("assumed: a record is float(0, 1)", Kind.ASSUMED, "a record is float(0, 1)"),
        ("draws: trials=3 a side at most, for about 2 s", Kind.DRAWS, "trials=3 a side at most, for about 2 s"),
        ("draws: 300 draws will not detect epsilon = 2", Kind.REACH, "300 draws will not detect epsilon = 2"),
        ("evidence: not saved: no room", Kind.EVIDENCE_LOST, "not saved: no room"),
        ("regression: not saved: no room", Kind.REGRESSION_LOST, "not saved: no room"),
        ("regression: a.json: refuted", Kind.REGRESSION, "a.json: refuted"),
        (f"a batch repeats: {ONE_BY_ONE}", Kind.BATCH, f"a batch repeats: {ONE_BY_ONE}"),
        ("raised: E: exceptions are outputs", Kind.RAISED, "E: exceptions are outputs"),
        (f"assumed: {ONE_BY_ONE}", Kind.ASSUMED, ONE_BY_ONE),
        ("weak: it will not detect much", Kind.WEAK, "it will not detect much"),
        ("batch: of a user's own", Kind.PLAIN, "batch: of a user's own"),
        ("note: of a user's own", Kind.PLAIN, "note: of a user's own"),
        ("assumed", Kind.PLAIN, "assumed"),
        ("", Kind.PLAIN, ""),
    ],
)
def test_lines_of_old_records_are_read(line, kind, text):
    assert note_of(line) == Note(kind, text)
    assert str(note_of(line)) == line


@given(st.text())
def test_any_line_is_a_note_and_comes_back_as_it_was(line):
    assert str(note_of(line)) == line
    (note,) = plain_notes(line)
    assert str(note) == line


def broken(problem):
    def tell():
        raise problem

    return tell


def test_what_is_told_is_returned_and_what_fails_is_a_line_of_its_own():
    tell = Telling()
    assert tell("one", lambda: "told", "") == "told" and not tell.faults
    assert tell("the words", broken(KeyError("Eve Adams")), "plain") == "plain"
    (fault,) = tell.faults
    assert fault.startswith("the words could not be made (KeyError in test_note.py, line ")
    assert fault.endswith("); the verdict and its numbers stand") and "Eve" not in fault


@pytest.mark.parametrize(("quotes", "told"), [(False, "InputError in "), (True, "cannot write x; allowed: y")])
def test_messages_of_our_own_are_quoted_where_no_data_are_near(quotes, told):
    tell = Telling(quotes=quotes)
    tell("the page", broken(InputError("cannot write x", allowed="y")), None)
    assert told in tell.faults[0]


@pytest.mark.parametrize("problem", [BrokenPipeError(), KeyboardInterrupt()])
def test_who_ends_the_program_ends_it(problem):
    with pytest.raises(type(problem)):
        Telling()("the page", broken(problem), None)
