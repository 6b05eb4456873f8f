"""Codes of labels follow from the label alone, and what no event can compare is never called not refuted."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.callable_mechanism import CallableMechanism


def test_strings_that_never_come_twice_are_no_dependent_draws_and_cannot_be_compared():
    """Codes in the order of arrival would rise with time: they were taken for draws that depend on one another."""

    def named(data, rng):
        return f"{rng.random():.12f}"

    result = dpv.audit(named, [1], [0], claim="PureDP(epsilon=0.5)", trials=2_000, relation="replace")
    assert result.verdict == "inconclusive"
    assert "return numbers as numbers" in result.row.verdict.reason
    assert any("more than 64 different labels" in note for note in result.notes)


def test_few_labels_keep_their_codes_in_order_and_many_are_told_by_name():
    few = CallableMechanism(lambda data, rng: "ab"[int(rng.random() < 0.5)])
    few.look([1], 64, rng=np.random.default_rng(0))
    few.sample([1], 64, rng=np.random.default_rng(1))
    assert sorted(few.labels.values()) == [0, 1]
    many = CallableMechanism(lambda data, rng: f"label {int(rng.integers(100))}")
    many.look([1], 300, rng=np.random.default_rng(0))
    row = many.sample([1], 1, rng=np.random.default_rng(1))[0]
    (label,) = many.labels
    assert many.labels[label] == row > 2**20
    assert label in many.told(row)


def hidden_in_text(data, rng):
    return f"{sum(data)}-{rng.random():.12f}"


def hidden_in_large_integers(data, rng):
    return (sum(data) << 1200) + int(rng.integers(10**12))


def hidden_in_a_rare_form(data, rng):
    return [sum(data) + 1e-3 * rng.random()] if rng.random() < 0.005 else float(rng.laplace())


def hidden_beyond_the_columns(data, rng):
    noise = rng.laplace(size=600 + int(rng.integers(2))).tolist()
    noise[550] = sum(data) + 1e-3 * rng.random()
    return noise


@pytest.mark.parametrize(
    ("mechanism", "trials"),
    [
        (hidden_in_text, 5_000),
        (hidden_in_large_integers, 5_000),
        (hidden_in_a_rare_form, 20_000),
        (hidden_beyond_the_columns, 200),
    ],
)
def test_what_no_event_can_compare_is_never_not_refuted(mechanism, trials):
    """Each leaks its sum; no seed is looked at: the share that is told by hashes decides, whatever was drawn."""
    result = dpv.audit(mechanism, [1, 1, 1], [1, 1], claim="PureDP(epsilon=1)", trials=trials)
    assert result.verdict in ("inconclusive", "refuted")
    if result.verdict == "inconclusive":
        assert "no event could use it" in result.row.verdict.reason


def test_labels_that_come_again_can_be_compared():
    def labels(data, rng):
        return f"w{int(rng.integers(500)) * len(data)}"

    assert dpv.audit(labels, [1, 1], [1], claim="PureDP(epsilon=1)", trials=20_000).verdict == "refuted"


@pytest.mark.parametrize("words", [200, 2_000, 10**9])
def test_codes_of_labels_do_not_say_when_they_came(words):
    """Independent draws are refused with probability 1e-9 a look at most; before, up to all of them were."""
    for seed in range(8):
        subject = CallableMechanism(lambda data, rng: {"id": f"{int(rng.integers(words))}", "n": float(rng.normal())})
        rng = np.random.default_rng(seed)
        for data in ([1], [2]):
            subject.look(data, 64, rng=rng)
        for data in ([1], [2]) * 5:
            subject.sample(data, 64, rng=rng)
