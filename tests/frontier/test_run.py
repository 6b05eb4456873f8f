"""A frontier from end to end: sound trainers pass, a tenth of the noise does not, bad trainers are one line each."""

import numpy as np
import pytest

import dpverify as dpv
from dpverify.frontier import audited
from dpverify.frontier.asked import FrontierSettings
from dpverify.frontier.run import UNITS as NAME
from dpverify.frontier.run import measured
from tests.frontier.trainers import Estimator, constant, ignores, majority, sound, tenth, two_clouds

DATA = two_clouds()
QUICK = {"against": (), "epsilons": [0.5, 1.0], "splits": 3, "audit_trials": 60, "confidence": 1 - 1e-9}
"""With fewer runs each audit looks for the number that would do, which takes ten times as long."""


def look(trainer, **words):
    return dpv.utility_frontier(trainer, DATA, **{**QUICK, **words})


@pytest.mark.parametrize("trainer", [sound, Estimator])
def test_a_sound_trainer_is_not_refuted(trainer):
    """False alarm: 1e-9."""
    found = look(trainer, audit_trials=300)
    assert [each["verdict"] for each in found.audits] == ["not_refuted"] * 2
    assert not found.failures
    assert all(each["lower"] <= each["epsilon"] for each in found.audits)
    assert all(each["ceiling"] > 1 for each in found.audits)
    assert all("could certify at most epsilon" in line for line in found.lines()[:2])


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_a_tenth_of_the_noise_is_refuted(relation):
    """Power: the canary moves the output by 2.07 standard deviations (twice that where it is replaced).

    Bounds of 600 runs a side are 1.86 on average, and 0.12 around that: below 1 with probability below 1e-9.
    """
    found = look(tenth, relation=relation, epsilons=[1.0], audit_trials=700)
    assert found.audits[0]["verdict"] == "refuted"
    assert found.audits[0]["lower"] > 1.0
    (point,) = found.points
    assert point["refuted"]
    assert point["at"] == found.audits[0]["lower"]
    assert "REFUTED" in found.failures[0]


def test_the_bound_is_one_of_the_scores_auditor_and_its_level_was_divided():
    found = look(sound)
    for each in found.audits:
        evidence = each["record"]["evidence"][0]
        assert evidence["auditor"] == "scores"
        assert each["alpha"] == pytest.approx(1e-9 / 2, rel=1e-6)
        assert evidence["trials"] == 60


def test_too_few_runs_are_said():
    found = look(sound, epsilons=[0.5, 2.0], audit_trials=20)
    assert found.audits[1]["verdict"] == "inconclusive"
    assert "not tested: these runs could certify at most epsilon" in found.lines()[1]
    assert len(found.untested) == 2
    assert not found.failures
    assert "dpverify check-training" in found.found["notes"][-1]


def test_the_number_of_runs_that_would_do_does(monkeypatch):
    few = look(sound, epsilons=[1.0], audit_trials=20)
    needed = few.audits[0]["needed"]
    assert f"{needed} runs a side would do (--audit-trials {needed}, in Python audit_trials={needed})" in few.lines()[0]
    assert look(sound, epsilons=[1.0], audit_trials=int(0.8 * needed)).untested
    enough = look(sound, epsilons=[1.0], audit_trials=needed)
    assert not enough.untested
    assert enough.audits[0]["ceiling"] > 1.0
    assert enough.audits[0]["needed"] is None
    monkeypatch.setattr(audited, "MOST_TRIALS", 5000)  # of a million it takes long to learn that they do not do
    assert "no number of runs here would do" in look(sound, epsilons=[16.0], audit_trials=20).lines()[0]


def test_a_coarse_trainer_that_never_changes_is_warned_of():
    found = look(constant)
    assert found.warnings == [
        "warning: constant could not be seen to change with epsilon (looked at 0.005, 0.5, 1, 100): see that it uses it"
    ]
    assert not look(majority, epsilons=[0.01, 0.011]).warnings


def test_the_same_seed_gives_the_same_numbers_and_another_others():
    first, again, other = look(sound), look(sound), look(sound, seed=1)
    assert first.found == again.found
    assert first.points != other.points


