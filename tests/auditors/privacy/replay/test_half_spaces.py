"""The words of an event beyond noise-free values give the set whose probabilities were computed."""

import math
import re

import numpy as np
import pytest

from auditors.privacy.event_bounds import Goal
from auditors.privacy.replay.laws import LISTED, Moved, all_beyond, beyond_plane, bound_by_orthant
from dpverify.definitions.pure_dp import ApproxDP
from tests.auditors.privacy.replay.test_laws import PAIR, two

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def moved(*sides, scale=0.5):
    return [Moved(name=f"noise[{i}]", here=h, there=t, scale=scale + i / 4) for i, (h, t) in enumerate(sides)]


def test_laplace_values_have_their_thresholds():
    assert all_beyond(moved((2.0, 1.0), (-1.5, 3.0)), "Laplace") == "noise[0] > 2 and noise[1] < -1.5"
    many = all_beyond(moved(*[(float(i), -1.0) for i in range(LISTED + 3)]), "Laplace")
    assert many.count(">") == LISTED and "3 more Laplace values" in many


@pytest.mark.parametrize("edge", [-1.0, 0.0, 0.8])
@pytest.mark.parametrize("sides", [[(2.0, 1.0)], [(1.0, 2.5)], [(2.0, 1.0), (-1.0, 0.5)]])
def test_the_plane_that_is_told_has_the_probabilities(sides, edge):
    values = moved(*sides)
    text = beyond_plane(values, edge)
    rng = np.random.default_rng(5)
    found = []
    for side in ("here", "there"):
        draws = np.stack([rng.normal(getattr(each, side), each.scale, 200_000) for each in values])
        if len(values) == 1:
            sign, limit = re.fullmatch(rf"noise\[0\] ([<>]) ({NUMBER})", text).groups()
            found.append(np.mean(draws[0] > float(limit) if sign == ">" else draws[0] < float(limit)))
            continue
        left, _, limit = text.partition(" > ")
        terms = re.findall(rf"([-+]? ?{NUMBER}) noise\[(\d)\]", left)
        total = sum(float(weight.replace(" ", "")) * draws[int(place)] for weight, place in terms)
        found.append(np.mean(total > float(limit)))
    length = math.hypot(*(each.ratio for each in values))
    wanted = [0.5 * math.erfc(x / math.sqrt(2)) for x in (edge, edge + length)]
    assert found == pytest.approx(wanted, abs=0.006)  # five standard errors


def test_the_proved_event_names_its_thresholds():
    goal = Goal(guarantee=ApproxDP(epsilon=1.0, delta=1e-5))
    said = bound_by_orthant(goal, PAIR, [two([0.0, 0.0], [1.0, -1.0])], 0)
    assert re.search(r"\[0\] < 0 and .*\[1\] > 0", said.event), said.event
