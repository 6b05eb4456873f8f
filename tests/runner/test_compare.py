"""Changes between two runs: each kind, in the right direction, and none where nothing changed."""

from __future__ import annotations

from functools import partial

import pytest

from dpverify.core.evidence import Evidence, Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import judge
from dpverify.definitions.grammar import parse_guarantee
from dpverify.runner.compare import changes, moved
from dpverify.runner.record import evidence_record, plain


@pytest.fixture(scope="module")
def read():
    return partial(parse_guarantee, definitions=dict(registry().definitions.items()))


def evidence(bound=0.9, *, estimate=None, claimed=1.0, **more):
    words = {"confidence": 0.999, "detectable": 1.5, "ceiling": 6.0, "estimate": estimate or bound + 0.05} | more
    return Evidence(
        claim="a",
        auditor="event",
        version="1",
        measure=Measure(kind="epsilon", argument=0.0, claimed=claimed),
        bound=bound,
        excess=bound - claimed,
        **words,
    )


def item(found=None, *, name="a", guarantee="PureDP(epsilon=1)", **more):
    """A record, as far as a comparison reads it."""
    found = evidence() if found is None else found
    told = {"id": name, "guarantee": guarantee, "subject": "s", "relation": "add-remove", "parameters": {}}
    told |= {"verdict": str(judge(found)), "evidence": [plain(evidence_record(found))], "expectation": None}
    return told | more


def kinds(before, after, read):
    return [change.kind for change in changes(before, after, read=read)]


def test_nothing_changed(read):
    assert kinds([item()], [item()], read) == []
    assert kinds([item(evidence(0.9))], [item(evidence(0.94))], read) == []  # within what chance moves


def test_a_verdict_that_changed(read):
    bad, vacuous = item(evidence(1.2)), item(evidence(0.1, statistics={"vacuous": "nothing was detectable"}))
    assert kinds([item()], [bad], read) == ["refuted"]
    assert kinds([bad], [item()], read) == ["verdict"]
    assert kinds([item()], [vacuous], read) == ["vacuous"]
    assert kinds([vacuous], [vacuous], read) == []
    assert kinds([item()], [item(verdict="error", evidence=[])], read) == ["error"]


def test_claims_that_came_and_went(read):
    assert kinds([item()], [item(name="b")], read) == ["removed", "added"]
    assert kinds([], [item(evidence(1.2))], read) == ["refuted", "added"]
    assert kinds([], [item(evidence(1.2), expectation="broken")], read) == ["added"]  # known to be broken
    assert kinds([], [item(evidence(0.1, statistics={"vacuous": "so"}))], read) == ["vacuous", "added"]


def test_a_bound_that_moved_beyond_chance(read):
    (change,) = changes([item(evidence(0.5))], [item(evidence(0.9))], read=read)
    assert (change.kind, change.before, change.after) == ("bound", "epsilon >= 0.5", "epsilon >= 0.9")
    exact = {"confidence": None, "error": 1e-9, "estimate": None}
    assert kinds([item(evidence(0.5, **exact))], [item(evidence(0.5 + 1e-10, **exact))], read) == []
    assert kinds([item(evidence(0.5, **exact))], [item(evidence(0.5 + 1e-8, **exact))], read) == ["bound"]


def test_a_proof_that_moved(read):
    proof = {"parameter": "epsilon", "upper": 1.0}
    proved = item(proof=proof, verdict="certified")
    assert kinds([proved], [proved], read) == []
    (change,) = changes([proved], [item(proof={**proof, "upper": 0.5}, verdict="certified")], read=read)
    assert (change.kind, change.before, change.after) == ("bound", "epsilon <= 1", "epsilon <= 0.5")
    assert kinds([proved], [item()], read) == ["verdict"]


def test_a_pass_that_would_detect_less(read):
    assert kinds([item()], [item(evidence(detectable=1.7))], read) == ["weaker"]
    assert kinds([item()], [item(evidence(detectable=1.6))], read) == []
    assert kinds([item()], [item(evidence(detectable=float("inf")))], read) == ["weaker"]


def test_another_subject_or_relation_counts_as_loosened(read):
    for more in ({"subject": "t"}, {"relation": "replace"}, {"parameters": {"n": 2}}):
        assert kinds([item()], [item(**more)], read) == ["loosened"]


def test_the_worst_comes_first(read):
    before = [item(name="a"), item(name="b"), item(name="c", guarantee="PureDP(epsilon=2)")]
    after = [item(name="c"), item(evidence(1.3), name="b"), item(name="d")]
    found = [(change.kind, change.id) for change in changes(before, after, read=read)]
    assert found == [("refuted", "b"), ("removed", "a"), ("tightened", "c"), ("added", "d")]


@pytest.mark.parametrize(
    ("old", "new", "how"),
    [
        ("PureDP(epsilon=1)", "PureDP(epsilon=1)", "same"),
        ("PureDP(epsilon=1)", "PureDP(epsilon=1.1)", "loosened"),
        ("PureDP(epsilon=1)", "PureDP(epsilon=0.9)", "tightened"),
        ("PureDP(epsilon=1)", "ApproxDP(epsilon=1, delta=1e-5)", "loosened"),
        ("ApproxDP(epsilon=1, delta=1e-5)", "PureDP(epsilon=1)", "tightened"),
        ("ApproxDP(epsilon=1, delta=1e-5)", "ApproxDP(epsilon=0.5, delta=1e-4)", "loosened"),  # neither holds the other
        ("ApproxDP(epsilon=0.5, delta=1e-4)", "ApproxDP(epsilon=1, delta=1e-5)", "loosened"),
        ("GDP(mu=1)", "GDP(mu=1.2)", "loosened"),
        ("GDP(mu=1)", "PureDP(epsilon=0.2)", "tightened"),
        ("ZCDP(rho=0.5)", "ZCDP(rho=0.4)", "tightened"),
        ("PureDP(epsilon=1)", 'UpperBound(quantity="number")', "loosened"),  # cannot be compared
    ],
)
def test_how_a_promise_moved(old, new, how, read):
    assert moved(read(old), read(new)) == how
