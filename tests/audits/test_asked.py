"""What many audits are asked becomes the question of each, and what is kept of an audit is of that question alone."""

from __future__ import annotations

import os

import pytest

import dpverify as dpv
from dpverify.assertion import key_of
from dpverify.audits.asked import FALSE_ALARM_RATE, RARE, Asked
from dpverify.audits.question import Question

CLAIM = "PureDP(epsilon=1)"
EXAMPLE = {"claim": CLAIM, "data": [0.0, 1.0]}


def noisy(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def asked(of=None, **words):
    return (of or Asked()).question(noisy, **{**EXAMPLE, **words})


def test_the_defaults_of_a_session():
    question = asked()
    assert (question.seed, question.trials, question.methods) == (0, None, ["gate"])
    assert question.seconds is None  # 30 s, or a moment beside a proof
    assert question.sure() == 1.0 - FALSE_ALARM_RATE
    assert question.max_seconds == 4.0 * 30.0 + 60.0
    assert question.isolate is hasattr(os, "fork")


@pytest.mark.parametrize("words", [{"seconds": 3.0}, {"trials": 100}, {"detect": 1.5}])
def test_rare_leaks_are_sought_for_two_seconds_where_nobody_says_what_the_audit_may_take(words):
    assert asked().rare == RARE
    assert asked(**words).rare is None
    assert asked(Asked(seconds=3.0)).rare is None and asked(Asked(profile="full")).rare is None
    assert asked(Asked(trials=100)).rare == RARE


def test_what_the_call_says_comes_first():
    session = Asked(seed=3, seconds=9.0, detect=2.0, false_alarm_rate=1e-3, trials=7)
    question = asked(session, seed=4, seconds=5.0, detect=1.5, false_alarm_rate=1e-2, trials=8)
    assert (question.seed, question.seconds, question.detect, question.trials) == (4, 5.0, 1.5, 8)
    assert question.sure() == 1.0 - 1e-2
    assert asked(session).sure() == 1.0 - 1e-3


@pytest.mark.parametrize(
    "words",
    [
        {"claim": "PureDP(epsilon=2)"},
        {"data": [0.0, 2.0]},
        {"bounds": (0.0, 2.0)},
        {"relation": "replace"},
        {"trials": 10},
        {"seed": 1},
        {"confidence": 0.9},
        {"domain": "type"},
        {"data": None, "d0": [1.0, 1.0], "d1": [1.0]},
    ],
)
def test_another_question_has_another_key(words):
    assert key_of(asked()).text == key_of(asked()).text != key_of(asked(**words)).text


def test_pairs_have_keys_of_their_own():
    keys = {
        key_of(Question(noisy, d0, d1, claim=CLAIM)).text
        for d0, d1 in (([1.0, 1.0], [1.0]), ([2.0, 1.0], [1.0]), ([1.0, 1.0], [1.0, 1.0, 3.0]))
    }
    assert len(keys) == 3


def test_methods_share_the_false_alarm_probability():
    result = dpv.audit(
        noisy, [1.0, 1.0], [1.0], claim=CLAIM, trials=2_000, methods=["event", "histogram"], confidence=0.99
    )
    levels = [round(1.0 - each.confidence, 12) for each in result.row.verdict.evidence]
    assert levels == [0.005, 0.005]
