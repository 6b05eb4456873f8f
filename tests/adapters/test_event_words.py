"""Events on rows of numbers are told in the mechanism's keys, labels, forms and exceptions; the set stays the same."""

import numpy as np
import pytest

from dpverify.adapters.encoding import MOST_LABELS, Encoder
from dpverify.adapters.event_words import event_in_words, form_event_in_words
from dpverify.recording.flatten_output import form


def columns(*outputs, errors=None):
    encoder = Encoder("m")
    for output in outputs:
        encoder.look(encoder.parts(output))
    encoder.settle()
    for output in outputs:
        encoder.one(output)
    return encoder.columns(errors)


NUMBERS = columns({"count": 3, "mean": 0.5})
WORDS = columns("yes", "no", "maybe")
TRUTH = columns(True, False)
TABLE = columns({"a": True, "b": "x"}, {"a": False, "b": "y"})
FORMS = columns(None, "ok", {"a": 1.0})


@pytest.mark.parametrize(
    ("known", "event", "told"),
    [
        (columns(0.5), "output > 0.5", "output > 0.5"),
        (columns(np.zeros(3)), "output[1] > 0.5", "output[1] > 0.5"),
        (NUMBERS, "output[1] > 0.5", "output['mean'] > 0.5"),
        (NUMBERS, "output[0] in [-inf, 2), {4} and 3 more", "output['count'] in [-inf, 2), {4} and 3 more"),
        (NUMBERS, "not (output[1] == 3.25)", "not (output['mean'] == 3.25)"),
        (NUMBERS, "output[7] > 0.5", "output[7] > 0.5"),
        (NUMBERS, "output[1] > -2.22507386e-308", "output['mean'] > -0.0 (here -0.0 is below 0.0)"),
        (columns(0.5), "output in {-2.2250738585072014e-308}", "output in {-0.0} (here -0.0 is below 0.0)"),
        (columns(0.5), "output > -2.22507386e-307", "output > -2.22507386e-307"),
        (NUMBERS, "max in output > 1", "max in output > 1 (the numbers of an output, in order: output['count'], "),
        (NUMBERS, "last-bit score of output[1] > 2", "last-bit score of output['mean'] > 2"),
        (
            NUMBERS,
            "output in {[3.0, 0.5], [4.0, 0.25]}",
            "output['count'] is 3 and output['mean'] is 0.5; or output['co",
        ),
        (WORDS, "output > 0", "the output is not 'yes'"),
        (WORDS, "output <= 0", "the output is 'yes'"),
        (WORDS, "output > 1", "the output is 'maybe'"),
        (WORDS, "output in {0}", "the output is 'yes'"),
        (WORDS, "output in [-inf, 1), [2, inf)", "the output is not 'no'"),
        (WORDS, "output in {0.0, 2.0}", "the output is not 'no'"),
        (WORDS, "output not in {0.0, 2.0}", "the output is 'no'"),
        (WORDS, "output == 1.0", "the output is 'no'"),
        (WORDS, "not (output == 1.0)", "the output is not 'no'"),
        (WORDS, "output in {0.0} and 7 more", "the output is 'yes' and others"),
        (WORDS, "output in {5.0, 6.0} and 7 more", "the output is one of many values"),
        (TRUTH, "output > 0", "the output is True"),
        (TRUTH, "output <= 0.5", "the output is False"),
        (TABLE, "output[1] > 0", "output['b'] is 'y'"),
        (TABLE, "output[0] <= 0", "output['a'] is False"),
        (TABLE, "output in {[1.0, 0.0]}", "output['a'] is True and output['b'] is 'x'"),
        (TABLE, "output not in {[1.0, 0.0]}", "none of these: output['a'] is True and output['b'] is 'x'"),
        (FORMS, "output[0] <= 0", "the output has the form (None)"),
        (FORMS, "output[0] > 0", "the output has the form (label) or (dict of 1, ['a'] float)"),
        (columns(0.5, errors={"ValueError": 1}), "output[0] > 0.5", "the mechanism raised ValueError"),
        (columns(0.5, errors={"ValueError": 1}), "output[0] <= 0.5", "the mechanism returned"),
        (columns(0.5, errors={"ValueError": 1}), "output[1] <= 0.5", "output <= 0.5"),
        (columns({"h": np.zeros((2, 2))}), "output[3] > 1", "output['h'][1, 1] > 1"),
        (columns({"h": [1.0, 2.0], "n": 3}), "output[1] > 1", "output['h'][1] > 1"),
        ((), "output[1] > 1", "output[1] > 1"),
        (WORDS, "boosted trees on 1 coordinates > 0.2", "boosted trees on 1 coordinates > 0.2"),
    ],
)
def test_an_event_is_told_in_the_mechanisms_words(known, event, told):
    found = event_in_words(event, known)
    assert found.startswith(told) and (found == told or told.endswith(("co", ", ")))


