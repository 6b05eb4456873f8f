"""Priced arms: what is remembered of one design is not taken for another's; ADADP against SGD."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditors.utility.shortfalls import APART
from dpverify.core.composition import Bracket
from dpverify.core.plugins import registry
from dpverify.utility import cell
from dpverify.utility.cell import Slot, _settings
from tests.utility.designs import FITTED, design


def test_delta_and_relation_are_part_of_what_is_remembered(monkeypatch):
    asked = []

    def known(_algorithm, *, delta, relation, rows):
        asked.append((delta, relation))
        return Bracket(upper=0.5, note="a friend")

    monkeypatch.setattr(cell, "true_epsilon", known)
    first = design(name="remembered", delta=1e-6)
    for each in (first, replace(first, delta=1e-7), replace(first, relation="add-remove"), first):
        cell.priced(FITTED, {}, each, epsilon=0.5, rows=100)
    assert asked == [(1e-6, "replace"), (1e-7, "replace"), (1e-6, "add-remove")]


@pytest.mark.parametrize(("profile", "rows"), [("quick", 6_000), ("full", 60_000)])
def test_adadp_has_as_many_gradients_as_what_it_is_compared_with(profile, rows):
    of, costs = registry().experiments.get("adadp-fig-5a").design, []
    for arm in (each for each in of.arms if each.price == "own"):
        slot = Slot(stage="run", data="mnist", arm=arm.label, x=8.0)
        given = {name: value for name, value in of.effort(profile).settings.items() if name in (arm.takes() or {})}
        settings, epsilon = _settings(of, arm, slot, {**({"step_size": 0.1} if arm.space else {}), **given})
        costs.append(cell.priced(arm, settings, of, epsilon=epsilon, rows=rows).epsilon)
    assert costs[0] == pytest.approx(costs[1], rel=APART)
