"""The words of what a pass could have seen."""

from __future__ import annotations

import pytest

from dpverify.core.note import Kind, Note
from dpverify.runner.verdict_strength import IF_ALL_SHOWS, before_verdict, caught, missed


def test_what_would_have_been_detected_says_for_what_and_how_rare():
    first, second = caught("epsilon", 1.4336, rarest=0.00871)
    assert first.startswith(f"would have detected epsilon ≥ 1.434 with 80 % power, {IF_ALL_SHOWS} (for this pair and")
    assert second == "these draws cannot detect a leak of probability below 0.0087"
    assert caught("mu", "inf") == ["could not have detected any value of mu at the tested event"]
    assert caught("mu", None) == []


@pytest.mark.parametrize(
    ("verdict", "detectable", "weak"),
    [
        ("not_refuted", 2.1, True),
        ("not_refuted", 2.0, False),
        ("not_refuted", "inf", True),
        ("not_refuted", None, False),
        ("refuted", 3.0, False),
        ("inconclusive", 3.0, False),
    ],
)
def test_a_pass_that_missed_its_goal_is_weak(verdict, detectable, weak):
    assert missed(verdict, {"sought": 2.0}, detectable) is weak
    assert before_verdict(verdict, {"sought": 2.0}, detectable) == ("weak, " if weak else "")
    assert not missed(verdict, {}, detectable)


def test_a_batch_that_reuses_noise_is_told_before_the_verdict():
    note = Note(Kind.BATCH, "a batch gives draws that depend on one another")
    told = "by single calls only (draws of a batch depend on one another), "
    assert before_verdict("not_refuted", {}, None, [note]) == told
    assert before_verdict("not_refuted", {"sought": 2.0}, 3.0, [note]) == f"weak, {told}"
    assert before_verdict("refuted", {}, None, [note]) == ""
