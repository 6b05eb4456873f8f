"""Records at which values are least, greatest or NaN are among those that the code runs on."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.proofs.extremes import extremes
from dpverify.proofs.points import Point, PublicEvaluation
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.record_search import OfRecords, RecordSearch


def found(field, make):
    """The values of a program at its extremes."""
    told = {"shape": [], "type": "float64", "low": 0.0, "high": 1.0, "nan": False, "norm": None} | field
    program = ProofProgram("add-remove", {"": told})
    node = make(program, program.append("field", name=""))
    search = RecordSearch(program.fields, (), [0.0], np.random.default_rng(0))
    public = PublicEvaluation(program, Point([], 0, 0))
    points = extremes(search, public, [node])
    return np.asarray(OfRecords(search.made(points), len(points), public, {}).of(node))


def remainder(program, x):
    inner = program.append("mod", program.append("add", x, program.constant(517)), program.constant(1009))
    return program.append("floor_divide", inner, program.constant(1008))


@pytest.mark.parametrize("kind", ["int", "int64"])
def test_a_window_of_remainders(kind):
    """One record in 1,009: too rare for 1,000 integers of Python's; the draws are the same in each check."""
    values = found({"type": kind, "low": 0, "high": 10**6}, remainder)
    assert values.min() == 0
    assert kind == "int" or values.max() == 1


def test_nan_where_it_may_be():
    same = lambda _, x: x  # noqa: E731
    assert not np.isnan(found({}, same)).any()
    assert np.isnan(found({"nan": True}, same)).any()


def test_vectors_by_their_elements():
    values = found({"shape": [3], "low": -2.0, "high": 5.0}, lambda _, x: x)
    assert values.shape[1] == 3
    assert (values.min(), values.max()) == (-2.0, 5.0)
