"""`check_training_step`: arguments, what raises, what cannot be looked at, and the result."""

import itertools
import json
import os
import time

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.json_text import dump
from tests.training_step.models import FEATURES, LABELS, TABLE, WEIGHTS, clipped, logistic, noise
from tests.training_step.right_steps import CLAIM, plain
from tests.training_step.twins import factor_max_in_the_place_of_min, opacus_806_an_empty_batch_raises


def check(step, batch=TABLE, parameters=WEIGHTS, **more):
    return dpv.check_training_step(step, parameters, batch, **(CLAIM | more))


@pytest.fixture(scope="module")
def right():
    return check(plain)


@pytest.fixture(scope="module")
def wrong():
    return check(factor_max_in_the_place_of_min, (FEATURES, LABELS))


def test_a_result_says_what_was_looked_at(right):
    assert right.verdict is dpv.Status.NOT_REFUTED
    assert [row.name for row in right.rows] == [
        "reproducible",
        "empty batch",
        "norm",
        "independence",
        "accumulation",
        "divisor",
        "noise",
        "noise reuse",
        "non-finite",
        "account",
        "loader",
    ]
    assert repr(right).startswith(
        "not refuted: plain as a step with clip 1, noise multiplier 1 and expected batch size 8\n"
    )
    assert "with 80 % power" in right["noise"].words
    assert "not finite" in right["non-finite"].words and right["non-finite"].change
    with pytest.raises(dpv.InputError, match="used as true or false"):
        bool(right)


def test_a_refuted_one_says_by_what(wrong):
    row = wrong["norm"]
    assert wrong.verdict is dpv.Status.REFUTED
    assert row.shown.startswith("record ") and row.change.startswith("clip each record's whole gradient")
    assert row.number > 1
    assert repr(wrong).startswith("REFUTED: factor_max_in_the_place_of_min as ")
    assert "    shown by: record " in repr(wrong)
    with pytest.raises(dpv.ClaimRefuted, match=r"is refuted: norm: one record moves the sum by"):
        wrong.check()


def test_a_record_is_json_and_the_same_again(wrong):
    again = check(factor_max_in_the_place_of_min, (FEATURES, LABELS))
    found = json.loads(dump(wrong.record()))
    assert (found["format"], found["verdict"]) == ("dpverify training step 1", "refuted")
    assert found["claim"] == {"clip": 1.0, "noise_multiplier": 1.0, "batch_size": 8.0}
    assert [(row.name, row.number, row.words) for row in again.rows] == [
        (row["name"], row["number"], row["words"]) for row in found["rows"]
    ]


def test_a_notebook_shows_the_rows(wrong):
    page = wrong._repr_html_()
    assert "independence" in page and "clip each record" in page


