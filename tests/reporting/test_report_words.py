"""The words of a report: its first sentence, claims, risks, and how a bound follows."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.reporting.bound_steps import bound_steps
from dpverify.reporting.claim_words import claim_words, risk_words, shown_words
from dpverify.reporting.conclusion import conclusion


def row(verdict, **more):
    return {"verdict": verdict, "claimed": 1.0, "detectable": 1.5, "confidence": 0.999, "expectation": None} | more


def test_the_first_sentence_counts_claims_and_says_what_would_have_been_caught():
    rows = [
        row("refuted"),
        row("not_refuted"),
        row("not_refuted", detectable=2.0),
        row("certified"),
        row("inconclusive"),
    ]
    assert conclusion(rows) == (
        "1 of 5 claims is false; 1 is certified for its stated law; for 2 no violation was found (the least sensitive "
        "of these audits would have caught 2 times what is claimed with 80 % power, if all of the violation shows at "
        "the tested event); for 1 nothing can be said."
    )
    assert "private" not in conclusion(rows)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("refuted", "The claim is false."),
        ("certified", "The claim is certified for the stated law, on all pairs of its relation."),
        ("error", "Nothing can be said of the claim."),
    ],
)
def test_one_claim_is_spoken_of_as_one(verdict, said):
    assert conclusion([row(verdict)]) == said


def test_what_falls_outside_of_its_example_is_said_first():
    evidence = [{"statistics": {"outside": {"line": "false unless records lie in [0, 1]: clip"}}}]
    beyond = row("not_refuted", evidence=evidence)
    assert conclusion([beyond]) == "The claim is false unless records lie in [0, 1]: clip."
    assert conclusion([beyond, row("not_refuted")]).endswith(
        "; 1 of all is false unless records lie in the ranges that the example shows."
    )


def test_claims_that_were_expected_to_fall_are_no_findings():
    broken = [row("refuted", expectation="broken"), row("not_refuted", expectation="broken")]
    assert conclusion([row("not_refuted"), *broken]).startswith("No violation of the claim was found (this audit would")
    assert "2 claims known to be false were audited, too: 1 of them was refuted." in conclusion(broken)
    assert conclusion(broken[:1]) == "1 claim known to be false was audited, too: it was refuted."
    assert conclusion(broken[1:]) == "1 claim known to be false was audited, too: it was not refuted."
    assert conclusion([]) == "No claim was audited."


def test_what_exact_search_could_see_is_no_power():
    said = conclusion([row("not_refuted", confidence=None, error=1e-9)])
    assert "power" not in said and "by exact computation, at the pairs that were visited" in said


def test_draws_beside_exact_evidence_say_what_they_would_have_caught():
    part = {"confidence": 0.999, "detectable": 3.0, "measure": {"kind": "epsilon", "claimed": 2.0}}
    said = conclusion([row("not_refuted", confidence=None, error=1e-9, evidence=[part])] * 2)
    assert said.startswith("No violation of the 2 claims was found (") and "1.5 times what is claimed" in said


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["inconclusive"] * 4 + ["not_refuted"], "No violation of 1 of 5 claims was found"),
        (["error", "unsupported"], "Nothing can be said of the 2 claims."),
        (["certified", "error"], "1 of 2 claims is certified for its stated law; for 1 nothing can be said."),
    ],
)
def test_no_claim_is_said_to_be_true_or_false_where_none_was_decided(verdicts, said):
    found = conclusion([row(verdict) for verdict in verdicts])
    assert found.startswith(said) and "false" not in found


def test_data_on_which_a_mechanism_raised_is_no_calm_pass():
    rows = [row("not_refuted", notes=["raised: the mechanism raised an exception on 2 of 14 pairs"])]
    assert "not audited on data on which the mechanism raised" in conclusion(rows)
    assert "1 of all was not audited on data" in conclusion([*rows, row("not_refuted")])


PRIVACY = ["PureDP(epsilon=1)", "ApproxDP(epsilon=1, delta=1e-05)", "GDP(mu=1)", "ZCDP(rho=0.5)"]


@pytest.mark.parametrize("guarantee", PRIVACY)
def test_privacy_claims_have_words_and_risks(guarantee):
    assert claim_words(guarantee, "add-remove").startswith(
        "For every two neighbouring data sets (one record is added or removed"
    )
    assert risk_words(guarantee).startswith("The claim promises")


def test_other_claims_have_none():
    assert claim_words("no claim", "replace") == risk_words("no claim") == ""


def at_most(text):
    return [float(each) / 100 for each in re.findall(r"at most ([\d.]+) %", text)]


@given(st.floats(0.01, 5))
def test_the_risks_of_a_pure_claim_are_their_closed_forms_and_never_below(epsilon):
    power = min(math.exp(epsilon) * 0.01, 1 - math.exp(-epsilon) * 0.99)
    closed = (power, math.tanh(epsilon / 2), 0.1 * power / (0.1 * power + 0.9 * 0.01))
    said = at_most(risk_words(f"PureDP(epsilon={epsilon!r})"))
    assert len(said) == 3
    for exact, limit in zip(closed, said, strict=True):
        assert exact * (1 - 1e-6) <= limit <= exact * 1.11 + 1e-9


def test_an_audit_that_could_have_caught_nothing_is_told():
    rows = [row("not_refuted"), row("not_refuted", detectable="inf")]
    assert "of the 1 that say so," in conclusion(rows)
    assert "1 could have caught nothing at the event that was counted" in conclusion(rows)


COUNTS = {"k1": 603, "n1": 1000, "k2": 231, "n2": 1000, "alpha": 0.0005}
BOX = {"fpr_low": 0.18, "fpr_high": 0.28005, "fnr_low": 0.34, "fnr_high": 0.45205}


def counted(**more):
    evidence = {
        "confidence": 0.9995,
        "measure": {"kind": "epsilon", "argument": 0.0},
        "statistics": COUNTS | {"direction": "d1 against d0", "region": {"kind": "joint"}} | more,
        "picture": {"rectangle": BOX},
    }
    return {"evidence": [evidence], "measure": "epsilon", "bound": 0.744689, "claimed": 1.0}


@pytest.mark.parametrize(("more", "level"), [({}, 0.0005), ({"alpha_of_this_look": 0.00005}, 0.00005)])
def test_a_bound_follows_from_its_counts_at_the_level_of_the_look(more, level):
    steps = bound_steps(counted(**more))
    assert steps[0] == "The event came in 603 of 1000 fresh draws on d1 (0.603), in 231 of 1000 on d0 (0.231)."
    p, q = stats.beta.ppf(level / 2, 603, 398), stats.beta.isf(level / 2, 232, 769)
    said = [float(each) for each in re.findall(r"at (?:least|most) (0\.\d+)", steps[1])]
    assert said[0] <= p <= said[0] * (1 + 3e-5)
    assert said[1] * (1 - 3e-5) <= q <= said[1]
    assert f"1 - {level:g}" in steps[1]
    assert float(steps[2].rpartition("= ")[2].rstrip(".")) == pytest.approx(math.log(p / q), abs=1e-4)
    assert steps[-1].startswith("Bound: epsilon >= 0.744689; claimed 1")


def test_what_was_shown_are_the_rates_at_the_corner_of_the_box():
    assert shown_words(counted()) == (
        "At the counted event an attacker raises false alarms in at most 28.1 % of the cases and finds at least "
        "54.7 % of the members."
    )
    assert shown_words({"evidence": [{"picture": {}}]}) == ""


def test_without_a_region_the_bound_is_said_in_words_and_the_rates_as_estimates():
    part = {
        "measure": {"kind": "epsilon", "argument": 0.01},
        "bound": math.log(2.5),
        "picture": {"point": {"fpr": 0.1, "fnr": 0.6}},
    }
    said = shown_words({"evidence": [part]})
    (times,) = (float(each) for each in re.findall(r"= ([\d.]+) times as probable", said))
    assert times <= 2.5 == pytest.approx(times, abs=2e-3)
    assert "plus 0.01" in said and "estimates, no limits" in said


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("replace", "one record is replaced by another"),
        ("add-remove by user", "all records with one user are added or removed"),
        ("one of mine", "(one of mine)"),
    ],
)
def test_relations_have_words(relation, words):
    assert words in claim_words("PureDP(epsilon=1)", relation)


def test_without_counts_it_says_what_it_rests_on():
    evidence = {"confidence": None, "statistics": {}, "picture": {}}
    steps = bound_steps({"evidence": [evidence], "measure": "epsilon", "bound": 0.5, "claimed": 1.0})
    assert "not on draws" in steps[0]
    assert bound_steps({"evidence": []}) == []
