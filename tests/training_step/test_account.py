"""The account of a training beside what ran: right ones are not accused, and those that charge too little are."""

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.composition import Bracket
from dpverify.training_step.account import account_row
from tests.training_step.models import TABLE, WEIGHTS
from tests.training_step.right_steps import CLAIM, plain

RAN = {"steps": 100, "sample_rate": 0.1}
COSTS = 7.0464
"""Epsilon of 100 steps at noise multiplier 1 and rate 0.1, delta = 1e-5, rounded down."""

RIGHT = {
    "what ran": {"history": [(1.0, 0.1, 100)]},
    "entries of lists": {"history": [[1.0, 0.1, 60], [1.0, 0.1, 40]]},
    "a rate that was computed in another way": {"history": [(1.0, 0.3 / 3, 100)]},
    "numbers of NumPy": {"history": [(np.float32(1.0), np.float64(0.1), np.int64(100))]},
    "more steps": {"history": [(1.0, 0.1, 101)]},
    "less noise": {"history": [(0.9, 0.1, 100)]},
    "a higher rate": {"history": [(1.0, 0.2, 100)]},
    "a rate above one, of accumulated batches": {"history": [(1.0, 1.2, 100)]},
    "other phases of a training": {"history": [(3.0, 0.01, 500), (1.0, 0.1, 100)]},
    "fewer steps that cost more": {"history": [(0.5, 0.1, 90)]},
    "an epsilon above": {"epsilon": COSTS + 0.05, "delta": 1e-5},
    "both": {"history": [(1.0, 0.1, 100)], "epsilon": 8.0, "delta": 1e-5},
    "a step that releases a count, too": {"history": [(0.8, 0.1, 100)], "noise_multiplier": 0.8},
}

WRONG = {
    "more noise": ({"history": [(1.2, 0.1, 100)]}, "100 of its steps have noise multiplier 1.2"),
    "a step without its hook": ({"history": []}, "it has 0 steps"),
    "a step less": ({"history": [(1.0, 0.1, 99)]}, "it has 99 steps"),
    "a lower rate": ({"history": [(1.0, 0.05, 100)]}, "100 of its steps have sample rate 0.05"),
    "some at more noise, and cheap ones more": ({"history": [(1.0, 0.1, 50), (9.0, 0.1, 100)]}, "that of the history"),
    "one part at more noise": ({"history": [(1.0, 0.1, 50), (2.0, 0.1, 50)]}, "50 of its steps"),
    "an epsilon below": ({"epsilon": COSTS - 0.05, "delta": 1e-5}, "cost 7.046"),
    "an epsilon below beside a right history": (
        {"history": [(1.0, 0.1, 100)], "epsilon": 1.0, "delta": 1e-5},
        "epsilon = 1 at delta = 1e-05 is reported",
    ),
    "the noise of the sum alone": ({"history": [(1.0, 0.1, 100)], "noise_multiplier": 0.8}, "noise multiplier 1,"),
}


@pytest.mark.parametrize("given", RIGHT.values(), ids=RIGHT)
def test_a_right_account_is_not_refuted(given):
    row = account_row(dpv.TrainingAccount(**(RAN | given)), 1.0)
    assert row.verdict is dpv.Status.NOT_REFUTED, row


@pytest.mark.parametrize(("given", "said"), WRONG.values(), ids=WRONG)
def test_an_account_that_charges_too_little_is_refuted(given, said):
    row = account_row(dpv.TrainingAccount(**(RAN | given)), 1.0)
    assert row.verdict is dpv.Status.REFUTED
    assert said in row.words
    assert row.number is not None and row.shown and row.change


def test_a_history_that_charges_more_says_so():
    exactly, more = (
        account_row(dpv.TrainingAccount(**RAN, history=[(1.0, 0.1, steps)]), 1.0).words for steps in (100, 120)
    )
    assert exactly.startswith("the history charges for what ran: ")
    assert more.startswith("the history charges for more than ran: ") and more.endswith("it has 120")


def test_what_our_own_bracket_does_not_show_is_no_accusation_and_no_pass():
    given = dpv.TrainingAccount(steps=10**6, sample_rate=1e-5, epsilon=0.1, delta=1e-6)
    row = account_row(given, 1.0)
    assert row.verdict is dpv.Status.INCONCLUSIVE
    assert "our own accounting says 0 to " in row.words
    row = account_row(dpv.TrainingAccount(**RAN, history=[(0.0, 0.1, 99)]), 1.0)
    assert row.verdict is dpv.Status.INCONCLUSIVE


def test_the_row_stands_in_the_result():
    found = dpv.check_training_step(plain, WEIGHTS, TABLE, **CLAIM)
    assert found["account"].verdict is dpv.Status.UNSUPPORTED
    wrong = dpv.TrainingAccount(steps=5, sample_rate=0.1, history=[(1.5, 0.1, 5)])
    found = dpv.check_training_step(plain, WEIGHTS, TABLE, **CLAIM, account=wrong)
    assert [row.name for row in found.rows if row.verdict is dpv.Status.REFUTED] == ["account"]
    with pytest.raises(dpv.ClaimRefuted, match="is refuted: account: the history charges for too little"):
        found.check()
    assert {row["name"]: row["verdict"] for row in found.record()["rows"]}["account"] == "refuted"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "an account without history and epsilon"),
        ({"epsilon": 1.0}, "an epsilon without its delta"),
        ({"history": [(1.0, 0.1)]}, "a history with"),
        ({"history": [(1.0, -0.1, 3)]}, "sample rate in the history"),
        ({"history": {1: 2}}, "a history that is a dict"),
        ({"history": [], "steps": 0}, "steps = 0"),
        ({"history": [], "sample_rate": 1.5}, "sample_rate"),
        ({"epsilon": -1.0, "delta": 0.1}, "epsilon"),
        ({"epsilon": 1.0, "delta": 0.0}, "delta"),
        ({"history": [], "noise_multiplier": 0.0}, "noise_multiplier of the account"),
    ],
)
def test_what_is_wrong_is_one_line(given, said):
    with pytest.raises(dpv.InputError, match=said):
        dpv.TrainingAccount(**(RAN | given))


def test_an_account_of_another_form_is_refused():
    with pytest.raises(dpv.InputError, match=r"an account that is a list; allowed: a dpverify\.TrainingAccount"):
        dpv.check_training_step(plain, WEIGHTS, TABLE, **CLAIM, account=[(1.0, 0.1, 5)])


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"), [(0.5, 2.0, "inconclusive"), (0.99, 1.01, "not_refuted"), (1.1, 1.2, "refuted")]
)
def test_an_epsilon_within_a_wide_bracket_is_not_decided(lower, upper, verdict, monkeypatch):
    monkeypatch.setattr("dpverify.training_step.account._cost", lambda *_: Bracket(lower=lower, upper=upper))
    row = account_row(dpv.TrainingAccount(**RAN, epsilon=1.0, delta=1e-5), 1.0)
    assert row.verdict.value == verdict
