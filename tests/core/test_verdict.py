"""Verdicts: which evidence may say what. Each rule is also broken on purpose."""

import inspect
from dataclasses import dataclass

import pytest

import dpverify
from dpverify.core.errors import AuditError, ClaimRefuted, InputError
from dpverify.core.evidence import Enclosed, Evidence, Measure
from dpverify.core.verdict import CheckedResult, Status, decide, judge
from dpverify.frontier.result import FrontierResult
from dpverify.shown.mixin import Displayed

MEASURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def evidence(**changes):
    given = {"claim": "X", "auditor": "a", "version": "1", "measure": MEASURE, "bound": 0.5, "excess": -0.5}
    return Evidence(**{**given, **changes})


def test_statistical_evidence_refutes_only_beyond_the_claim():
    assert judge(evidence(confidence=0.999, bound=1.1, excess=0.01)) is Status.REFUTED
    assert judge(evidence(confidence=0.999, bound=1.0, excess=0.0)) is Status.NOT_REFUTED


def test_statistical_evidence_never_certifies():
    assert judge(evidence(confidence=0.999, coverage="enumeration", proved=True)) is Status.NOT_REFUTED


def test_exact_evidence_refutes_only_with_a_proved_error():
    beyond = {"bound": 1.2, "excess": 0.1, "error": 0.1}
    assert judge(evidence(**beyond, proved=True)) is Status.REFUTED
    assert judge(evidence(**beyond, proved=False)) is Status.INCONCLUSIVE


def test_exact_evidence_within_its_error_of_the_claim_does_not_refute():
    assert judge(evidence(bound=1.05, excess=0.01, error=0.1, proved=True)) is Status.INCONCLUSIVE


@pytest.mark.parametrize(
    ("coverage", "proved", "expected"),
    [
        ("enumeration", True, Status.CERTIFIED),
        ("enclosure", True, Status.CERTIFIED),
        ("search", True, Status.NOT_REFUTED),
        ("enumeration", False, Status.NOT_REFUTED),
    ],
)
def test_only_a_proof_over_a_stated_set_certifies(coverage, proved, expected):
    assert judge(evidence(error=0.01, coverage=coverage, proved=proved)) is expected


def test_certifying_needs_the_upper_end_within_the_claim():
    assert judge(evidence(bound=0.995, error=0.01, coverage="enumeration", proved=True)) is Status.NOT_REFUTED


def test_a_refutation_leads_whatever_else_was_found():
    found = decide(
        None, [evidence(confidence=0.9), evidence(confidence=0.9, bound=2.0, excess=0.1)], failures=["b: died"]
    )
    assert found.status is Status.REFUTED
    assert found.leading.bound == 2.0
    assert found.reason == "b: died"


def test_a_failure_without_a_refutation_is_an_error():
    assert decide(None, [evidence(confidence=0.9)], failures=["b: died"]).status is Status.ERROR


def test_methods_that_contradict_each_other_are_our_error():
    both = [
        evidence(error=0.0, proved=True, coverage="enumeration"),
        evidence(error=0.0, proved=True, bound=2.0, excess=0.5),
    ]
    found = decide(None, both)
    assert found.status is Status.ERROR
    assert "contradict" in found.reason


def test_a_certified_law_does_not_save_a_sampler_that_leaks():
    both = [
        evidence(error=0.0, proved=True, coverage="enumeration"),
        evidence(confidence=0.9, bound=2.0, excess=0.5),
    ]
    found = decide(None, both)
    assert found.status is Status.REFUTED
    assert found.leading is both[1]


def test_nothing_seen_is_unsupported_and_never_a_pass():
    assert decide(None, [], unsupported="event: no samples").status is Status.UNSUPPORTED


def test_evidence_has_a_confidence_or_an_error_and_not_both():
    with pytest.raises(InputError):
        evidence()
    with pytest.raises(InputError):
        evidence(confidence=0.9, error=0.1)
    with pytest.raises(InputError):
        evidence(confidence=0.9, bound=float("nan"))


def test_no_status_is_called_private_or_verified():
    assert not {str(status) for status in Status} & {"private", "verified", "safe", "passed", "ok"}


def test_measures_are_checked_and_named():
    assert MEASURE.label() == "epsilon"
    assert Measure(kind="epsilon", argument=1e-5, claimed=1.0).label() == "epsilon(delta=1e-05)"
    assert Measure(kind="renyi", argument=2.0, claimed=1.0).label() == "renyi(order=2)"
    with pytest.raises(InputError):
        Measure(kind="vibes", claimed=1.0)
    with pytest.raises(InputError):
        Measure(kind="epsilon", claimed=-1.0)


def test_enclosures_have_two_ends():
    assert (Enclosed(value=1.0, error=0.25).lower, Enclosed(value=1.0, error=0.25).upper) == (0.75, 1.25)


def test_an_excess_without_a_proof_is_not_hidden_by_a_weaker_look():
    unproved = evidence(error=1e-12, bound=5.0, excess=4.0)
    assert decide(None, [unproved, evidence(confidence=0.9)]).status is Status.INCONCLUSIVE


def test_an_excess_without_a_proof_contradicts_a_certificate():
    unproved = evidence(error=1e-12, bound=5.0, excess=4.0)
    certificate = evidence(error=0.0, proved=True, coverage="enumeration")
    assert decide(None, [unproved, certificate]).status is Status.ERROR


RESULTS = [name for name in dpverify.__all__ if name.endswith("Result")]


@dataclass
class Fixed(CheckedResult):
    status: Status
    lacks: str = ""

    @property
    def verdict(self):
        return self.status

    def finding_line(self):
        return f"it is {self.status}"

    def record(self):
        return {}

    def shortfall(self):
        return self.lacks


@pytest.mark.parametrize("status", list(Status))
def test_check_raises_for_all_but_a_pass(status):
    result = Fixed(status)
    if status is Status.REFUTED:
        with pytest.raises(ClaimRefuted, match="it is refuted"):
            result.check()
    elif status in (Status.NOT_REFUTED, Status.CERTIFIED):
        assert result.check() is result
        with pytest.raises(AuditError, match="too few"):
            Fixed(status, "too few").check(require_power=True)
    else:
        with pytest.raises(AuditError, match=f"it is {status}"):
            result.check()
    with pytest.raises(InputError, match="used as true or false"):
        bool(result)


@pytest.mark.parametrize("name", RESULTS)
def test_every_public_result_can_be_checked_and_shown(name):
    kind = getattr(dpverify, name)
    assert issubclass(kind, CheckedResult) and issubclass(kind, Displayed) and not inspect.isabstract(kind)
    assert kind.check is CheckedResult.check


def frontier(*verdicts):
    audits = [{"verdict": each, "epsilon": 1.0} for each in verdicts]
    return FrontierResult(found={"audits": audits, "gates": [], "notes": [], "metric": "accuracy", "trainer": "t"})


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [((), "inconclusive"), (("not_refuted",), "not_refuted"), (("not_refuted", "inconclusive"), "inconclusive")],
)
def test_a_frontier_passes_where_all_its_audits_do(verdicts, verdict, monkeypatch):
    monkeypatch.setattr("dpverify.frontier.result.audit_line", lambda each: each["verdict"])
    assert frontier(*verdicts).verdict == verdict
    assert frontier(*verdicts, "refuted").verdict == "refuted"