def entropy(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(np.random.default_rng(), total)


def dropout(weights, batch, rng):
    features, labels = batch
    kept = np.random.default_rng(int(rng.integers(2**31))).random(features.shape) < 0.5
    total = clipped(logistic(weights, (features * kept, labels))).sum(0)
    return total + noise(rng, total)


@pytest.mark.parametrize("step", [entropy, dropout], ids=lambda step: step.__name__)
def test_exact_rows_that_cannot_look_say_so_and_are_no_pass(step):
    """The noise is as claimed, so that nothing is refuted."""
    found = check(step)
    assert found.verdict is dpv.Status.INCONCLUSIVE
    for name in ("norm", "independence", "accumulation", "divisor", "non-finite"):
        assert found[name].verdict is dpv.Status.INCONCLUSIVE
        assert found[name].words.startswith("could not look: ") and found[name].change
    assert found["noise"].verdict is (dpv.Status.INCONCLUSIVE if step is dropout else dpv.Status.NOT_REFUTED)
    with pytest.raises(dpv.AuditError, match="is inconclusive: "):
        found.check()


def test_a_step_where_nothing_is_clipped_is_no_pass():
    found = check(plain, scales=(1e-6,), clip=100.0)
    assert found["norm"].verdict is dpv.Status.INCONCLUSIVE
    assert "came near the clipping norm" in found["norm"].change


def three_values(weights, batch, rng):
    """Noise of the claimed variance that has three values."""
    return clipped(logistic(weights, batch)).sum(0) + rng.choice([-(1.5**0.5), 0.0, 1.5**0.5], size=5)


def test_noise_of_another_law_is_told():
    found = check(three_values)["noise"]
    assert found.verdict is dpv.Status.INCONCLUSIVE
    assert "not Gaussian" in found.words


def test_an_empty_batch_that_does_not_occur_is_not_asked_for():
    found = check(opacus_806_an_empty_batch_raises, empty_batches=False)
    assert found.verdict is dpv.Status.NOT_REFUTED, found
    assert found["empty batch"].verdict is dpv.Status.UNSUPPORTED


def test_rounding_that_hides_a_part_is_no_pass():
    single = [each.astype(np.float32) for each in TABLE]

    def step(weights, batch, rng):
        total = (clipped(logistic(weights, batch)).sum(0) + noise(rng, weights)).astype(np.float32)
        return weights - np.float32(1e-7) * total / np.float32(8)

    found = check(step, tuple(single), WEIGHTS.astype(np.float32), returns="parameters", learning_rate=1e-7)
    assert found["norm"].verdict is not dpv.Status.NOT_REFUTED
    assert found.verdict is not dpv.Status.NOT_REFUTED


def adam(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0) + noise(rng, weights)
    return weights - 0.1 * np.sign(total)


def hangs(weights, batch, rng):
    time.sleep(30)


def leaves_the_process(weights, batch, rng):
    raise SystemExit(3)


def forks(mark):
    """A step whose first calls fork, and then each hundredth, since a fork takes time; a copy marks its calls."""
    calls, first = itertools.count(), os.getpid()

    def step(weights, batch, rng):
        if os.getpid() != first:
            mark.touch()
            os._exit(0)
        call = next(calls)
        if call < 5 or call % 100 == 0:
            os.fork()
        return plain(weights, batch, rng)

    return step


@pytest.mark.parametrize(
    ("step", "more", "said"),
    [
        (lambda w, b, rng: 1 / 0, {}, "raised ZeroDivisionError: division by zero"),
        (lambda w, b: w, {}, "raised TypeError"),
        (lambda w, b, rng: "text", {}, "returned: it is a str"),
        (lambda w, b, rng: None, {}, "returned nothing"),
        (lambda w, b, rng: w * np.nan, {}, "not finite on the batch as it was given"),
        (leaves_the_process, {}, "raised SystemExit"),
        (hangs, {"max_seconds_per_call": 0.2}, "ran longer than its limit"),
        (adam, {"returns": "parameters", "learning_rate": 0.1}, "as Adam does"),
        (plain, {"clip": 0.0}, "clip = 0.0"),
        (plain, {"noise_multiplier": np.nan}, "noise_multiplier = nan"),
        (plain, {"returns": "gradient"}, "returns = 'gradient'; allowed: sum, mean, parameters"),
        (plain, {"returns": "parameters"}, "learning_rate = None"),
        (plain, {"learning_rate": 0.1}, "learning_rate = 0.1"),
        (plain, {"confidence": 1.0}, "confidence 1.0"),
        (plain, {"scales": (-1.0,)}, "scales"),
        (3, {}, "a step that is a int"),
        (plain, {"parameters": {}}, "no parameters"),
    ],
)
def test_what_is_wrong_is_one_line(step, more, said):
    with pytest.raises(dpv.InputError, match=said) as caught:
        check(step, **more)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_copy_of_the_process_does_not_go_on(tmp_path):
    found = check(forks(tmp_path / "called"), noise_multiplier=1.0)
    assert found.verdict is dpv.Status.NOT_REFUTED
    assert not (tmp_path / "called").exists()


def test_the_user_s_objects_stay_as_they_are():
    parameters, batch = WEIGHTS.copy(), tuple(each.copy() for each in TABLE)

    def spoils(weights, records, rng):
        total = plain(weights, records, rng)
        weights[:] = 7.0
        records[0][:] = 7.0
        return total

    assert check(spoils, batch, parameters).verdict is dpv.Status.NOT_REFUTED
    assert np.array_equal(parameters, WEIGHTS)
    assert all(map(np.array_equal, batch, TABLE))
