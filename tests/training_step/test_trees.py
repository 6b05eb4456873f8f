"""Trees of arrays: order, names, rounding."""

from collections import namedtuple

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.training_step.trees import UNITS, leaves, rebuilt, told_unit, unit, vector

Pair = namedtuple("Pair", "first second")
TREE = {"a": [np.zeros(2), np.ones((2, 2))], "b": Pair(np.float32(3), 4.0)}


def test_leaves_have_names_in_order():
    assert [name for name, _ in leaves(TREE)] == ["a.0", "a.1", "b.0", "b.1"]
    found, sizes = vector(TREE, what="it")
    assert found.tolist() == [0, 0, 1, 1, 1, 1, 3, 4]
    assert sizes == [("a.0", 2), ("a.1", 4), ("b.0", 1), ("b.1", 1)]


def test_a_tree_is_rebuilt_in_its_own_types():
    found = rebuilt(TREE, lambda name, leaf: name)
    assert found == {"a": ["a.0", "a.1"], "b": Pair("b.0", "b.1")}
    assert type(found["b"]) is Pair


def test_names_decide_and_not_the_order_of_a_dict():
    found, sizes = vector({"y": [1.0], "x": [2.0, 3.0]}, what="it", like=[("x.0", 1), ("x.1", 1), ("y.0", 1)])
    assert found.tolist() == [2, 3, 1]
    assert [name for name, _ in sizes] == ["x.0", "x.1", "y.0"]


@pytest.mark.parametrize(("wrong", "said"), [("text", "is a str"), ([None], "0 is a NoneType"), (1j, "complex")])
def test_what_is_no_number_is_refused(wrong, said):
    with pytest.raises(InputError, match=f"what it returned: .*{said}"):
        vector(wrong, what="what it returned")
    with pytest.raises(InputError, match="has 1 numbers; allowed: always as many, 3"):
        vector(1.0, what="it", like=[("", 3)])


def test_numbers_tell_the_precision_that_they_passed_through():
    fine = np.random.default_rng(0).normal(size=50)
    single = fine.astype(np.float32)
    half = (single.view(np.uint32) & 0xFFFF0000).view(np.float32)
    found = [told_unit(each.astype(float)) for each in (fine, single, half, fine.astype(np.float16))]
    assert found == [UNITS[name] for name in ("float64", "float32", "bfloat16", "float16")]
    assert told_unit(np.array([0.0, np.nan])) == np.inf
    assert unit(single) == UNITS["float32"]
