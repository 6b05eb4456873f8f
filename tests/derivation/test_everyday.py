"""What people write every day is proved where it is right, and never where it is not."""

from __future__ import annotations

import ast
import types

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core import numpy_random
from dpverify.core.numpy_random import NOISE, PUBLISHED, standing_in_numpy
from dpverify.derivation import draws, items, source
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, Position
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.told import SEEDED_BY_NOBODY, holds
from tests.derivation.corpus import practice_everyday as everyday
from tests.derivation.corpus import practice_imported, practice_places, practice_seeded, practice_wrapped
from tests.proofs.test_forged import UNIT

NUMBERS = {"data": np.array([0.2, 0.9]), "bounds": (0, 1)}
TEXTS = {"data": ["Bonn", "Lyon"]}
ROWS = {"data": [{"age": 30.0, "member": True}], "bounds": {"age": (0, 120)}}
PAIR = {"data": (np.array([[0.1, 0.2], [0.5, 0.9]]), np.array([1.0, 0.0])), "bounds": "0:1"}
TABLE = {"data": np.array([[0.2, 0.9, 0.4]]), "bounds": (-1, 1)}


def outcome(function, **settings):
    return dpv.derive(function, claim="PureDP(epsilon=1)", **settings)


def named(each):
    return getattr(each, "__name__", "")


@pytest.fixture
def rules_alone(monkeypatch):
    """The code is not run beside its proof."""
    monkeypatch.setattr("dpverify.derivation.derive.check", lambda *_: None)


@pytest.mark.parametrize("function", everyday.RIGHT, ids=named)
def test_right_functions_are_proved(function):
    found = outcome(function, **NUMBERS)
    assert found.outcome == "proved", found.why
    assert found.upper < 1.0001


@pytest.mark.parametrize("function", everyday.WRONG, ids=named)
@pytest.mark.usefixtures("rules_alone")
def test_wrong_functions_are_not(function):
    assert outcome(function, **NUMBERS).outcome != "proved"


@pytest.mark.parametrize("function", everyday.OF_TEXTS, ids=named)
def test_texts_are_counted(function):
    found = outcome(function, **TEXTS)
    assert found.outcome == "proved", found.why
    assert 1 <= found.upper < 1.0001


@pytest.mark.parametrize("function", everyday.OF_ROWS, ids=named)
def test_rows_are_read(function):
    assert outcome(function, **ROWS).outcome == "proved"


@pytest.mark.usefixtures("rules_alone")
def test_a_row_that_is_a_tuple_has_no_get():
    def by_get(rows, rng):
        return sum(1 for row in rows if row.get(1) > 0.5) + rng.laplace(0, 1.0)

    assert "the method get of a record has no rule" in outcome(by_get, data=[("a", 0.2)]).why


@pytest.mark.parametrize("function", everyday.OF_TABLES, ids=named)
def test_tables_are_summed(function):
    assert outcome(function, **TABLE).outcome == "proved"


@pytest.mark.parametrize("function", everyday.OF_TABLES_WRONG, ids=named)
@pytest.mark.usefixtures("rules_alone")
def test_what_other_records_or_types_decide_is_not_proved(function):
    assert outcome(function, **TABLE).outcome != "proved"


@pytest.mark.parametrize(
    ("function", "settings"), [*((each, NUMBERS) for each in practice_places.RIGHT), (practice_places.products, PAIR)]
)
def test_records_are_taken_at_their_places(function, settings):
    found = outcome(function, **settings)
    assert found.outcome == "proved", found.why


@pytest.mark.parametrize(
    ("function", "settings"),
    [
        *((each, NUMBERS) for each in practice_places.WRONG),
        *((each, PAIR) for each in practice_places.OF_PAIRS_WRONG),
    ],
    ids=named,
)
@pytest.mark.usefixtures("rules_alone")
def test_nothing_else_of_a_place_is_proved(function, settings):
    assert outcome(function, **settings).outcome != "proved"


