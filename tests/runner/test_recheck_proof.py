"""A record's proof is checked again without the code: its rules, its cost, and all that the record says of it."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.plugins import registry
from dpverify.reporting.checked_records import checked_records, contradiction, looked_at
from dpverify.reporting.recheck_lines import recheck_lines


def clipped(data, rng):
    return np.clip(np.nan_to_num(data), 0.0, 1.0).sum() + rng.laplace(scale=1.0)


@pytest.fixture(scope="module")
def made():
    found = dpv.audit(clipped, claim="PureDP(epsilon=1)", data=[0.2, 0.9, 1.0, 0.0], trials=1000)
    return json.loads(json.dumps(found.record()))


def faults(record):
    return looked_at(record, registry()).faults


def without(record, name):
    return {key: value for key, value in record.items() if key != name}


def test_a_proof_that_holds_agrees_and_says_what_was_not_checked(made):
    assert made["verdict"] == "certified"
    found = looked_at(made, registry())
    assert (found.says, found.faults) == ("agrees", ())
    assert any("check-proof --code" in each for each in found.unchecked)
    assert contradiction(made) == ""


def test_a_certified_record_without_its_proof_differs(made):
    assert any("printed as certified" in each for each in faults(without(made, "proof")))


def test_a_record_that_says_less_than_its_proof_differs(made):
    assert any("its evidence says certified" in each for each in faults({**made, "verdict": "not_refuted"}))


def test_a_refutation_cannot_be_called_certified(made):
    """Evidence that refutes stands above a proof."""
    refuted = dpv.audit(
        lambda data, rng: sum(data) + rng.laplace(scale=0.3),
        claim="PureDP(epsilon=1)",
        data=[0.2, 0.9, 1.0, 0.0],
        trials=4000,
    ).record()
    item = {**json.loads(json.dumps(refuted)), "verdict": "certified", "proof": made["proof"]}
    assert any("its evidence says refuted" in each for each in faults(item))


def test_a_proof_alone_decides_where_nothing_was_measured(made):
    nothing = dict.fromkeys(
        ("bound", "tightness", "excess", "confidence", "estimate", "detectable", "ceiling", "rarest", "proved")
    )
    alone = {**made, **nothing, "method": None, "evidence": [], "witness": None, "trials": 0}
    assert faults(alone) == ()
    assert any("rests on no evidence" in each for each in faults(without(alone, "proof")))


OF_THE_RECORD = {
    "parameter": "mu",
    "upper": 0.5,
    "claim": "PureDP(epsilon=0.5)",
    "domain": "float64 in [0, 1]",
    "relation": "replace",
    "rests_on": [],
    "digest": "0" * 64,
}


@pytest.mark.parametrize("name", OF_THE_RECORD)
def test_what_a_record_says_of_its_certificate_is_held_against_it(made, name):
    item = {**made, "proof": {**made["proof"], name: OF_THE_RECORD[name]}}
    assert any(f"of the proof, {name} is not" in each for each in faults(item)), faults(item)


def scale(told):
    """The number that the noise is scaled by."""
    nodes = told["paths"][0]["nodes"]
    return nodes[next(each for each in nodes if each["op"] == "draw")["in"][0]]["params"]


OF_THE_CERTIFICATE = {
    "a smaller upper bound": lambda told: told.update(upper=0.5),
    "a smaller claim": lambda told: told["claim"]["parameters"].update(epsilon=0.5),
    "another kind": lambda told: told["claim"].update(kind="ZCDP"),
    "no path": lambda told: told.update(paths=[]),
    "no assumption": lambda told: told.update(assumptions=[]),
    "a range of its own": lambda told: told["domain"]["fields"][""].update(low=0.0, high=9.0, nan=False),
    "less noise": lambda told: scale(told).update(value=0.5),
    "no domain": lambda told: told.update(domain={}),
    "text for a number": lambda told: told.update(upper="one"),
    "huge arrays": lambda told: told["domain"]["fields"][""].update(shape=[10**15]),
    "a number for a name": lambda told: told.update(claim=3),
}


@pytest.mark.parametrize("why", OF_THE_CERTIFICATE)
def test_a_certificate_that_was_changed_differs(made, why):
    item = copy.deepcopy(made)
    OF_THE_CERTIFICATE[why](item["proof"]["certificate"])
    assert faults(item)
    assert "proof" in contradiction(item)


def test_a_proof_of_another_claim_differs(made):
    other = dpv.audit(clipped, claim="PureDP(epsilon=2)", data=[0.2, 0.9, 1.0, 0.0], trials=1000).record()
    item = {**made, "proof": json.loads(json.dumps(other["proof"]))}
    assert any("the proof is of PureDP(epsilon=2)" in each for each in faults(item))


def test_the_lines_of_a_recheck_name_the_fault(made):
    item = copy.deepcopy(made)
    item["proof"]["certificate"]["upper"] = 0.5
    text = " ".join(recheck_lines(checked_records([item]), expected=False))
    assert "DIFFERS: the proof does not hold" in text
