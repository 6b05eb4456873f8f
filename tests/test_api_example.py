"""`dpverify.audit` with one example: what it says of a pass, what it keeps to itself, and what it refuses.

Audits of true claims are at 1e-9: each is refuted with that probability.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dpverify as dpv
from dpverify.core.verdict import Status
from dpverify.runner.record import record

SURE = 1 - 1e-9
SECRETS = [0.123456, 0.654321, 0.345678]


def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def audit(function, data=(0.0, 1.0, 0.3), **settings):
    words = {"claim": "PureDP(epsilon=1)", "trials": 20_000, "confidence": SURE} | settings
    return dpv.audit(function, data=list(data) if isinstance(data, tuple) else data, **words)


def test_so_much_noise_that_nothing_shows_is_inconclusive():
    result = audit(lambda data, size, rng: sum(data) + rng.laplace(scale=1000.0, size=size))
    assert result.verdict is Status.INCONCLUSIVE
    assert "nothing was detectable" in result.row.verdict.reason
    with pytest.raises(dpv.AuditError, match="nothing was detectable"):
        result.check()


def test_a_pair_that_cannot_tell_is_inconclusive_too():
    result = dpv.audit(noisy_sum, [1, 1, 0], [1, 1], claim="PureDP(epsilon=1)", trials=20_000, confidence=SURE)
    assert result.verdict is Status.INCONCLUSIVE
    assert "give data on which the outputs differ" in result.row.verdict.reason


def test_a_mechanism_that_ignores_its_data_is_told_and_one_that_looks_is_not():
    ignores = audit(lambda data, size, rng: rng.laplace(size=size))
    assert "ignores its data" in ignores.row.verdict.reason
    looks = audit(lambda data, size, rng: 0.0 * len(data) + rng.laplace(size=size))
    assert looks.verdict is Status.CERTIFIED
    assert "ignores its data" not in looks.row.verdict.reason


@pytest.mark.parametrize("scale", [1.0, 0.4])
def test_no_record_of_the_example_is_in_the_result(scale):
    def mechanism(data, size, rng):
        return sum(data) + rng.laplace(scale=scale, size=size)

    result = audit(mechanism, SECRETS)
    text = json.dumps(record(result.row)) + " ".join(result.notes) + result.row.reproduce
    assert "0.345678" not in text  # the ends of the range are printed, the record between them is not


def only_the_example(data, rng):
    """Tells records apart that lie inside the range: only pairs with the example's own show it."""
    return (10.0 if 0.345678 in data else 0.0) + rng.laplace()


def test_a_pair_of_the_examples_own_records_is_left_out_unless_asked_for():
    hidden = audit(only_the_example, SECRETS, seed=1)
    assert hidden.verdict is Status.REFUTED
    assert "0.345678" not in json.dumps(record(hidden.row)) + hidden.row.reproduce
    assert "not shown" in hidden.evidence.witness["d0"]
    shown = audit(only_the_example, SECRETS, seed=1, show_records=True)
    assert 0.345678 in [*shown.evidence.witness["d0"], *shown.evidence.witness["d1"]]


def test_a_table_and_its_users():
    table = pd.DataFrame({"pay": [1.0, 2.0, 3.0, 2.5], "user": ["a", "a", "b", "c"]})

    def total(data, size, rng):
        return data["pay"].sum() + rng.laplace(scale=3.0, size=size)

    assert audit(total, table).verdict is Status.NOT_REFUTED
    by_user = audit(total, table, unit="user")
    assert by_user.verdict is Status.REFUTED  # two records of one user
    assert by_user.relation == "add-remove by user"


def test_the_same_in_a_process_of_its_own():
    here, there = (audit(noisy_sum, isolate=isolate) for isolate in (False, True))
    assert here.evidence.statistics == there.evidence.statistics
    assert here.notes == there.notes


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"data": None}, "no data"),
        ({"data": [1.0], "d0": [1.0]}, "data beside d0 and d1"),
        ({"data": None, "d0": [1], "d1": [1, 2], "bounds": "0:1"}, "bounds beside d0 and d1"),
        ({"data": [1.0], "relation": "replace"}, "no two different neighbours"),
        ({"data": [1.0, 2.0], "seconds": 0}, "seconds = 0"),
        ({"data": [1.0, 2.0], "trials": 0}, "trials = 0"),
        ({"data": [1.0, 2.0], "detect": 0.5}, "above 1"),
        ({"data": [1.0, 2.0], "relation": "labels"}, "neighbours of an example under 'labels'"),
    ],
)
def test_what_does_not_fit_is_one_line(settings, said):
    with pytest.raises(dpv.InputError) as caught:
        dpv.audit(noisy_sum, claim="PureDP(epsilon=1)", **settings)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_assert_dp_raises_where_the_claim_falls_and_warns_where_nothing_was_seen():
    data = [0.0, 1.0, 0.3]
    words = {"claim": "PureDP(epsilon=1)", "data": data, "bounds": (0, 1), "trials": 20_000}
    assert dpv.assert_dp(noisy_sum, **words).verdict is Status.CERTIFIED
    with pytest.raises(dpv.ClaimRefuted, match="again: ") as caught:
        dpv.assert_dp(lambda data, size, rng: sum(data) + rng.laplace(scale=0.3, size=size), **words)
    assert isinstance(caught.value, AssertionError)
    loose = lambda data, size, rng: sum(filter(None, data)) + rng.laplace(scale=np.float64(1000.0), size=size)  # noqa: E731
    with pytest.warns(dpv.VacuousAuditWarning, match="nothing was detectable"):
        dpv.assert_dp(loose, **words)
    with pytest.raises(dpv.AuditError, match="nothing was detectable"):
        dpv.assert_dp(loose, strict=True, **words)


def test_outputs_that_print_records_of_the_example_are_not_shown():
    def joined(data, rng):
        return ",".join(sorted(data)) if rng.random() < 0.9 else "none"

    names = ["Quixotica", "Wilhelmina", "Zebulon"]
    result = audit(joined, names, trials=5_000, records="text")
    text = json.dumps(record(result.row)) + " ".join(result.notes) + result.row.reproduce
    assert not [name for name in names if name in text]


def test_the_sizes_that_are_assumed_are_those_of_all_pairs():
    words = [note for note in audit(noisy_sum, trials=2_000).notes if "a data set is" in note]
    change = "between neighbours one record is added or removed"
    assert words == [f"assumed: a data set is a list of 0, 1, 2, 3 or 4 records, and {change}"]
    with pytest.raises(dpv.InputError, match="trials = "):
        audit(noisy_sum, trials=10**23)


def test_a_pass_that_left_out_data_is_none_where_it_is_to_be_strict():
    def needs_three(data, rng):
        if len(data) < 3:
            raise ValueError("too few")
        return float(sum(data)) + rng.laplace()

    asked = {"claim": "PureDP(epsilon=1)", "data": [0.2, 0.9, 1.0], "seconds": 2}
    with pytest.warns(dpv.VacuousAuditWarning, match="left out data: the mechanism raised an exception on"):
        assert dpv.assert_dp(needs_three, **asked).verdict is Status.NOT_REFUTED
    with pytest.raises(dpv.AuditError, match="left out data"):
        dpv.assert_dp(needs_three, strict=True, **asked)
