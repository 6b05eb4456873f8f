"""The type of an output: what is one type, and what is not."""

from fractions import Fraction

import numpy as np
import pytest

from dpverify.adapters.type_names import array_kind, number_kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "bool"),
        (np.bool_(True), "bool"),
        (1, "int"),
        (np.int8(1), "int"),
        (np.uint64(1), "int"),
        (1.0, "float"),
        (np.float64(1), "float"),
        (np.float32(1), "float32"),
        (np.float16(1), "float16"),
        (Fraction(1, 2), "Fraction"),
        (1j, None),
        (np.complex64(1), None),
        ("1", None),
        (None, None),
    ],
)
def test_the_kind_of_a_number(value, kind):
    assert number_kind(value) == kind


def test_the_kind_of_an_array_is_that_of_its_numbers():
    for given in (True, 1, 1.0, np.float32(1), np.float16(1)):
        assert array_kind(np.array([given])) == number_kind(given)
    assert array_kind(np.zeros(1, dtype=">f8")) == "float"
    assert array_kind(np.array(["a"])) == array_kind(np.array(["abc"])) == "label"
    assert array_kind(np.array([b"a"])) == "bytes label"
