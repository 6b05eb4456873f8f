"""Forms of results in a replay's event are told in words, cut ones too; other events stay."""

import numpy as np
import pytest

from dpverify.adapters.form_words import form_event_in_words
from dpverify.recording.flatten_output import form


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
