"""A declaration against the record: what contradicts it, what does not, and the side of the error."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.definitions.grammar import parse_guarantee
from dpverify.dossier.contradictions import refutes
from dpverify.dossier.dossier import failed
from tests.dossier.made import REFUTED, SIGNED, found, question, record


def claims(folder, item, **said):
    lines = "".join(f"{name} = '{value}'\n" for name, value in {"id": "sum", **said}.items())
    return found(folder, [item], f"{SIGNED}[[claim]]\n{lines}")


def kinds(made):
    return [each["what"] for each in made["contradictions"]]


@pytest.mark.parametrize(
    ("item", "said", "against"),
    [
        (record(), {"guarantee": "PureDP(epsilon=1)"}, []),
        (record(), {"guarantee": "PureDP(epsilon=2)"}, []),  # follows from what was audited
        (record(), {"guarantee": "ApproxDP(epsilon=1, delta=1e-5)"}, []),
        (record(), {"guarantee": "PureDP(epsilon=0.9)"}, ["guarantee"]),  # not audited
        (record(), {"guarantee": "PureDP(epsilon=0.5)"}, ["guarantee"]),  # refuted by the bound of 0.8
        (record(), {"guarantee": "GDP(mu=0.1)"}, ["guarantee"]),
        (record(**REFUTED), {"guarantee": "PureDP(epsilon=1)"}, ["guarantee"]),
        (record(**REFUTED), {"guarantee": "PureDP(epsilon=1.3)"}, ["guarantee"]),
        (record(**REFUTED), {"guarantee": "PureDP(epsilon=1.5)"}, []),  # the record shows no more than 1.4
        (record(), {"relation": "add-remove"}, []),
        (record(), {"relation": "replace"}, ["relation"]),
        (record(), {"unit": "record"}, []),
        (record(), {"unit": "user_id"}, ["unit"]),
        (record(relation="add-remove by user_id"), {"relation": "add-remove", "unit": "user_id"}, []),
        (record(relation="add-remove by user_id"), {"relation": "add-remove by user_id"}, []),
        (record(relation="add-remove by user_id"), {"relation": "add-remove by device"}, ["unit"]),
        (record(relation="add-remove by user_id"), {"unit": "record"}, ["unit"]),
        (record(relation="one record changes by at most 1"), {"relation": "one record changes by at most 1"}, []),
        (record(relation="one-query"), {"unit": "record"}, ["unit"]),
    ],
)
def test_what_contradicts(tmp_path, item, said, against):
    made = claims(tmp_path, item, **said)
    assert kinds(made) == against
    assert failed(made) == bool(against or item["verdict"] == "refuted")


def test_it_is_said_first_and_at_its_questions(tmp_path):
    made = claims(tmp_path, record(), relation="replace", unit="user_id")
    assert made["conclusion"][0] == "2 declarations are contradicted by the records."
    assert question(made, "bounded-or-unbounded")["answered"] == "contradicted"
    assert question(made, "large-epsilon")["answered"] == "in_part"
    assert made["claims"][0]["contradicted"] == ["relation", "unit"]


def test_words_tell_refuted_from_not_audited(tmp_path):
    told = claims(tmp_path, record(), guarantee="PureDP(epsilon=0.5)")["contradictions"][0]["found"]
    assert told == "refuted: epsilon is at least 0.8 (auditor event)"
    told = claims(tmp_path, record(), guarantee="PureDP(epsilon=0.9)")["contradictions"][0]["found"]
    assert told.endswith("from which the declared one does not follow: not audited")


@pytest.mark.parametrize(
    ("bound", "argument", "promised", "refuted"),
    [
        (1.0, 0.0, "PureDP(epsilon=1)", False),
        (1.001, 0.0, "PureDP(epsilon=1)", True),
        (50.0, 0.0, "GDP(mu=1)", False),  # its delta there is 0 by underflow, and above 0 in truth
        (50.0, 0.0, "ApproxDP(epsilon=1, delta=1e-9)", False),
        (1.5, 1e-5, "PureDP(epsilon=1)", True),
        (1.5, 1e-5, "ApproxDP(epsilon=1, delta=1e-6)", True),
        (1.5, 1e-5, "ApproxDP(epsilon=1, delta=1e-4)", False),
        (3.0, 0.4, "GDP(mu=1)", True),
        (0.5, 1e-3, "GDP(mu=1)", False),
    ],
)
def test_a_bound_refutes_other_promises_only_where_it_does(bound, argument, promised, refuted):
    measure = {"kind": "epsilon", "argument": argument, "claimed": 10.0}
    item = record(guarantee="GDP(mu=10)", part={"measure": measure, "bound": bound})
    assert bool(refutes(item, parse_guarantee(promised))) == refuted
    unproved = {"measure": measure, "bound": bound, "confidence": None, "error": 0.0}
    estimated = record(guarantee="GDP(mu=10)", part=unproved)
    assert refutes(estimated, parse_guarantee(promised)) == ""  # an estimate without a proved error refutes nothing


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"id": "summ"}, "declarations.toml:5: no record of a claim 'summ'; allowed: sum; did you mean sum?"),
        ({"guarantee": "PureDP(epsilom=1)"}, "declarations.toml:5: guarantee: "),
        ({"guarantee": "Private"}, "declarations.toml:5: guarantee: "),
    ],
)
def test_a_claim_that_nothing_can_be_held_against_is_one_line(tmp_path, said, told):
    with pytest.raises(InputError) as caught:
        claims(tmp_path, record(), **said)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
