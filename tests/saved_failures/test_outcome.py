"""FAILED, FIXED or not seen: fixed only where the recorded violation would have been seen."""

from __future__ import annotations

import math

import pytest

from dpverify.core.verdict import Verdict, judge
from dpverify.runner.regressions import Regression
from dpverify.saved_failures.outcome import outcome_line, outcome_of
from tests.runner.saved import claim
from tests.runner.test_compare import evidence


def said(found, *, bound=1.4, measure="epsilon"):
    saved = Regression(claim="moves", auditor="gate", d0=[1], d1=[], bound=bound, measure=measure, file="f.json")
    verdict = Verdict(claim=claim(), status=judge(found), evidence=(found,))
    return outcome_of(verdict, saved).says


EXACT = {"confidence": None, "error": 1e-9, "detectable": None, "estimate": None}


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (evidence(1.2), "FAILED"),
        (evidence(0.9, detectable=1.3), "FIXED"),
        (evidence(0.9, detectable=1.5), "not seen"),
        (evidence(0.9, detectable=None), "not seen"),
        (evidence(0.1, detectable=1.3, statistics={"vacuous": "nothing was detectable"}), "not seen"),
        (evidence(0.9, **EXACT), "FIXED"),
        (evidence(1.0, **EXACT), "not seen"),  # within its error of the claim
        (evidence(0.0, **EXACT | {"detectable": math.inf}), "not seen"),  # a replay that saw nothing
    ],
)
def test_what_an_audit_says_of_a_failure(found, says):
    assert said(found) == says


def test_a_failure_of_unknown_size_or_of_another_measure_is_never_fixed_by_draws():
    seen = evidence(0.9, detectable=1.3)
    assert said(seen, bound=None) == "not seen"
    assert said(seen, measure="delta(epsilon=1)") == "not seen"
    assert said(seen, bound=math.inf) == "FIXED"
    assert said(evidence(0.9, detectable=math.inf), bound=math.inf) == "not seen"


def test_a_line_fits_80_columns():
    saved = Regression(claim="a" * 30, auditor="gate", d0=[1], d1=[], bound=1.4, measure="epsilon", file="f.json")
    found = outcome_of(Verdict(claim=claim(), status=judge(evidence(0.9)), evidence=(evidence(0.9),)), saved)
    text = outcome_line(found)
    assert text.startswith("not seen  aaa")
    assert max(map(len, text.splitlines())) <= 80
