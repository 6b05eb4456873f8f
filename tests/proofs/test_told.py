"""A domain in words, from the ranges that the rules go by, and the record of a certificate."""

from __future__ import annotations

import json

import pytest

from dpverify.core.read_untrusted import parse_json
from dpverify.definitions.claims import guarantee_of
from dpverify.derivation.derive import derive
from dpverify.proofs.told import domain_words, holds, parameters_of, proof_fault, told_of
from tests.derivation.corpus.right import RIGHT
from tests.derivation.corpus.right_more import MORE

FIELD = {"shape": [], "type": "float64", "low": 0.0, "high": 1.0, "nan": False, "norm": None}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "float64 in [0, 1]"),
        ({"low": "-inf", "high": "inf", "nan": True}, "float64 of any value or NaN"),
        ({"shape": [3], "low": [0.0] * 3, "high": [2.0] * 3}, "3 of float64 in [0, 2]"),
        ({"shape": [2], "low": [0.0, 1.0], "high": [2.0, 3.0]}, "2 of float64 in [0, 2], in [1, 3]"),
        (
            {"shape": [3], "low": ["-inf"] * 3, "high": ["inf"] * 3, "norm": 1.0},
            "3 of float64 of any value but NaN, of norm 1 at most",
        ),
        ({"type": "int64", "low": 0, "high": 9}, "int64 in [0, 9]"),
        ({"type": "text", "low": "-inf", "high": "inf"}, "any text"),
        ({"type": "text", "texts": ["a", "b"]}, "one of 'a', 'b'"),
        ({"type": "text", "texts": list("abcdef")}, "one of 'a', 'b', 'c', 'd', ..."),
    ],
)
def test_a_domain_in_words(more, words):
    assert domain_words({"fields": {"": FIELD | more}}) == words
    assert domain_words({"fields": {"age": FIELD | more}}) == f"age: {words}"


def test_fields_stand_beside_one_another():
    assert domain_words({"fields": {"x": FIELD, "y": FIELD}}) == "x: float64 in [0, 1]; y: float64 in [0, 1]"


@pytest.mark.parametrize("case", [*RIGHT[::4], *MORE[::4]], ids=lambda case: case.name)
def test_every_certificate_comes_back_from_json_and_holds(case):
    """The words of the file are not repeated: they follow from its numbers."""
    claim = guarantee_of(case.claim)
    found = derive(case.function, claim=claim, data=case.data, **case.domain)
    certificate = parse_json(json.dumps(found.certificate(), allow_nan=False))
    told = told_of(certificate)
    assert holds(certificate) == told
    assert told["claim"] == claim.text()
    assert proof_fault(json.loads(json.dumps(told)), claim, found.relation) == ""
    words = {"domain": {**certificate["domain"], "text": "none"}, "claim": {**certificate["claim"], "text": "none"}}
    lying = told_of({**certificate, **words})
    assert (lying["domain"], lying["claim"]) == (told["domain"], told["claim"])


def test_the_numbers_of_a_claim():
    assert parameters_of(guarantee_of("ApproxDP(epsilon=1, delta=1e-5)")) == {"epsilon": 1.0, "delta": 1e-5}
    assert parameters_of(guarantee_of("RDP(order=2, epsilon=0.5)")) == {"order": 2.0, "epsilon": 0.5}
