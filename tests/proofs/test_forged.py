"""Certificates that somebody wrote by hand: what no code was read to is refused all the same."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dpverify.proofs.certificate import checked
from dpverify.proofs.cost import cost_of, upper_bound
from dpverify.proofs.layout import check_types, names_of
from dpverify.proofs.operations import ProofError
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.told import assumptions_of, domain_words
from tests.derivation.corpus import hostile_thirty_second_found, hostile_thirty_sixth_found

UNIT = {"shape": [], "type": "float64", "low": 0.0, "high": 1.0, "nan": False, "norm": None}


class Written:
    """A program under way, and its certificate."""

    def __init__(self, **changed):
        self.fields = {"": {**UNIT, **changed}}
        self.program = ProofProgram("add-remove", self.fields)
        self.put, self.constant = self.program.append, self.program.constant
        self.record = self.put("field", name="")

    def released(self, part, scale, law="laplace"):
        return self.put("release", self.put("sum", part), self.put("draw", scale, law=law, shape=[]))

    def certificate(self, returned, *, claim=None, upper=None):
        places = self.program.places
        nodes = [
            {"op": e.op, "in": [places[i] for i in e.inputs], "params": dict(e.params)} for e in self.program.nodes
        ]
        path = {"nodes": nodes, "conditions": [], "ways": [], "returned": {"kind": "node", "value": places[returned]}}
        upper = upper_bound(cost_of(self.program), "PureDP") if upper is None else upper
        told = {
            "format": "dpverify proof 1",
            "claim": {"kind": "PureDP", "parameters": {"epsilon": upper}, "text": ""} | (claim or {}),
            "upper": upper,
            "relation": "add-remove",
            "records": 1,
            "domain": {"form": "array", "fields": self.fields, "layout": [["", "", True]], "text": ""},
            "code": {"files": []},
            "assumptions": assumptions_of([path]),
            "paths": [path],
        }
        return json.loads(json.dumps(told))


def test_one_written_by_hand_can_hold():
    w = Written()
    _, upper = checked(w.certificate(w.released(w.record, w.constant(2.0))))
    assert upper == pytest.approx(0.5, rel=1e-12)


def test_the_integer_of_another_argument_has_another_range():
    w = Written()
    k = w.put("call", w.constant(1e6), function="int", arguments=[{"value": 1}], keywords={})
    with pytest.raises(ProofError, match="scale of noise"):
        w.released(w.record, w.put("as_float", k))


def test_a_released_value_does_not_decide_a_shape():
    w = Written()
    seen = w.put("expose", w.put("draw", w.constant(1.0), law="laplace", shape=[]))
    n = w.put(
        "call",
        w.put("stack", w.constant(0.0), seen, shape=[2]),
        function="argmax",
        arguments=[{"input": 0}],
        keywords={},
    )
    with pytest.raises(ProofError, match="may decide its shape"):
        w.put(
            "call",
            w.constant(np.array([0.0, 1.0])),
            n,
            function="diff",
            arguments=[{"input": 0}, {"input": 1}],
            keywords={},
        )


def test_places_are_counted_from_the_first():
    """-1 is another operation in each path, and the question is empty."""
    w = Written()
    released = w.released(w.record, w.constant(2.0))
    w.put("less", released, w.constant(0.5))
    path = w.certificate(released)["paths"][0]
    last = len(path["nodes"]) - 1
    for at, holds in ((last, True), (-1, False), (1.0, False), (True, False)):
        told = w.certificate(released)
        told["paths"] = [{**path, "conditions": [[at, truth]]} for truth in (True, False)]
        if holds:
            checked(told)
            continue
        with pytest.raises(ProofError):
            checked(told)


def test_columns_are_fields_of_their_own():
    w = Written()
    told = w.certificate(w.released(w.record, w.constant(2.0)))
    checked(told)
    for layout in ([["x", "", True], ["y", "", True]], [["", "another", True]], []):
        told["domain"]["layout"] = layout
        with pytest.raises(ProofError, match=r"one to one|not in its form|the container"):
            checked(told)


@pytest.mark.parametrize(
    ("form", "layout", "holds"),
    [
        ("columns", [["", "", True]], True),
        ("columns", [["age", "", True]], False),
        ("tuples", [["", "", False]], False),
        ("table", [["", "", True]], False),
    ],
)
def test_a_field_has_the_name_of_its_key(form, layout, holds):
    """The words of a domain go by the names: with those of others the ranges would be said of other columns."""
    w = Written()
    told = w.certificate(w.released(w.record, w.constant(2.0)))
    told["domain"] |= {"form": form, "layout": layout}
    if holds:
        checked(told)
        return
    with pytest.raises(ProofError, match=r"one to one|container"):
        checked(told)


def test_conditions_of_an_operation_have_places():
    w = Written()
    part = w.put("minimum", w.record, w.constant(1.0), given=[[-1, True]])
    told = w.certificate(w.released(part, w.constant(2.0)))
    with pytest.raises(ProofError, match="the operation at -1"):
        checked(told)


def test_any_text_is_any():
    codes = {"type": "text", "low": 0.0, "high": 0.0}
    assert not Written(**codes).record.range.finite
    assert Written(**codes, texts=["a", "b"]).record.range.hi == 1.0
    with pytest.raises(ProofError, match="the texts"):
        Written(**codes, texts=["a", 1])


def test_known_whole_numbers_may_wrap():
    large = np.array([2**62, 2**62, 10**6])
    w = Written()
    with pytest.raises(ProofError, match="wrap round"):
        w.put("reduce_sum", w.constant(large), axis=0)
    with pytest.raises(ProofError, match="wrap round"):
        w.put("matmul", w.constant(large), w.constant(np.array([1, 1, 1])))


def test_no_integer_of_python_is_a_half():
    with pytest.raises(ProofError, match="that is none"):
        Written().put("constant", value=0.5, type="int")


@pytest.mark.parametrize(
    ("changed", "limit", "of_record"),
    [
        ({"high": 1e30}, 1.0, lambda w, given: w.put("as_int", w.record, given=given)),
        (
            {"type": "int64", "high": 100.0},
            np.int64(4),
            lambda w, given: w.put("multiply", w.record, w.constant(np.int64(2**60)), given=given),
        ),
    ],
)
def test_what_holds_under_a_condition_is_not_said_without_it(changed, limit, of_record):
    """Beyond the limit the number wraps round, to -2^63."""
    w = Written(**changed)
    given = [[w.program.places[w.put("less", w.record, w.constant(limit))], True]]
    part = w.put("minimum", of_record(w, given), w.constant(np.int64(1)))
    told = w.certificate(w.released(w.put("as_float", part), w.constant(1.0)), upper=1.0)
    with pytest.raises(ProofError, match="is stated"):
        checked(told)


@pytest.mark.parametrize(
    "claim",
    [
        {"kind": "ApproxDP", "parameters": {"epsilon": 1.1, "delta": math.nan}},
        {"kind": "ApproxDP", "parameters": {"epsilon": 1.1, "delta": 1.0}},
        {"kind": "ApproxDP", "parameters": {"epsilon": 1.1, "delta": -0.5}},
        {"kind": "RDP", "parameters": {"epsilon": 1.1, "order": 1.0}},
        {"kind": "PureDP", "parameters": {"epsilon": 1.1, "epsilon=0.001, delta": 0}},
        {"kind": "PureDP", "parameters": {"epsilon": "1.1"}},
        {"kind": "ZCDP", "parameters": {"epsilon": 1.1}},
        {"kind": "Privacy", "parameters": {"epsilon": 1.1}},
    ],
)
def test_claims_that_are_none(claim):
    w = Written()
    told = w.certificate(w.released(w.record, w.constant(1.0)), claim=claim, upper=1 + 2.0**-50)
    with pytest.raises(ProofError):
        checked(told)


@pytest.mark.parametrize(
    "changed",
    [
        {"low": 1.0, "high": 0.0},
        {"low": math.nan},
        {"norm": -1.0},
        {"norm": math.nan},
        {"nan": 0},
    ],
)
def test_domains_that_are_none(changed):
    with pytest.raises((ProofError, TypeError)):
        Written(**changed)


def test_an_end_is_not_rounded_in_words():
    assert "[0, 0.99999999999995]" in domain_words({"fields": {"": {**UNIT, "high": 0.99999999999995}}})
    assert "[0, 1]" in domain_words({"fields": {"": UNIT}})
    assert "norm 0.9999996 at most" in domain_words({"fields": {"": {**UNIT, "norm": 0.9999996}}})
    anything = {**UNIT, "low": "-inf", "high": "inf"}
    assert "any value but NaN" in domain_words({"fields": {"": anything}})
    assert "any value or NaN" in domain_words({"fields": {"": {**anything, "nan": True}}})


def test_no_range_of_a_column_is_left_out_silently():
    def words(highs):
        return domain_words({"fields": {"": {**UNIT, "shape": [len(highs)], "low": [0.0] * len(highs), "high": highs}}})

    assert words([1.0, 2.0]) == "2 of float64 in [0, 1], in [0, 2]"
    assert words([1.0] * 4 + [0.0, 0.0]) == "6 of float64 4 in [0, 1], 2 in [0, 0]"
    assert words([1.0] * 6) == "6 of float64 in [0, 1]"
    many = words([float(each) for each in range(20)])
    assert many.count("1 in [0, ") == 16
    assert many.endswith("4 in ranges that the certificate lists")


@pytest.mark.parametrize("forged", hostile_thirty_second_found.FORGED.values())
def test_functions_of_released_values_that_choose_a_type(forged):
    with pytest.raises(ProofError, match="arguments that have no rule"):
        checked(forged())


@pytest.mark.parametrize("forged", hostile_thirty_second_found.FORGED_WITH_CODE.values())
def test_fields_in_another_order(forged):
    told, _ = forged()
    with pytest.raises(ProofError, match="the container"):
        checked(told)


@pytest.mark.parametrize(
    ("form", "layout"),
    [
        ("array", [["", "", False]]),
        ("array", [["a", "a", True]]),
        ("list", [["", "", True]]),
        ("tuple", [[0, "X", True]]),
        ("tuple", [[1, "y", True], [0, "X", True]]),
        ("tuples", [[0, "[0]", False], [2, "[2]", False]]),
        ("tuples", [[False, "[0]", False], [True, "[1]", False]]),
        ("tuples", [[0, "[0]", True], [1, "[1]", True]]),
        ("dicts", [["a", "a", True]]),
        ("columns", [["a", "a", True], [[1, 2], "(1, 2)", False]]),
        ("dicts", [[1, "1", False], [1.0, "1.0", False]]),
        ("columns", [["a", "a", 1]]),
        ("columns", [["a", "a"]]),
        ("frame", [["a", "a", True]]),
    ],
)
def test_containers_that_are_none(form, layout):
    with pytest.raises((ProofError, IndexError)):
        names_of(form, layout)


def test_the_names_of_containers():
    assert names_of("array", [["", "", True]]) == [""]
    assert names_of("tuple", [[0, "X", True], [1, "y", True]]) == ["X", "y"]
    assert names_of("tuples", [[0, "[0]", False], [1, "[1]", False]]) == ["[0]", "[1]"]
    assert names_of("columns", [["a", "a", True], [2, "2", False]]) == ["a", "2"]


@pytest.mark.parametrize("forged", hostile_thirty_sixth_found.FORGED_WITH_CODE.values())
def test_arrays_of_integers_without_end(forged, monkeypatch):
    """Nobody has such an array, and what it proves is false of an array of 64 bits, which is told in the same words."""
    monkeypatch.setattr("dpverify.derivation.derive.check", lambda *_: 1.0)
    told, _ = forged()
    with pytest.raises(ProofError, match="an array of int "):
        checked(told)


@pytest.mark.parametrize(
    ("array", "kind", "shape", "holds"),
    [
        *((True, kind, [3], True) for kind in ("bool", "float16", "float64", "uint8", "int64")),
        *((False, kind, [], True) for kind in ("bool", "int", "float64", "text")),
        *((True, kind, [], False) for kind in ("int", "text", "longdouble", "float64 of any value")),
        *((False, kind, [], False) for kind in ("int64", "float32")),
        *[(True, "float64", [2, 2], False), (True, "float64", [0], False), (False, "float64", [2], False)],
    ],
)
def test_what_arrays_and_lists_hold(array, kind, shape, holds):
    layout, fields = [["a", "a", array]], {"a": {"type": kind, "shape": shape}}
    if holds:
        check_types(layout, fields)
    else:
        with pytest.raises(ProofError, match=f"of {kind} whose records have the shape"):
            check_types(layout, fields)


def test_a_loose_condition_is_no_number():
    with pytest.raises(ProofError, match="loose of bool"):
        checked(hostile_thirty_sixth_found.exponential_of_a_loose_condition())


@pytest.mark.parametrize(("most", "high"), [(1e130, 1.5e130), (1e160, math.inf)])
def test_the_norm_of_what_is_too_large_to_be_squared_may_be_infinite(most, high):
    program = ProofProgram("add-remove", {})
    found = program.append("norm", program.append("stack", *[program.constant(most)] * 2, shape=[2]))
    assert most < found.range.hi <= high
    assert math.isinf(found.range.hi) is math.isinf(high)


@pytest.mark.parametrize(
    "call",
    [
        {"function": "outer", "arguments": [{"input": 0}, {"value": [10**30, 1]}], "keywords": {}},
        {"function": "sum", "arguments": [{"input": 0}], "keywords": {"dtype": "float32"}},
        {"function": "sum", "arguments": [{"input": 0}, {"value": 0}, {"value": "float32"}], "keywords": {}},
        {"function": "sum", "arguments": [{"input": 0}, {"value": "float32"}], "keywords": {}},
        {"function": "quantile", "arguments": [{"input": 0}, {"value": "0.5"}], "keywords": {}},
        {"function": "sort", "arguments": [{"input": 0}], "keywords": {"kind": "stable"}},
        {"function": "max", "arguments": [{"input": 0}], "keywords": {"initial": 3}},
        {"function": "power", "arguments": [{"input": 0}, {"value": 2**63}], "keywords": {}},
    ],
)
def test_arguments_that_have_no_rule(call):
    w = Written()
    whole = w.program.append("take", w.released(w.record, w.constant(1.0)), places=[0], shape=[1])
    with pytest.raises(ProofError, match="no rule"):
        w.program.append("call", whole, **call)
