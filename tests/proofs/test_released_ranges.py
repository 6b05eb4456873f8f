"""What is computed of released values lies where the proof says, and what is known of an output is the same exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpverify as dpv
from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.check import _compare
from dpverify.proofs.every_way import EveryWay
from dpverify.proofs.operations import ProofError
from dpverify.proofs.points import PointSearch
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.ranges import Range
from dpverify.proofs.record_search import RecordSearch
from dpverify.proofs.replay import Evaluation, known_alike
from tests.proofs.test_forged import UNIT


def looked_at(change, *, truth=None):
    """Hold the ranges of 0.5 + sin(release), and of its root, against their values; `change` falsifies one."""
    program = ProofProgram("add-remove", {"": UNIT})
    put = program.append
    one = program.constant(1.0)
    released = put("release", put("sum", put("field", name="")), put("draw", one, law="laplace", shape=[]))
    wave = put("call", released, function="sin", arguments=[{"input": 0}], keywords={})
    root = put("sqrt", put("add", wave, program.constant(0.5)))
    below = put("less", released, one)
    change(wave, root)
    rng = np.random.default_rng(0)
    path = CheckedPath(program, () if truth is None else ((below, truth),), {"kind": "node", "value": 0})
    ways = EveryWay([path], RecordSearch(program.fields, (), [0.0], rng), {}, lambda *_: None, lambda *_: None)
    ways._released(path, PointSearch(program, [0.0], rng))


def narrower(wave, root):
    wave.range = Range(np.array(-1.0), np.array(0.9), True)


def no_nan(wave, root):
    root.range = Range(root.range.lo, root.range.hi, False)


@pytest.mark.parametrize("truth", [None, True, False])
def test_ranges_that_hold_are_left_alone(truth):
    looked_at(lambda *_: None, truth=truth)


@pytest.mark.parametrize("truth", [None, True, False])
@pytest.mark.parametrize("change", [narrower, no_nan])
def test_a_false_range_is_seen(change, truth):
    """One value in seven is above 0.9, and one in three is NaN, of those of 96 that go the path's way."""
    with pytest.raises(ProofError, match="the proof says that it cannot"):
        looked_at(change, truth=truth)


@pytest.mark.parametrize(
    ("known", "output"),
    [(0.0, 1e-15), (1.0, 1.0 + 2**-52), (0, 1e-13), (math.nan, 0.0), ([0.0, 1.0], [0.0, 1.0 + 1e-12])],
)
def test_what_is_known_is_the_same_to_the_last_digit(known, output):
    told = {"kind": "number", "value": known, "type": "int" if known == 0 and type(known) is int else "float64"}
    assert known_alike(told, np.asarray(known)[()])
    assert not known_alike(told, np.asarray(output)[()])
    for inside in ({"kind": "tuple", "value": [told]}, {"kind": "dict", "value": [["a", told]]}):
        given = {"a": output} if inside["kind"] == "dict" else (output,)
        assert not known_alike(inside, given)


def test_a_known_output_is_compared_so_beside_the_code():
    path = CheckedPath(ProofProgram("add-remove", {"": UNIT}), (), {"kind": "number", "value": 0.5, "type": "float64"})
    _compare((path,), {"": np.array([0.2])}, 1, 0, np.float64(0.5))
    with pytest.raises(ProofError, match="and the proof something else"):
        _compare((path,), {"": np.array([0.2])}, 1, 0, np.float64(0.5) + 1e-13)


def test_an_output_is_compared_in_units_of_its_noise():
    program = ProofProgram("add-remove", {"": UNIT})
    put = program.append
    small = put("draw", put("multiply", program.constant(1e-14), program.constant(1.0)), law="laplace", shape=[])
    put("release", put("sum", put("field", name="")), small)
    path = CheckedPath(program, (), {"kind": "node", "value": len(program.nodes) - 1})
    records = {"": np.array([0.0])}
    proved = Evaluation(program, records, 1, np.random.default_rng(3)).of(program.nodes[-1])
    _compare((path,), records, 1, 3, proved)
    with pytest.raises(ProofError, match="and the proof something else"):
        _compare((path,), records, 1, 3, proved + 5e-13)


def test_a_released_number_may_be_rounded():
    assert known_alike({"kind": "node", "value": 3}, 1.0 + 1e-12)


def never(data, rng):
    noisy = np.histogram(data, bins=2, range=(0, 1))[0] + rng.laplace(0, 1.0, size=2)
    return np.where(noisy - noisy > 0.5, 1.0, 0.0)


def one_by_one(data, rng):
    noisy = np.histogram(data, bins=2, range=(0, 1))[0] + rng.laplace(0, 1.0, size=2)
    return [1.0 if each else 0.0 for each in noisy > 0.5]


def test_a_side_of_an_array_that_no_path_meets_is_not_proved():
    asked = {"data": np.array([0.2, 0.9]), "bounds": (0, 1), "claim": "PureDP(epsilon=1)"}
    assert "no released values were found" in dpv.derive(never, **asked).why
    assert dpv.derive(one_by_one, **asked).outcome == "proved"


@pytest.mark.parametrize(
    ("function", "arguments", "keywords", "why"),
    [
        ("median", [{"input": 0}, {"value": 0}, {"value": None}, {"value": True}], {}, "no rule"),  # sorts its argument
        ("sum", [{"input": 0}], {"axis": 0.5}, "no rule"),
        ("sum", [{"input": 0}], {"dtype": 1}, "no rule"),
        ("sin", [{"input": 1}], {}, "float16"),
    ],
)
def test_functions_of_released_values_take_what_their_rule_says(function, arguments, keywords, why):
    program = ProofProgram("add-remove", {"": UNIT})
    put = program.append
    noise = put("draw", program.constant(1.0), law="laplace", shape=[4])
    counts = put("stack", *[put("sum", put("field", name=""))] * 4, shape=[4])
    released = put("release", counts, noise)
    below = put("less", released, program.constant(1.0))
    with pytest.raises(ProofError, match=why):
        put("call", released, below, function=function, arguments=arguments, keywords=keywords)
