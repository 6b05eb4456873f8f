"""Records looked at again: what agrees, what differs, what has no counts or too few; rows and their evidence."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence, LackingError, Measure
from dpverify.core.json_text import dump
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Verdict, decide
from dpverify.definitions.grammar import parse_guarantee
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.recheck import recheck
from dpverify.runner.recheck_printed import command_faults
from dpverify.runner.recheck_row import nearly_equal, shown
from dpverify.runner.record import record
from dpverify.runner.row import Row, rarest_of

CLAIM = Claim(
    id="c", guarantee=PureDP(epsilon=1.0), relation="replace", subject="s", source=Source(paper="test", locus="")
)
COUNTED = Evidence(
    claim="c",
    auditor="hits",
    version="1",
    measure=Measure(kind="epsilon", argument=0.0, claimed=1.0),
    bound=1.25,
    excess=0.25,
    confidence=1.0 - 0.125,
    trials=8,
    statistics={"quarters": 5, "alpha": 0.125, "inside": {"more": 2.5}},
    witness={"event": "x > 0"},
)
STANDS = replace(COUNTED, auditor="other", bound=0.5, excess=-0.5, statistics={"quarters": 2, "alpha": 0.125})
EXACT = Evidence(
    claim="c",
    auditor="law",
    version="1",
    measure=Measure(kind="epsilon", argument=0.0, claimed=1.0),
    bound=0.75,
    excess=-0.25,
    error=0.0,
    proved=True,
    coverage="enumeration",
)


def quarters(guarantee, evidence):
    """A method whose bound is a count of quarters."""
    said = evidence.statistics
    if "quarters" not in said:
        raise LackingError("the record has no quarters")
    if said["quarters"] < 0:
        raise ContradictionError("fewer than none")
    bound = said["quarters"] / 4
    return Again(
        measure=guarantee.measures()[0],
        bound=bound,
        excess=bound - 1.0,
        alpha=said["alpha"],
        trials=8,
        numbers={"inside.more": 2.5} if "inside" in said else {},
    )


COUNTING = SimpleNamespace(recheck=quarters)
AUDITORS = {"hits": COUNTING, "other": COUNTING, "law": SimpleNamespace(statistical=False)}


def printed(*evidence, claim=CLAIM, **changes):
    row = Row(
        entry=SuiteEntry(claim=claim),
        verdict=decide(claim, evidence),
        seconds=1.0,
        seed=0,
        reproduce="dpverify run core --only c",
        rarest=rarest_of(claim.guarantee, evidence),
    )
    return json.loads(dump(record(replace(row, **changes))))


def look(item, auditors=AUDITORS):
    return recheck(item, read=parse_guarantee, auditors=auditors)


def test_what_the_counts_give_agrees():
    found = look(printed(COUNTED, STANDS))
    assert found.says == "agrees"
    assert [each.says for each in found.looked] == ["agrees", "agrees"]
    assert [each.again for each in found.looked] == [1.25, 0.5]
    assert found.faults == ()
    assert found.reproduce == "dpverify run core --only c"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("bound", 1.25 + 1e-9, "printed bound"),
        ("bound", 1.25 - 1e-9, "printed bound"),
        ("excess", 0.25 + 1e-9, "printed excess"),
        ("confidence", 0.875 + 1e-9, "printed confidence"),
        ("trials", 9, "printed trials"),
        ("statistics", {"quarters": 6, "alpha": 0.125}, "printed bound"),
        ("statistics", {"quarters": 5, "alpha": 0.1251}, "printed confidence"),
        ("statistics", {"quarters": 5, "alpha": 0.125, "inside": {"more": 2.6}}, "printed inside.more"),
        ("statistics", {"quarters": 5, "alpha": 0.125, "inside": 3}, "printed inside.more"),
        ("statistics", {"quarters": -1, "alpha": 0.125}, "fewer than none"),
        ("statistics", {"quarters": "5", "alpha": 0.125}, "cannot be made sense of"),
        ("measure", Measure(kind="epsilon", argument=0.0, claimed=1.1), "the claim's text says 1"),
        ("measure", Measure(kind="epsilon", argument=0.1, claimed=1.0), "printed of epsilon(delta=0.1)"),
    ],
)
def test_what_is_printed_otherwise_is_told(name, value, told):
    found = look(printed(replace(COUNTED, **{name: value})))
    assert found.says == "differs"
    assert told in found.looked[0].told


def test_a_verdict_that_the_counts_do_not_give_is_told():
    found = look(printed(replace(COUNTED, statistics={"quarters": 3, "alpha": 0.125})))
    assert "printed refuted, the counts say not_refuted" in found.looked[0].told


def test_what_cannot_be_told_is_no_agreement():
    found = look(printed(replace(COUNTED, statistics={"alpha": 0.125}), STANDS))
    assert (found.says, found.looked[0].told) == ("lacks", "the record has no quarters")
    found = look(printed(COUNTED), auditors={"hits": AUDITORS["law"]})
    assert found.says == "lacks"
    assert "'hits'" in found.looked[0].told


@pytest.mark.parametrize(
    ("changes", "says", "told"),
    [
        ({"auditor": "hits"}, "differs", "hits draws, and its evidence has no confidence"),
        ({"auditor": "trust-me"}, "lacks", "no way is known to recheck the method 'trust-me'"),
        ({"bound": 1.5, "excess": 0.0}, "differs", "bound 1.5 is above the claimed 1, and the excess is none"),
        ({"bound": 1.5, "excess": 0.0, "error": 0.5}, "exact", ""),
    ],
)
def test_only_an_exact_method_needs_no_counts_and_its_excess_is_that_of_its_bound(changes, says, told):
    """Else draws could be printed as a proof, and a bound above the claim as a pass."""
    looked = look(printed(replace(EXACT, **changes))).looked[0]
    assert (looked.says, looked.told) == (says, told)


def test_a_law_has_no_counts_and_its_own_verdict():
    found = look(printed(EXACT))
    assert (found.says, found.looked[0].again) == ("exact", None)
    assert look(printed(EXACT, STANDS)).says == "agrees"
    raised = printed(replace(EXACT, bound=1.5, excess=0.5))
    assert raised["verdict"] == "refuted"
    raised["evidence"][0]["says"] = raised["verdict"] = "certified"
    faults = look(raised).faults
    assert any("is said to say certified, and says refuted" in fault for fault in faults)
    assert any("printed as certified" in fault for fault in faults)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("verdict", "not_refuted"),
        ("verdict", "certified"),
        ("verdict", "error"),
        ("verdict", "inconclusive"),
        ("verdict", "unsupported"),
        ("method", "other"),
        ("measure", "delta"),
        ("bound", 1.25 + 1e-9),
        ("claimed", 1.1),
        ("tightness", 1.3),
        ("excess", None),
        ("confidence", 0.9),
        ("error", 0.0),
        ("proved", True),
        ("trials", 9),
        ("witness", {"event": "x > 1"}),
    ],
)
def test_a_row_that_is_not_its_evidence_is_told(name, value):
    """A refutation stays one, whatever reason is given for another verdict."""
    found = look(printed(COUNTED, STANDS) | {name: value, "reason": "so it is"})
    assert found.says == "differs"
    assert len(found.faults) == 1


def test_a_weaker_verdict_needs_a_reason_and_no_refutation():
    for verdict in ("error", "inconclusive"):
        assert look(printed(STANDS) | {"verdict": verdict, "reason": "the run was cut"}).faults == ()
        assert look(printed(STANDS) | {"verdict": verdict}).faults
        assert look(printed(COUNTED) | {"verdict": verdict, "reason": "the run was cut"}).faults


def test_the_leading_evidence_is_the_one_that_the_verdict_rests_on():
    item = printed(STANDS, COUNTED)
    assert item["method"] == "hits"
    item["evidence"].reverse()
    assert any("resting on other" in fault for fault in look(item).faults)


def test_a_row_without_evidence_decides_nothing():
    row = printed(verdict=Verdict(claim=CLAIM, status="unsupported", reason="none can"))
    assert look(row).says == "agrees"
    assert look(row | {"guarantee": ""}).says == "agrees"  # rows of papers that are no claim in code yet
    assert look(row | {"verdict": "not_refuted"}).says == "differs"
    assert look(row | {"bound": 1.0}).says == "differs"


@pytest.mark.parametrize(("name", "value"), [("excess", 1.0), ("confidence", 0.999), ("proved", True), ("trials", 9)])
def test_a_row_without_evidence_prints_no_numbers(name, value):
    row = printed(verdict=Verdict(claim=CLAIM, status="unsupported", reason="none can"))
    assert look(row | {name: value}).faults == (f"{name} is printed as {shown(value)}, and there is no evidence",)


@pytest.mark.parametrize(
    ("expectation", "evidence", "surprise", "told"),
    [
        ("stands", COUNTED, None, "is not called a surprise"),
        ("stands", STANDS, "a surprise", "not_refuted is called a surprise where stands was expected"),
        (None, COUNTED, "a surprise", "refuted is called a surprise where nothing was expected"),
        ("broken", COUNTED, "missed", "refuted is called a surprise where broken was expected"),
        ("stands", COUNTED, "refuted!", None),
        ("broken", STANDS, "missed", None),
        ("broken", STANDS, None, None),
        (None, COUNTED, None, None),
    ],
)
def test_a_surprise_is_one_by_what_was_expected(expectation, evidence, surprise, told):
    faults = look(printed(evidence) | {"expectation": expectation, "surprise": surprise}).faults
    assert [told in fault for fault in faults] == ([True] if told else [])


@pytest.mark.parametrize("place", ["bound", "error", "argument"])
def test_integers_beyond_all_doubles_are_no_numbers(place):
    """JSON has such; a float that was compared with one would be an internal error."""
    row = printed(COUNTED)
    if place == "bound":
        row["bound"] = 10**400
        assert "bound is printed as 1000" in look(row).faults[0]
        return
    part = row["evidence"][0]
    (part["measure"] if place == "argument" else part)[place] = 10**400
    with pytest.raises(InputError, match="401 digits"):
        look(row)


def test_numbers_that_grow_with_a_searched_parameter_are_not_those_of_the_text():
    item = printed(replace(EXACT, measure=replace(EXACT.measure, claimed=7.0)))
    assert look(item).says == "differs"
    assert look(item | {"space": {"proportional": "budget"}}).says == "exact"


def test_claims_are_read_and_never_looked_up_nor_run():
    with pytest.raises(InputError, match="cannot read"):
        look(printed(COUNTED) | {"guarantee": "__import__('os').system('true')"})
    with pytest.raises(InputError, match="no guarantee is called"):
        look(printed(COUNTED) | {"guarantee": "Mine(epsilon=1)"})
    unknown = {"subject": "nobody-knows-this", "id": "nor-this"}
    assert look(printed(COUNTED) | unknown | {"reproduce": ""}).says == "agrees"
    assert "its command makes" in look(printed(COUNTED) | unknown).faults[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bound", "large"),
        ("bound", None),
        ("bound", True),
        ("excess", None),
        ("confidence", None),
        ("error", 0.0),
        ("measure", {"kind": "mood", "argument": 0.0, "claimed": 1.0}),
        ("measure", {"kind": "epsilon", "argument": 0.0, "claimed": -1.0}),
        ("measure", {"kind": "epsilon", "argument": [], "claimed": 1.0}),
    ],
)
def test_what_is_no_evidence_is_bad_input(name, value):
    item = printed(COUNTED)
    item["evidence"][0][name] = value
    with pytest.raises(InputError):
        look(item)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("dpverify run core; rm -rf x", "dpverify run 'core;' rm -rf x"),
        ("dpverify run $(x)", "dpverify run '$(x)'"),
        ("rm -rf x", ""),
        ("dpverify 'run", ""),
        ("", ""),
    ],
)
def test_a_strangers_command_is_one_command_of_ours_or_none(text, command):
    assert look(printed(COUNTED) | {"reproduce": text}).reproduce == command


def test_numbers_are_held_to_eleven_digits():
    assert nearly_equal(1.0, 1.0 + 1e-12)
    assert not nearly_equal(1.0, 1.0 + 1e-10)
    assert nearly_equal(1.0, 1.0 + 1e-6, slack=1e-5)
    assert nearly_equal("inf", math.inf)
    assert nearly_equal("-inf", -math.inf)
    assert not nearly_equal("inf", 1e308)
    assert nearly_equal(math.nan, math.nan)
    assert not nearly_equal(None, 0.0)
    assert nearly_equal(None, None)
    assert not nearly_equal("1", 1.0)
    assert not nearly_equal(True, 1.0)


@pytest.mark.parametrize("target", ["m:Sum(epsilon=1.50)", "m:DC()", "m:Outer.inst", "m:part", "m:lamb"])
def test_a_subject_may_be_called_otherwise_than_it_is_found(target):
    record = {"id": "c", "subject": "Sum", "relation": "replace", "guarantee": "PureDP(epsilon=1)", "seed": 0}
    typed = f"dpverify audit '{target}' --claim 'PureDP(epsilon=1)' --relation replace"
    assert command_faults(record, typed, read=lambda _text: PureDP(epsilon=1.0)) == []
    told = command_faults(record | {"relation": "value", "seed": 3}, typed, read=lambda _text: PureDP(epsilon=1.0))
    assert len(told) == 2
