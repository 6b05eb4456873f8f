"""Messages of errors, without the user's own records."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.note import Kind, Note, plain_notes
from dpverify.neighbourhood import example_values, redact
from dpverify.neighbourhood.example_values import Values
from dpverify.neighbourhood.redact import HIDDEN_TEXT, REDACTED, _no_outputs, without_records, witness_of
from dpverify.runner.record import record

HIDDEN = "f raised ValueError: (the message holds records of the example)"


@pytest.mark.parametrize(
    ("said", "data"),
    [
        ("bad value 0.7310", [0.7310, 1.0]),
        ("bad value 0.731!", np.array([0.731, 1.0])),
        ("no such user: Eve Adams", [{"name": "Eve Adams"}]),
        ("cannot take 4711", [[4711, 0]]),
        ("cannot take 4711.0", [4711]),
        ("in {'age': 123}", {"age": [123, 4]}),
        ("near 73193.1", [73193.0625]),
        ("about 7.319e+04", np.array([73193.0625] * 30_000)),
        ("b'abc'", [1.5]),
        ("40f1de9100000000", [1.5]),
        ("gASVHgAAAAAAAABdlChHQPHekQAAAACMDVplYmVkZWUgUXVpbGyUZS4=", [1.5]),
    ],
)
def test_a_message_that_holds_a_value_is_left_out(said, data):
    assert without_records(f"f raised ValueError: {said}", data) == HIDDEN


@pytest.mark.parametrize(
    "said",
    [
        "shape (3,) and 2",
        "0 is not allowed",
        "1.0",
        "too long: 14711",
        "True",
        "0.12345678901234567 is no probability",
        "no file '/Users/Alice/Documents/projects2024/counts/data'",
    ],
)
def test_other_messages_stay(said):
    text = f"f raised ValueError: {said}"
    assert without_records(text, [[0.0, 1.0, 0.731, 4711, True, None, "a"]]) == text


def test_a_data_set_to_call_it_by_hand_on_is_not_named():
    text = "f raised E: x; allowed: y; call it once by hand on [1, 2], or ..."
    assert without_records(text, [1, 2]) == "f raised E: x; allowed: y; call it once by hand on the example"


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("the output is 'Eve Adams' or 'none'", f"the output is {HIDDEN_TEXT} or 'none'"),
        ("the output is 'none'", "the output is 'none'"),
        ("output['mean of Eve Adams'] > 3", f"output[{HIDDEN_TEXT}] > 3"),
        ("output > 123", "output > 123"),
        ("output['n'] in [0.731, 4711)", "output['n'] in [0.731, 4711)"),
        ("the output is 'Eve Adamson' or 'none'", "the output is 'Eve Adamson' or 'none'"),
        ("the output is 'a 4711 b'", f"the output is {HIDDEN_TEXT}"),
    ],
)
def test_an_event_names_labels_and_keys_and_no_record(event, told):
    witness = {"event": event, "labels": {"Eve Adams": 0, "none": 1}, "forms": {"0": "dict of 1, ['Eve Adams'] float"}}
    example = ["Eve Adams", "Bob Jones", 123, 0.731, 4711]
    found = witness_of(witness, SimpleNamespace(shows_records=lambda pair: False), Values(example))
    assert found["event"] == told
    assert found["labels"] == {REDACTED: 0, "none": 1} and found["forms"] == {"0": REDACTED}


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("output in [-inf, -3.8), {1.233}", "output in [-inf, (not shown)), {(not shown)}"),
        ("output['m2'][3] > 1e-05", "output['m2'][3] > (not shown)"),
        ("result is (1.146,) (128 of 128 fresh runs)", "result is ((not shown),) (128 of 128 fresh runs)"),
        ("the output is 'mean=1.233' or 'it\\'s 3'", "the output is (not shown) or (not shown)"),
        ("""output["it's"] is 'Eve' or "it's 4\"""", """output["it's"] is (not shown) or (not shown)"""),
        ({"kind": "one-of", "values": [1.233]}, {"kind": "one-of", "hidden": REDACTED}),
    ],
)
def test_an_event_is_told_without_outputs(event, told):
    assert _no_outputs(event) == told


def test_texts_of_outputs_on_records_of_the_example_are_not_shown():
    """A text that a mechanism made of its answer holds no record, and tells the answer all the same."""
    witness = {"event": "the output is 'mean=1.233'", "labels": {"mean=1.233": 0}, "forms": {"0": "text"}}
    found = witness_of(witness, SimpleNamespace(shows_records=lambda pair: True), Values([0.123]))
    assert "1.233" not in str(found) and found["labels"] == {REDACTED: 0} and found["forms"] == {"0": REDACTED}


def test_outputs_on_records_of_the_example_are_not_shown():
    """The true answer on them is as private as they are; a mechanism that shows it puts it into the event."""

    def leaks_beside_one_record(data, rng):
        total = sum(data)
        return total if 0.333 in data else total + float(str(rng.laplace()))

    example = [0.123, 0.777, 0.333]
    hidden, shown = (
        json.dumps(
            record(
                dpv.audit(
                    leaks_beside_one_record, claim="PureDP(epsilon=1)", data=example, trials=4000, show_records=show
                ).row
            )
        )
        for show in (False, True)
    )
    assert "1.233" in shown and "1.233" not in hidden
    assert "(not shown)" in hidden


def test_a_sentence_of_ours_is_shown_whatever_words_the_example_has_and_what_holds_more_is_not(monkeypatch):
    ours = "an output is a view of memory that holds more (its .base, say), which leaves with it as an object: "
    ours += "only the output's own values were audited; return a copy, np.array(...)"
    monkeypatch.setattr(redact, "_values_of", lambda place: Values(["the", "output", "Ada"]))
    assert redact.without_values(plain_notes(ours, redact.gate_notes.TOTAL), None) == plain_notes(
        ours, redact.gate_notes.TOTAL
    )
    for other in (f"{ours}; the", "raised: the", "the", "Ada is an output"):
        for kind in (Kind.PLAIN, Kind.RAISED):
            assert redact.without_values([Note(kind, other)], None) == (Note(kind, example_values.HIDDEN),)