def test_a_frontier_that_was_stopped_goes_on_to_the_same_bits(tmp_path):
    asked = FrontierSettings(trainer=sound, name="sound", data=DATA, against=(), epsilons=(1.0,), splits=3, trials=60)
    whole = measured(asked, folder=tmp_path / "whole")
    lines = (tmp_path / "whole" / NAME).read_text().splitlines(keepends=True)
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / NAME).write_text("".join(lines[: len(lines) // 2]) + lines[-1][:7])
    assert measured(asked, folder=tmp_path / "part", resume=True).found == whole.found


def test_means_that_are_demanded():
    found = look(sound, at_least={1.0: 0.5, 0.5: 0.999})
    assert [each["met"] for each in found.found["gates"]] == [False, True]
    assert "NOT MET" in found.failures[0]
    for wanted, metric, says in (
        ({0.3: 0.5}, "accuracy", "0.5, 1"),
        (1.5, "auc", r"\[0, 1\]"),
        (0.5, "loss", "smaller"),
    ):
        with pytest.raises(dpv.InputError, match=says):
            look(sound, at_least=wanted, metric=metric)


@pytest.mark.parametrize("metric", ["auc", "loss"])
def test_other_metrics(metric):
    found = look(Estimator, metric=metric)
    assert found.found["larger_is_better"] == (metric == "auc")
    assert np.isfinite([point["mean"] for point in found.points]).all()


def test_a_trainer_that_ignores_epsilon_is_told():
    for epsilons in ([0.5, 1.0], [1.0]):
        with pytest.raises(dpv.InputError, match="ignores does not change with epsilon: one seed gave the same model"):
            look(ignores, epsilons=epsilons)


def test_a_trainer_with_coins_of_its_own_is_said_not_to_repeat_itself():
    def secret(table, epsilon):
        return table.features.sum(axis=0) + np.random.default_rng().normal(size=5, scale=10 / epsilon)

    found = look(secret)
    assert not found.found["reproducible"]
    assert "does not repeat itself" in found.found["notes"][0]


@pytest.mark.parametrize(
    ("trainer", "says"),
    [
        (lambda table, epsilon: np.zeros(3), "an array of shape"),
        (lambda table, epsilon: np.full(5, np.nan), "not finite"),
        (lambda table, epsilon: 1 / 0, "raised ZeroDivisionError"),
        (lambda table, epsilon: lambda features: np.zeros(2), "for 1 records"),
        (lambda table, epsilon: None, "returned nothing"),
    ],
)
def test_a_trainer_that_gives_no_model_is_one_line(trainer, says):
    with pytest.raises(dpv.InputError, match=says) as caught:
        look(trainer)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"epsilons": []}, "epsilons"),
        ({"epsilons": [-1.0]}, "above 0"),
        ({"delta": 1.0}, "delta"),
        ({"relation": "labels"}, "add-remove, replace"),
        ({"metric": "f1"}, "accuracy, auc, loss"),
        ({"splits": 1}, "splits"),
        ({"audit_trials": 1}, "audit trials"),
        ({"audit_seconds": 0.0, "audit_trials": None}, "audit seconds"),
        ({"against": ("no-such-arm",)}, "no-such-arm"),
        ({"against": ("majority",)}, "majority|Majority"),
        ({"test_share": 1.0}, "test share"),
        ({"canary_norm": 0.0}, "norm"),
        ({"confidence": 1.0}, "confidence"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_settings_are_one_line(words, says):
    with pytest.raises(dpv.InputError, match=says):
        look(sound, **words)


def test_on_tables_of_few_records_their_number_shows():
    """A mean over the true number of records has less noise where there are more: no add-remove guarantee.

    Power: the 4 numbers' spread falls from a half to a third; 600 runs a side see that but for far below 1e-9.
    """

    def mean(table, epsilon, delta, rng):
        return sound(table, epsilon, delta, rng) / table.rows

    assert not look(mean, audit_trials=200).failures
    assert look(mean, epsilons=[0.1], few_records=True, audit_trials=600).failures
