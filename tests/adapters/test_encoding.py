"""Outputs as rows of numbers: whole, or refused (which types keep values apart: `test_structure`)."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.adapters.encoding import INFINITY, MOST_LABELS, NAN, Encoder
from dpverify.core.errors import InputError

MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])
SEEN = np.ma.masked_array([1.0, 2.0])


@pytest.mark.parametrize("output", [MASKED, np.ma.masked, {"sum": np.ma.masked}, [1.0, np.ma.masked]])
def test_a_masked_value_in_an_output_is_one_clear_line(output):
    with pytest.raises(InputError, match="in which values are masked") as caught:
        Encoder("noisy").one(output)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("output", [MASKED, [np.ma.masked, 1.0], [MASKED, MASKED], (SEEN, MASKED)])
def test_a_masked_value_in_a_batch_is_too(output):
    with pytest.raises(InputError, match="in which values are masked"):
        Encoder("noisy").batch(output, 2)


def test_an_array_that_masks_nothing_is_an_array():
    assert Encoder("noisy").one(SEEN).tolist() == [1.0, 2.0]
    assert Encoder("noisy").batch(SEEN, 2).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("output", [None, {}, [], (), np.zeros(0), {"kept": {}}, set()])
def test_nothing_is_an_output_too(output):
    encoder = Encoder("suppressed")
    assert encoder.one(output).reshape(-1).tolist() == [0.0]
    assert encoder.nothing
    assert encoder.one(1.0).reshape(-1)[0] < 0.0


@pytest.mark.parametrize("each", [(), (2,)])
def test_what_is_not_finite_has_numbers_of_its_own_and_a_note(each):
    encoder = Encoder("noisy")
    assert encoder.batch(np.ones((1, *each)), 1).size
    assert encoder.notes() == ()
    for value, code in ((np.nan, NAN), (np.inf, INFINITY), (-np.inf, -INFINITY)):
        assert (encoder.batch(np.full((1, *each), value), 1) == code).all()
        assert (encoder.one(np.full(each, value) if each else value) == code).all()
    assert "outputs too" in encoder.notes()[0]


def test_many_labels_have_codes_that_do_not_depend_on_when_they_came():
    labels = [f"noise {i}" for i in range(MOST_LABELS + 50)]
    forth, back = Encoder("noisy"), Encoder("noisy")
    for label in labels[:MOST_LABELS]:
        assert forth.one(label) == back.one(label) == labels.index(label)
    late = labels[MOST_LABELS:]
    codes = {label: float(forth.one(label)) for label in late}
    assert codes == {label: float(back.one(label)) for label in reversed(late)}
    assert len(set(codes.values())) == len(late)
    assert min(codes.values()) >= MOST_LABELS
    assert len(forth.labels) == MOST_LABELS
    assert "different labels occurred" in forth.notes()[0]


def test_numbers_beyond_the_columns_are_told_apart_and_said_to_be_hashed():
    encoder = Encoder("long")
    wide = [[float(i) for i in range(600)], [0.0]]
    for output in wide:
        encoder.look_at(output)
    first = encoder.one(wide[0])
    second = encoder.one([*wide[0][:-1], -1.0])
    assert first.shape == second.shape == encoder.one([0.0]).shape
    assert (first != second).sum() == 1
    assert "parts beyond" in encoder.notes()[-1]


def test_a_batch_of_two_forms_and_single_outputs_make_the_same_rows():
    """Arrays all at once, and one by one, in a layout of several forms."""
    encoder = Encoder("noisy")
    for output in (np.zeros((4, 2)), np.zeros((4, 3)), np.zeros(4)):
        encoder.look_at(output, 4)
    for values in (np.arange(8.0).reshape(4, 2), np.arange(12.0).reshape(4, 3), np.arange(4.0), np.ones((4, 9))):
        whole = encoder.batch(values, 4)
        assert whole.tolist() == [encoder.one(row if row.ndim else float(row)).tolist() for row in values]
