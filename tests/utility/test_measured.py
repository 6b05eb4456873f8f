"""Measuring a design: pairing, prices, tuning, moved settings; and what is planted wrong is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpverify.core.auditing import one_by_one
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.utility.cell import Slot, parts
from dpverify.utility.experiment import Arm, Effort, Moved
from dpverify.utility.measured import DesignRun, Measured, all_statements, here, resampled, trials_of
from reference_impls.optimizers.dp_sgd import DpSgd
from tests.utility.designs import FITTED, TUNED, Fitted, computed, design, plain


def run(of, profile="quick", seed=0):
    return DesignRun(design=of, profile=profile, seed=seed, chunks=one_by_one)


def test_series_of_all_places_and_their_ranges():
    found = run(design()).series(["Fitted"], ["accuracy"])
    assert set(found.values) == {"breast-cancer|Fitted|accuracy|0.5", "breast-cancer|Fitted|accuracy|50"}
    low, high = (np.mean(found.values[f"breast-cancer|Fitted|accuracy|{x}"]) for x in ("0.5", "50"))
    assert high > 0.85 > low
    assert 0.2 < found.ranges["breast-cancer|accuracy"] < 0.4
    floor = np.mean(run(design()).series(["Majority"], ["accuracy"]).values["breast-cancer|Majority|accuracy|0.5"])
    width = found.ranges["breast-cancer|accuracy"]
    assert found.levels["breast-cancer|accuracy"] == pytest.approx(floor + 0.2 * width)
    assert found.prices["Fitted"]["breast-cancer"] == {"0.5": [0.5, "a friend"], "50": [50.0, "a friend"]}


def test_the_same_bits_whatever_is_measured_beside():
    whole, alone = run(design()), run(design(FITTED, replace(FITTED, label="Other")))
    one = whole.series(["Fitted"], ["objective"]).values
    both = alone.series(["Other", "Fitted"], ["accuracy", "objective"]).values
    assert all(plain(one[key]) == plain(both[key]) for key in one)
    assert both["breast-cancer|Other|objective|0.5"] != both["breast-cancer|Fitted|objective|0.5"]  # coins of its own


def test_arms_share_splits_and_repetitions_do_not():
    of = design()
    first, again, other = (parts(of, "breast-cancer", seed=0, repetition=k)[0] for k in (0, 0, 1))
    assert np.array_equal(first.labels, again.labels)
    assert not np.array_equal(first.features, other.features)


def test_what_is_not_private_is_measured_once():
    slots = run(design()).slots()
    assert [slot.arm for slot in slots] == ["Fitted", "Majority", "NonPrivate", "Fitted"]


def test_an_arm_that_costs_more_is_refused():
    with pytest.raises(InputError, match=r"costs epsilon = 0\.55 under 'replace'"):
        run(design(Arm(label="Fitted", make=Fitted, settings={"claims": 1.1}))).series(["Fitted"], ["accuracy"])


def test_an_unknown_setting_is_refused():
    with pytest.raises(InputError, match="setting 'eta' of Fitted"):
        run(design(Arm(label="Fitted", make=Fitted, settings={"eta": 1.1}))).series(["Fitted"], ["accuracy"])


def test_tuning_takes_the_better_trial_at_each_place():
    arm = Arm(label="Fitted", make=Fitted, space={"shift": (0.0, 9.0)})
    of = design(arm, tuning=TUNED)
    several = trials_of(of, arm)
    assert len(several) == 2
    found = run(of).series(["Fitted"], ["accuracy"])
    best = min(several, key=lambda given: abs(given["shift"]))
    assert found.settings["Fitted"]["breast-cancer"]["50"] == best
    slots = run(of).tuning_slots()
    assert {(slot.x, slot.choice) for slot in slots} == {(0.5, 0), (0.5, 1), (50.0, 0), (50.0, 1)}
    once = replace(of, quick=Effort(repetitions=2, once=True))
    assert {slot.x for slot in run(once).tuning_slots()} == {50.0}


def test_an_arm_like_another_has_its_settings():
    worth = replace(FITTED, label="Tuned", space={"shift": (0.0, 9.0)}, settings={"noise": 1e-3}, price="own")
    twin = Arm(label="Twin", make=Fitted, settings={"noise": 1e-3}, price="own", like="Tuned")
    of = design(worth, twin, tuning=TUNED)
    found = run(of).series(["Tuned", "Twin"], ["accuracy"])
    assert found.settings["Twin"] == found.settings["Tuned"]
    assert {each["shift"] for each in found.settings["Twin"]["breast-cancer"].values()} == {0.0}
    slots = [slot for slot in run(of).slots() if slot.arm == "Tuned"]
    other = DesignRun(design=of, profile="quick", seed=0, chunks=one_by_one, picked={slot.name: 1 for slot in slots})
    assert other.series(["Twin"], ["accuracy"]).settings["Twin"]["breast-cancer"]["0.5"] == {"shift": 9.0}
    with pytest.raises(InputError, match="an arm that has one"):
        design(worth, replace(twin, like="Majority"), tuning=TUNED)


def test_a_space_needs_as_many_points_as_trials():
    with pytest.raises(InputError, match="a space of 1 points"):
        design(Arm(label="Fitted", make=Fitted, space={"shift": (0.0,)}), tuning=TUNED)
    with pytest.raises(InputError, match="how to choose"):
        design(Arm(label="Fitted", make=Fitted, space={"shift": (0.0, 1.0)}))


def test_moved_settings_take_the_place_of_the_arm_s():
    of = design(
        moved=(Moved(arm="Fitted", setting="shift", used=0.0, others=(9.0,)),), quick=Effort(repetitions=3, moved=2)
    )
    (moved,) = run(of).series(["Fitted"], ["accuracy"]).moved
    assert (moved["arm"], moved["setting"], moved["value"]) == ("Fitted", "shift", 9.0)
    assert {len(row) for row in moved["values"].values()} == {2}
    assert run(of).series(["Majority"], ["accuracy"]).moved == []


def test_computing_arms_take_no_data():
    up = Arm(label="up", make=computed, settings={"slope": 1.0}, price="own", computes=True)
    of = design(up, data=("none",), axis="t", floor="", ceiling="", evaluate=None)
    found = run(replace(of, arms=(up,))).series(["up"], ["accuracy", "objective"])
    assert found.values["none|up|objective|0.5"] == [0.5] * 3
    assert found.prices == {}


def test_missing_data_are_said():
    of = design(data=("breast-cancer", "ipums-br"))
    if "ipums-br" not in here(of):
        assert "IPUMS" in run(of).series(["Majority"], ["accuracy"]).missing["ipums-br"]


def test_an_axis_of_a_setting_and_of_rows():
    of = design(axis="shift", xs=(0.0, 9.0), epsilon=50.0)
    found = run(of).series(["Fitted"], ["accuracy"]).values
    assert np.mean(found["breast-cancer|Fitted|accuracy|0"]) > np.mean(found["breast-cancer|Fitted|accuracy|9"])
    with pytest.raises(InputError, match="records of a training part of 455"):
        run(design(axis="rows", xs=(100.0, 1000.0), epsilon=50.0)).series(["Fitted"], ["accuracy"])


def test_slots_have_names_of_their_own():
    slots = run(design(tuning=TUNED)).slots()
    assert len({slot.name for slot in slots}) == len(slots)
    assert Slot(stage="run", data="d", arm="A B", x=None).name == "run d A B - -1"


def test_a_profile_may_take_fewer_records_and_other_settings():
    of = design(quick=Effort(repetitions=2, rows=50, settings={"shift": 9.0, "unknown": 1}))
    usual, light = (run(of, profile).series(["Fitted"], ["accuracy"]).values for profile in ("full", "quick"))
    key = "breast-cancer|Fitted|accuracy|50"
    assert np.mean(light[key]) < np.mean(usual[key]) - 0.1


def test_a_trajectory_is_one_run():
    arm = Arm(label="DP-SGD", make=DpSgd, settings={"steps": 6, "rate": 0.2, "noise_multiplier": 0.1}, price="own")
    of = design(arm, axis="trajectory", xs=(0.0, 3.0, 6.0, 9.0), metrics=("objective", "step-size"), epsilon=1.0)
    found = run(replace(of, relation="add-remove")).series(["DP-SGD"], ["objective", "step-size"]).values
    means = [np.mean(found[f"breast-cancer|DP-SGD|objective|{x}"]) for x in (0, 3, 6, 9)]
    assert means[1] != means[2] == means[3]
    assert {v for x in (0, 3, 6, 9) for v in found[f"breast-cancer|DP-SGD|step-size|{x}"]} == {1.0}


def test_a_setting_of_all_arms_moves_those_that_take_it():
    every = Moved(arm="*", setting="shift", used=0.0, others=(9.0,))
    of = design(FITTED, replace(FITTED, label="Other"), moved=(every,), quick=Effort(repetitions=2, moved=2))
    (moved,) = run(of).series(["Fitted", "Other", "Majority"], ["accuracy"]).moved
    assert {key.split("|")[1] for key in moved["values"]} == {"Fitted", "Other"}
    assert "Majority" not in {slot.arm for slot in run(of).slots() if slot.stage == "moved"}


@pytest.mark.parametrize(("penalty", "ruined"), [(0.02, False), (1e6, True)])
def test_a_setting_is_ruined_where_even_training_without_noise_learns_nothing(penalty, ruined):
    every = Moved(arm="*", setting="l2", used=0.01, others=(penalty,))
    of = design(moved=(every,), quick=Effort(repetitions=2, moved=2))
    (moved,) = run(of).series(["Fitted"], ["accuracy"]).moved
    assert moved.get("ruined", False) is ruined
    assert {key.split("|")[1] for key in moved["values"]} == {"Fitted"}
    assert "NonPrivate" in {slot.arm for slot in run(of).slots(["Fitted"]) if slot.stage == "moved"}
    own = Moved(arm="Fitted", setting="shift", used=0.0, others=(9.0,))
    (moved,) = run(design(moved=(own,), quick=Effort(repetitions=2, moved=2))).series(["Fitted"], ["accuracy"]).moved
    assert "ruined" not in moved  # the arm without noise does not take it


def test_all_statements_share_one_false_alarm_probability():
    known = registry()
    every = sum(len(each.statements) for _, each in known.experiments.items())
    assert Measured(design=design()).statements == all_statements(known) == every > 90


def test_splits_of_one_table_are_resampled_and_test_sets_of_their_own_are_not():
    assert resampled(design(), ("breast-cancer",)) == pytest.approx(0.25)
    assert resampled(design(), ("none",)) == resampled(design(), ()) == 0.0
    assert resampled(replace(design(), tests={"breast-cancer": "other"}), ("breast-cancer",)) == 0.0


def test_an_arm_may_prepare_its_data():
    """Both parts are given to it, and to no other arm."""
    seen = []

    def watched(part):
        seen.append(part.rows)
        return part

    run(design(replace(FITTED, prepare=(watched,)))).series(["Fitted"], ["accuracy"])
    assert len(set(seen)) == 2
    seen.clear()
    run(design(FITTED)).series(["Fitted"], ["accuracy"])
    assert seen == []
