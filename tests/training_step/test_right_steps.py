"""Right set-ups are never accused, and no check is left out where it could look."""

import pytest

import dpverify as dpv
from tests.training_step.right_steps import CLAIM, RIGHT

pytestmark = pytest.mark.ci  # seconds each


@pytest.mark.parametrize(("step", "parameters", "batch", "more"), RIGHT, ids=[step.__name__ for step, *_ in RIGHT])
def test_a_right_step_is_not_refuted(step, parameters, batch, more):
    """The noise rows accuse one of them with probability 1e-6; the others are exact."""
    found = dpv.check_training_step(step, parameters, batch, **(CLAIM | more))
    assert [(row.name, row.words) for row in found.rows if row.verdict in ("refuted", "inconclusive")] == []
    assert found.check() is found


def test_there_are_enough_of_each_kind():
    names = [step.__name__ for step, *_ in RIGHT]
    assert len(set(names)) == len(names) >= 20
    coarse = [step for step, *_, more in RIGHT if "bfloat16" in step.__name__ or more.get("rounding") == 2.0**-8]
    assert len(coarse) >= 5
