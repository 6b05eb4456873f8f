"""The type of an output: what is one type, what is not, and that a list's mixture is seen before numpy hides it."""

from fractions import Fraction

import numpy as np
import pytest

from dpverify.adapters.kinds import array_kind, mixed, number_kind


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


def test_a_list_of_two_types_names_both_and_an_array_has_one():
    assert mixed([1.0, 2.0, 1]) == mixed((1.0, 2.0, 1)) == ("float", "int")
    assert mixed([(1, 2.0), (1.0, 2)]) == ("tuple of int, float", "tuple of float, int")
    assert mixed([1.0, np.float64(2)]) is None
    assert mixed(np.array([1, 2])) is None
