"""Priced arms: what is remembered of one design is not taken for another's."""

from __future__ import annotations

from dataclasses import replace

from dpverify.core.composition import Bracket
from dpverify.utility import price
from tests.utility.designs import FITTED, design


def test_delta_and_relation_are_part_of_what_is_remembered(monkeypatch):
    asked = []

    def known(_algorithm, *, delta, relation, rows):
        asked.append((delta, relation))
        return Bracket(upper=0.5, note="a friend")

    monkeypatch.setattr(price, "true_epsilon", known)
    first = design(name="remembered", delta=1e-6)
    for each in (first, replace(first, delta=1e-7), replace(first, relation="add-remove"), first):
        price.priced(FITTED, {}, each, epsilon=0.5, rows=100)
    assert asked == [(1e-6, "replace"), (1e-7, "replace"), (1e-6, "add-remove")]
