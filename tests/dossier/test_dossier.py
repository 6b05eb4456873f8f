"""Questions and how they are answered: by evidence, by a declaration, by both, in part, or not at all."""

from __future__ import annotations

import json

import jsonschema
import pytest

from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.definitions.grammar import parse_guarantee
from dpverify.dossier.dossier import dossier, failed, refutes
from dpverify.dossier.question import FOLDER
from dpverify.dossier.runs import read_runs
from dpverify.reporting.schema_check import schema_fault
from tests.dossier.made import REFUTED, SIGNED, TODAY, VACUOUS, found, question, record, runs

SCHEMA = json.loads((FOLDER.parent / "dossier.schema.json").read_text())
ANSWERS = SIGNED + '[answers]\ntrust-model = "Central."\nvariant-choice = "Few statistics."\n'


def test_it_follows_its_schema(tmp_path):
    text = ANSWERS + "[answers.access]\nanswer = 'Two.'\nname = 'Bob'\nrole = 'officer'\ndate = '2026-01-01'\n"
    text += "[[claim]]\nid = 'sum'\nguarantee = 'PureDP(epsilon=1)'\nrelation = 'replace'\nunit = 'record'\n"
    made = found(tmp_path, [record(), record(id="count", **REFUTED), record(id="c", expectation="broken")], text)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(dump(made)), SCHEMA)
    assert schema_fault(json.loads(dump(made)), SCHEMA) == ""


def test_how_a_question_is_answered(tmp_path):
    alone, both = found(tmp_path, [record()]), found(tmp_path, [record()], ANSWERS)
    assert question(alone, "trust")["answered"] == "not_answered"
    assert question(both, "trust")["answered"] == "declaration"
    assert question(alone, "catastrophic-failure")["answered"] == "in_part"
    assert question(both, "catastrophic-failure")["answered"] == "evidence_and_declaration"
    assert question(alone, "bounded-or-unbounded")["answered"] == "evidence"
    assert question(both, "actors")["declaration"]["name"] == "Ada"  # one answer, three texts
    for made in (alone, both):
        for text in made["texts"]:
            assert sum(text["counts"].values()) == len(text["questions"])


def test_an_audit_that_could_have_seen_nothing_answers_nothing(tmp_path):
    for changes in (VACUOUS, {"detectable": "inf"}, {"verdict": "unsupported", "evidence": []}, {"verdict": "error"}):
        made = found(tmp_path, [record(**changes)])
        assert {each["answered"] for text in made["texts"] for each in text["questions"]} == {"not_answered"}
        assert made["rows"][0]["answers_nothing"]
        assert "1 row answers no question" in " ".join(made["conclusion"])


def test_a_control_answers_nothing_and_is_no_failure(tmp_path):
    made = found(tmp_path, [record(expectation="broken", **REFUTED)])
    assert {each["answered"] for text in made["texts"] for each in text["questions"]} == {"not_answered"}
    assert not failed(made)
    assert "1 of 1 known-broken mechanisms" in " ".join(made["conclusion"])
    assert failed(found(tmp_path, [record(expectation="broken")]))


def test_a_refuted_claim_is_said_and_fails(tmp_path):
    made = found(tmp_path, [record(), record(id="count", **REFUTED)])
    assert failed(made)
    asked = question(made, "large-epsilon")
    assert asked["answered"] == "refuted"
    assert [each["rows"] for each in asked["facts"] if each["refuted"]] == [["count"]]
    assert not failed(found(tmp_path, [record()]))


@pytest.mark.parametrize(
    ("name", "without", "with_it"),
    [
        ("event-level", record(), record(relation="add-remove by user_id")),
        ("event-level", record(relation="a record changes by at most 1"), record(relation="replace by user")),
        ("statistical-bias", record(), record(part={"measure": {"kind": "mean", "argument": None, "claimed": 1.0}})),
        ("machine-learning", record(), record(part={"auditor": "one-run"})),
        ("side-channels", record(), record(part={"auditor": "floating-point"})),
        ("side-channels", record(), record(notes=["exceptions are outputs: their first number is 0"])),
        ("side-channels", record(), record(notes=["raised: the mechanism raised an exception on 2 of 14 pairs"])),
    ],
)
def test_a_look_sees_what_it_is_for_and_nothing_else(tmp_path, name, without, with_it):
    assert question(found(tmp_path, [without]), name)["facts"] == []
    facts = question(found(tmp_path, [with_it]), name)["facts"]
    assert [each["rows"] for each in facts] == [["sum"]]


def test_a_part_that_could_have_seen_nothing_is_no_answer(tmp_path):
    blind = {"auditor": "floating-point", "detectable": "inf"}
    assert question(found(tmp_path, [record(part=blind)]), "side-channels")["facts"] == []


def test_an_exact_law_says_nothing_of_the_implementation(tmp_path):
    exact = {"confidence": None, "error": 0.0, "proved": True}
    made = found(tmp_path, [record(verdict="certified", confidence=None, part=exact)])
    assert question(made, "custom-implementation")["facts"] == []
    (fact,) = question(made, "auditing")["facts"]
    assert "without a draw of the implementation: certified for the stated law" in fact["text"]
    (fact,) = question(found(tmp_path, [record()]), "custom-implementation")["facts"]
    assert fact["text"] == "Audited: the code itself, by 1k draws a side. Found: not refuted, which is no proof."


def test_deltas_are_told_by_the_claims_own_kind(tmp_path):
    claims = ["PureDP(epsilon=1)", "ApproxDP(epsilon=1, delta=1e-6)", "GDP(mu=1)"]
    made = found(tmp_path, [record(id=f"c{n}", guarantee=each) for n, each in enumerate(claims)])
    told = [each["text"] for each in question(made, "comparing-deltas")["facts"]]
    assert told == [
        "Claimed at delta = 0.",
        "Claimed at delta = 1e-06.",
        "Claimed as a curve, which has an epsilon at every delta.",
    ]


def test_a_claim_of_two_runs_has_two_rows(tmp_path):
    runs(tmp_path / "one", record())
    runs(tmp_path / "two", record(**REFUTED))
    both = read_runs([tmp_path / "one", tmp_path / "two"])
    made = dossier(both, None, today=TODAY)
    assert [row["verdict"] for row in made["rows"]] == ["not_refuted", "refuted"]
    assert len({row["anchor"] for row in made["rows"]}) == 2
    assert failed(made)


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
