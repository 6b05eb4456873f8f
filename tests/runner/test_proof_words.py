"""What is proved is said in the same words in every place, with what the audit shows from below."""

from __future__ import annotations

import pytest

from dpverify.dossier.standing import short_words, standing
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.outcome import details
from dpverify.runner.verdict_strength import IDEAL, proof_line, proof_of, upper_text
from tests.dossier.made import record

PROOF = {
    "parameter": "epsilon",
    "upper": 1.0000000000000018,
    "claim": "PureDP(epsilon=1)",
    "domain": "float64 in [0, 1]",
    "relation": "add-remove",
    "rests_on": ["the sun shines"],
    "digest": "0" * 64,
    "certificate": {},
}
LINE = (
    "epsilon <= 1.000000000001, from the code, for every data set whose records are float64 in [0, 1], under "
    f"add-remove; {IDEAL}"
)


@pytest.fixture
def certified():
    return record(verdict="certified", proof=PROOF)


def test_the_bound_is_rounded_up():
    assert upper_text(PROOF) == "epsilon <= 1.000000000001"
    assert upper_text({**PROOF, "parameter": "mu", "upper": 0.25}) == "mu <= 0.25"
    assert proof_line(PROOF) == LINE


def test_one_claim_has_two_sides(certified):
    assert conclusion([certified]) == f"The claim is certified: {LINE}; the audit beside it shows epsilon >= 0.8."
    assert f"proved    {LINE}" in details(certified)


def test_a_law_and_a_code_are_told_apart(certified):
    by_law = record(verdict="certified", id="law")
    assert "certified for the stated law, on all pairs" in conclusion([by_law])
    assert conclusion([certified, certified]) == f"2 of 2 claims are certified from the code ({IDEAL})."
    mixed = conclusion([certified, by_law])
    assert mixed == f"2 of 2 claims are certified for their stated law, 1 of them from the code ({IDEAL})."
    assert conclusion([by_law, by_law]) == "2 of 2 claims are certified for their stated law."


def test_the_dossier_says_what_was_proved(certified):
    assert standing(certified) == "passed"
    assert short_words(certified) == f"certified: {LINE}"
    assert "stated law" in short_words(record(verdict="certified"))


def test_a_proof_that_an_audit_contradicts_is_no_answer():
    refuted = record(verdict="refuted", proof=PROOF)
    assert proof_of(refuted) is None
    assert conclusion([refuted]) == "The claim is false."
    assert "from the code" not in short_words(refuted)