def test_many_texts_are_told_by_hash_and_some_are_named():
    encoder = Encoder("m")
    for number in range(MOST_LABELS + 20):
        encoder.look(encoder.parts(f"text {number}"))
    encoder.settle()
    for number in range(MOST_LABELS + 20):
        encoder.one(f"text {number}")
    found = event_in_words("output > 140737488355328", encoder.columns())
    assert found.startswith("the output is a text in a set that is told by hashes: ") and "such as 'text " in found
    low = [text for text, code in encoder.labels.items() if code <= 140737488355328]
    assert f"'{low[0]}'" not in found


@pytest.mark.parametrize("event", ["output > 0", "output <= 1.5", "output in {1.0}", "output not in {0.0}"])
def test_the_words_name_the_set_of_the_numbers(event):
    encoder = Encoder("m")
    for label in ("a", "b", "c"):
        encoder.look(encoder.parts(label))
    encoder.settle()
    codes = {label: float(encoder.one(label)) for label in ("a", "b", "c")}
    held = {
        "output > 0": lambda code: code > 0,
        "output <= 1.5": lambda code: code <= 1.5,
        "output in {1.0}": lambda code: code == 1,
        "output not in {0.0}": lambda code: code != 0,
    }[event]
    found = event_in_words(event, encoder.columns())
    named = {label for label in codes if f"'{label}'" in found}
    named = set(codes) - named if "is not" in found or "none of" in found else named
    assert named == {label for label, code in codes.items() if held(code)}


def test_a_long_label_is_cut():
    encoder = Encoder("m")
    for label in ("x" * 200, "y"):
        encoder.look(encoder.parts(label))
    encoder.settle()
    encoder.one("x" * 200), encoder.one("y")
    assert len(event_in_words("output <= 0", encoder.columns())) < 70


def table(*names, **columns):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(columns, index=pandas.Index(names, name="ward"))


CELLS = columns(table("A", "B", "C", mean=[1.0, 2.0, 3.0], count=[1, 2, 3]))
MEAN = next(at for at, column in enumerate(CELLS) if column.name == "the mean of ward 'C'")


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (f"output[{MEAN}] > -3.21387609e+60", "the mean of ward 'C' is not NaN"),
        (f"output[{MEAN}] <= -2e+60", "the mean of ward 'C' is NaN"),
        (f"not (output[{MEAN}] > -3.21387609e+60)", "the mean of ward 'C' is NaN"),
        (f"output[{MEAN}] > 1e+60", "the mean of ward 'C' is infinite"),
        (f"output[{MEAN}] > -1e+60", "the mean of ward 'C' > -1e+60"),
        (f"output[{MEAN}] > 2.5", "the mean of ward 'C' > 2.5"),
        ("ties in output <= 0", "no two neighbouring numbers of the output are equal"),
        ("ties in output > 0", "two neighbouring numbers of the output are equal"),
    ],
)
def test_a_cell_is_told_by_column_and_row(event, told):
    assert event_in_words(event, CELLS).partition(" (the numbers")[0] == told


def test_rows_have_no_names_where_these_vary():
    varying = columns(table("A", "B", mean=[1.0, 2.0]), table("A", "C", mean=[1.0, 2.0]))
    assert not [column for column in varying if "ward" in column.name]
    assert "output['mean'][1]" in [column.name for column in varying]


def test_a_table_that_lacks_a_row_is_told_by_its_rows():
    forms = columns(table("A", "C", mean=[1.0, 2.0]), table("A", mean=[1.0]))
    told = event_in_words("output[0] <= 0", forms)
    assert told == "the output has the form (a table with the rows ward 'A', 'C')"
    assert event_in_words("output[0] > 0", forms) == "the output has the form (a table with the row ward 'A')"


def test_tables_of_other_rows_each_time_are_told_by_their_number():
    tables = (table("A", "B", mean=[1.0, 2.0]), table("A", "C", mean=[1.0, 2.0]), table("A", mean=[1.0]))
    forms = columns(*tables)
    assert event_in_words("output[0] <= 0", forms) == "the output has the form (a table of 2 rows)"
    assert event_in_words("output[0] > 0", forms) == "the output has the form (a table with the row ward 'A')"


def event(one, other):
    return f"form of the result is {one!r} on one data set and {other!r} on the other (128 of 128 fresh runs)"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (1.5, "a single value"),
        ({"mean": 0.5, "n": 3}, "a dict of 'mean', 'n'"),
        ({"mean": np.zeros(3)}, "a dict of 'mean' (an array of shape (3,))"),
        ([1, 2], "a list of 2"),
        ((1, 2, 3), "a tuple of 3"),
        (np.zeros((2, 3)), "an array of shape (2, 3)"),
        ({}, "an empty dict"),
    ],
)
def test_each_form_has_words(value, told):
    found = form_event_in_words(event(form(value), form([1.0])))
    assert found == f"the result is {told} on one data set and a list of 1 on the other (128 of 128 fresh runs)"


def test_a_form_that_was_cut_names_what_is_left_of_it():
    cut = f"{repr(form({f'name {i}': i for i in range(30)}))[:77]}..."
    assert "the result is a dict of 'name 0', 'name 1'" in form_event_in_words(event(1, 2).replace("is 1", f"is {cut}"))


@pytest.mark.parametrize("text", ["output > 3", "form of the result is unclear"])
def test_other_events_stay(text):
    assert form_event_in_words(text) == text