@pytest.mark.parametrize("inside", [True, False])
def test_a_place_is_of_the_record_of_its_loop(inside):
    program = ProofProgram("add-remove", {"": UNIT})
    column, this, earlier = DataColumn(program.append("field", name="")), object(), object()
    reader = types.SimpleNamespace(machine=types.SimpleNamespace(record=this if inside else None))
    assert not inside or items.item(reader, column, Position(this)).node is column.node
    with pytest.raises(NotDerivedError, match="records by position"):
        items.item(reader, column, Position(earlier if inside else None))


@pytest.mark.parametrize("function", everyday.OF_TEXTS_WRONG, ids=named)
@pytest.mark.usefixtures("rules_alone")
def test_nothing_else_of_a_counter_is_proved(function):
    assert outcome(function, **TEXTS).outcome != "proved"


def test_a_count_of_numbers_is_not_of_those_that_hash_otherwise():
    def beyond(data, rng):
        return data.count(2**53 + 1) + rng.laplace(0, 1.0)

    assert "2**52" in outcome(beyond, data=[0.5], bounds=(0, 2.0**60)).why


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (practice_seeded.count, "speaks of a seed"),
        (practice_imported.count, "takes from numpy.random"),
        (practice_wrapped.total, "practice_seeded speaks of a seed"),
        (practice_seeded.seeded_inside, "numpy.random.seed has no rule"),
    ],
)
def test_noise_that_may_be_known_is_no_noise(function, why):
    assert why in outcome(function, **NUMBERS).why


def test_noise_of_a_file_that_cannot_be_read_is_no_noise():
    program = ProofProgram("add-remove", {})
    program.append("draw", program.constant(1.0), law="laplace", shape=[], declared=draws.GLOBAL)
    with pytest.raises(NotDerivedError, match="cannot be read"):
        draws.check_seeds(program, ("builtins",))  # it has no file


def test_a_function_is_of_the_module_whose_file_it_stands_in():
    copied = types.FunctionType(practice_seeded.count.__code__, {"__name__": "json"})
    with pytest.raises(NotDerivedError, match="is in no file of a module"):
        source.module_of(copied)
    assert source.module_of(practice_seeded.count) == practice_seeded.__name__


@pytest.mark.parametrize(
    "line",
    [
        *("np.random.seed(3)", "from utilities import seed_everything", "set_seed(42)", "random.seed(1)"),
        *("SEED = 7", "np.random.set_state(STATE)", "np.random.set_bit_generator(np.random.PCG64(1))"),
        *("getattr(np.random, 'seed')(3)", "np.random.mtrand._rand", "np.random.laplace.__self__._bit_generator"),
    ],
)
def test_a_module_speaks_of_a_seed(line):
    assert any(map(draws._seeds, ast.walk(ast.parse(line))))


def test_words_in_a_docstring_are_no_names():
    tree = ast.parse("'''Noise whose seed is nobody's.'''\nx = np.random.laplace()")
    assert not any(map(draws._seeds, ast.walk(tree)))


def test_a_generator_of_its_own_has_no_seed():
    assert outcome(practice_seeded.count_with_its_own, **NUMBERS).outcome == "proved"


def test_a_certificate_says_that_nobody_seeds_the_global_generator():
    certificate = outcome(everyday.textbook_count, **NUMBERS).certificate()
    assert SEEDED_BY_NOBODY in certificate["assumptions"]
    assert SEEDED_BY_NOBODY in holds(certificate)["rests_on"]
    assert SEEDED_BY_NOBODY not in outcome(everyday.flags_as_integers, **NUMBERS).certificate()["assumptions"]


def test_numpy_has_its_own_functions_again_afterwards():
    def fails():
        with standing_in_numpy({"laplace": len}):
            assert np.random.laplace is len
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    outcome(everyday.textbook_count, **NUMBERS)
    assert all(getattr(np.random, name) == PUBLISHED[name] for name in numpy_random.PUBLISHED)


@pytest.mark.parametrize("name", NOISE)
def test_they_take_what_the_generator_takes_and_return_the_same_types(name):
    given = (0.5,) if name == "geometric" else ()
    mine, theirs = PUBLISHED[name], getattr(np.random.default_rng(), name)
    assert type(mine(*given)) is type(theirs(*given))
    assert mine(*given, size=3).dtype == theirs(*given, size=3).dtype
