"""What an audit of a callable does before its draws."""

import time
from types import SimpleNamespace

import pytest

import dpverify as dpv
from dpverify.audits.callable_audit import SHRINK, CallableAudit
from dpverify.audits.question import Question
from dpverify.audits.settle import settle
from dpverify.core.note import Kind, Note


def hangs(data, rng):
    time.sleep(1e6)


def test_the_calls_for_the_key_end_at_the_limit_of_a_call():
    """What hangs is told by the audit; without the limit its key would take a minute, and be none."""
    words = {"claim": "PureDP(epsilon=1)", "data": [0.2, 0.9], "max_seconds_per_call": 0.2}
    code = settle(Question(hangs, **words)).code_key()
    assert code.text
    assert code.unknown == ""


def trains_slowly(data, rng):
    time.sleep(0.002)
    return sum(data) + rng.normal()


@pytest.mark.parametrize(("trials", "named"), [({"seconds": 0.5}, True), ({"trials": 200}, False)])
def test_a_slow_audit_that_could_have_seen_nothing_names_the_small_loop(trials, named):
    """So many draws were asked for in the second case, and no time."""
    result = dpv.audit(trains_slowly, claim="GDP(mu=9)", data=[0.2, 0.9], bounds=(0, 1), **trials)
    assert result.verdict is dpv.Status.INCONCLUSIVE
    assert any("dpverify check-training" in note for note in result.notes) is named


@pytest.mark.parametrize(
    ("kind", "seconds", "told"), [(Kind.WEAK, 1.0, [SHRINK]), (Kind.LEFT, 1.0, []), (Kind.WEAK, None, [])]
)
def test_a_weak_pass_of_few_draws_in_a_time_names_it_too(kind, seconds, told):
    row = SimpleNamespace(verdict=SimpleNamespace(status=dpv.Status.NOT_REFUTED))
    assert CallableAudit._shrink(SimpleNamespace(seconds=seconds), row, [Note(kind, "")], 50) == told
