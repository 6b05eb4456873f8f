"""What the reader says of a result, its type and whose number it is, is what Python and numpy give."""

from __future__ import annotations

import ast
import itertools
import operator
from dataclasses import replace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.derivation.functions import has_rule
from dpverify.derivation.interpreter import Interpreter
from dpverify.derivation.known_functions import KNOWN, ONE, TWO
from dpverify.derivation.machine import Machine, RecordRun
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import OneRecord, Public
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.record_search import RecordSearch, all_over
from tests.derivation.corpus import hostile_thirty_seventh_found as found

FIELDS = {
    name: {"shape": [], "type": kind, "low": 0.0, "high": high, "nan": False, "norm": None}
    for name, kind, high in (("a", "int", 9.0), ("f", "float64", 9.0), ("i", "int64", 9.0), ("b", "bool", 1.0))
}
KNOWN_VALUES = (
    *(3, 2, True, 2.5, np.int64(3), np.float64(1.5), np.bool_(True)),
    *(np.array([1, 2]), np.array([1.5, 2]), np.array([True, False])),
)
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
FUNCTIONS = sorted(
    {each for each in (*ONE, *TWO, min, max, np.power) if has_rule(each)},
    key=lambda each: (each.__name__, type(each).__name__),
)


def made():
    """A reader, and values each with what it stands for: known ones, released ones, and one record's."""
    reader = Interpreter(Machine(ProofProgram("add-remove", FIELDS), []))
    put = reader.machine.op
    scale = reader.machine.node(1.0)
    scalar = Public(put("expose", put("draw", scale, law="laplace", shape=[])), home="python")
    array = Public(put("expose", put("draw", scale, law="laplace", shape=[2])), True, "numpy")
    released = [(scalar, 2.25), (array, np.array([2.25, 3.5])), (reader.items(array)[0], np.float64(2.25))]
    released += [(reader.call(int, [scalar], {}), 2), (reader.call(np.argmax, [array], {}), np.int64(1))]
    released += [(reader.call(np.argsort, [array], {}), np.array([0, 1]))]
    released += [(reader.call(np.less, [scalar, 1], {}), np.False_)]
    reader.machine.record = RecordRun([])
    record = [
        (OneRecord(put("field", name=name), home="numpy" if name == "i" else "python"), value)
        for name, value in (("a", 3), ("f", 2.5), ("i", np.int64(3)), ("b", True))
    ]
    return reader, [*((each, each) for each in KNOWN_VALUES), *released, *record]


def told_of(value):
    """Whose number it is, and its type."""
    if isinstance(value, Public | OneRecord):
        return "numpy" if value.array else value.home, value.node.kind
    if type(value) in (bool, int, float):
        return "python", {float: "float64"}.get(type(value), type(value).__name__)
    return ("numpy", str(value.dtype)) if isinstance(value, np.ndarray | np.generic) else (type(value).__name__, "")


def wrong(read, run, many):
    """What the reader says otherwise than it is, of the results for all values at `many` places; some must be read."""
    wrongly, compared = [], 0
    for places in itertools.product(PLACES, repeat=many):
        reader, values = made()
        try:
            home, kind = told_of(read(reader, *(values[place][0] for place in places)))
        except (NotDerivedError, ValueError, TypeError):
            continue
        compared += 1
        given = [values[place][1] for place in places]
        try:
            with np.errstate(all="ignore"):
                own_home, own_kind = told_of(run(*given))
        except Exception as problem:  # noqa: BLE001 - what is read of it is then never returned
            own_home, own_kind = "raised", type(problem).__name__
        right = kind in (own_kind, "number") and home in ("", own_home)
        loose = home == "" and {kind, own_kind} == {"int", "int64"}  # the least of both
        if not right and not loose:
            wrongly.append(f"{list(map(told_of, given))}: {home, kind}, and it is {own_home, own_kind}")
    assert compared >= 3
    return wrongly


