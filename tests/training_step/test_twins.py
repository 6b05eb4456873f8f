"""Twins of right steps, each with a bug of a real thread, are refuted by default settings, in their own row."""

import pytest

import dpverify as dpv
from tests.training_step.right_steps import CLAIM
from tests.training_step.twins import TWINS

pytestmark = pytest.mark.ci  # seconds each


@pytest.mark.parametrize(
    ("step", "parameters", "batch", "more", "row"), TWINS, ids=[each[0].__name__ for each in TWINS]
)
def test_a_bug_is_found(step, parameters, batch, more, row):
    found = dpv.check_training_step(step, parameters, batch, **(CLAIM | more))
    assert found[row].verdict == "refuted", found
    assert found[row].words and found[row].shown and found[row].change
    with pytest.raises(dpv.ClaimRefuted, match="is refuted: "):
        found.check()


def test_there_are_enough_and_all_rows_refute_one():
    assert len({step.__name__ for step, *_ in TWINS}) == len(TWINS) >= 25
    assert {each[-1] for each in TWINS} == {
        "empty batch",
        "norm",
        "independence",
        "accumulation",
        "divisor",
        "noise",
        "noise reuse",
        "non-finite",
    }
