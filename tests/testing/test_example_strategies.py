"""Strategies for authors: pairs are neighbours like the example, claims can be written and read back."""

from __future__ import annotations

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.neighbourhood.neighbours import neighbours_of
from dpverify.testing import budgets, claims, datasets_like, neighbors_of

DATA = [0.2, 0.9, 1.0, 0.0]
ROWS = [{"age": 30, "sex": "f"}, {"age": 70, "sex": "m"}]


@given(neighbors_of(DATA, relation="replace"))
def test_pairs_are_neighbours_like_the_example(pair):
    assert neighbours_of(DATA, relation="replace").check(pair.d0, pair.d1) is None
    assert all(0.0 <= value <= 1.0 for value in (*pair.d0, *pair.d1))
    assert len(pair.d0) == len(pair.d1) == 4


@given(datasets_like(ROWS))
def test_data_sets_have_the_example_s_form(rows):
    assert 1 <= len(rows) <= 3
    assert all(set(row) == {"age", "sex"} and 30 <= row["age"] <= 70 for row in rows)


@given(claims(), claims("approx", low=0.5, high=1.0))
def test_claims_are_read_back_from_their_text(any_claim, approx):
    assert parse_guarantee(any_claim.text(), dict(registry().definitions.items())) == any_claim
    assert isinstance(approx, ApproxDP)
    assert 0.5 <= approx.epsilon <= 1.0


def test_the_plainest_claim_is_epsilon_1():
    assert find(claims(), lambda _: True) == PureDP(epsilon=1.0)
    assert find(budgets(0.2, 0.3), lambda _: True) == 0.25


def test_bad_settings_are_refused():
    with pytest.raises(InputError, match="'renyi'"):
        claims("renyi")
    with pytest.raises(InputError, match=r"budgets\(0, 1\)"):
        budgets(0, 1)
    with pytest.raises(InputError, match="without a record"):
        neighbors_of([])
    assert isinstance(budgets(), st.SearchStrategy)