PLACES = range(len(made()[1]))
CASES = [
    *((each, 1) for each in FUNCTIONS if each in ONE),
    *((each, 2) for each in FUNCTIONS if each not in ONE),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "many"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_functions(function, many):
    assert wrong(lambda reader, *given: reader.call(function, list(given), {}), function, many) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("symbol", OPERATORS, ids=lambda each: each.__name__)
def test_operators(symbol):
    assert wrong(lambda reader, *given: reader.binary(symbol(), *given), OPERATORS[symbol], 2) == []


LEAKS = ["nanoseconds", "by_add", "late_ones", "replaced_nanoseconds", "nanoseconds_of_users"]


def derived(name):
    told = {key: each for key, each in found.ATTACKS[name].items() if key not in ("d0", "d1")}
    return dpv.derive(getattr(found, name), **told)


@pytest.fixture
def not_computed(monkeypatch):
    """Numpy does not compute what is known."""
    monkeypatch.setattr("dpverify.derivation.functions.KNOWN", KNOWN - {np.add, np.multiply})


@pytest.mark.usefixtures("not_computed")
@pytest.mark.parametrize("name", LEAKS)
def test_an_integer_of_pythons_is_never_numpys(name):
    assert "which numpy makes its own" in derived(name).why


@pytest.mark.usefixtures("not_computed")
@pytest.mark.parametrize("name", [*LEAKS, "sign_of_a_hash"])
def test_code_that_wraps_round_in_half_of_its_domain_is_seen_where_it_is_run(name, monkeypatch):
    """Though each rule that stops it were broken, and in units of 1e-14."""
    monkeypatch.setattr("dpverify.derivation.functions.with_home", of_any_home)
    assert "the code gives" in derived(name).why


def of_any_home(home, value):
    return replace(value, home=home) if isinstance(value, OneRecord | Public) and not value.array else value


def squares_of_whole_parts(data, rng):
    return sum(min(int(x) ** 2, 10) for x in data) + rng.laplace(scale=10.0)


@pytest.mark.parametrize("largest", [1e12, 1e25])
def test_powers_of_integers_have_no_end_where_the_code_is_run(largest):
    asked = {"data": [1.5, 3.0], "bounds": (0.0, largest), "claim": "PureDP(epsilon=1)"}
    assert dpv.derive(squares_of_whole_parts, **asked).outcome == "proved"


def by_method(data, rng):
    return data.clip(max=1.0).clip(0.0).sum() + rng.laplace(scale=1.0)


def by_function(data, rng):
    return np.clip(np.clip(data, -np.inf, 1.0), 0.0).sum() + rng.laplace(scale=1.0)


def into_its_argument(data, rng):
    ones = np.ones(2)
    np.multiply(ones, 1.0, ones)
    return np.sum(data) * ones[0] + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    ("function", "why"),
    [(by_method, ""), (by_function, "clip of"), (into_its_argument, "an array that it writes to")],
)
def test_arguments_are_those_that_numpy_has(function, why, monkeypatch):
    monkeypatch.setattr("dpverify.derivation.derive.check", lambda *_: None)  # the code is not run
    told = dpv.derive(function, data=np.array([0.2, 0.9]), bounds=(0, 1), claim="PureDP(epsilon=1)")
    assert (told.outcome == "proved") is (why == "")
    assert why in told.why


def test_records_come_from_all_over_a_domain():
    field = {"shape": [], "type": "float64", "low": 0.0, "high": 4e10, "nan": False, "norm": None}
    search = RecordSearch({"": field}, (), [0.5], np.random.default_rng(0))
    starts = search.starts()
    assert np.sum((starts > 1e9) & (starts < 3.9e10)) >= 20  # about 55 of 400
    drawn = all_over(-3.0, 2.0, 1000, np.random.default_rng(0))
    assert min(drawn) >= -3
    assert max(drawn) <= 2
    assert np.isnan(all_over(-np.inf, 1.0, 5, np.random.default_rng(0))).all()
