"""Runs: against a naive search, on ties, and nothing where the sides are alike."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.event import runs
from auditors.privacy.event.runs import run_edges
from auditors.privacy.event.tables import cells
from tests.auditors.privacy.samples import sample

DRAWS = 20_000


def naive(first, second):
    """The ends of the intervals with the largest excesses by trying all of them; several where these are equal."""
    values, found = sorted({*first, *second}), []
    for more, less in ((first, second), (second, first)):
        for slope in runs.SLOPES:
            every = []
            for start, stop in itertools.combinations(range(len(values) + 1), 2):
                inside = values[start:stop]
                k1, k2 = (sum(value in inside for value in side) for side in (more, less))
                every.append((k1 - slope * k2, k1 + slope**2 * max(k2, 1), start, stop))
            best = max(each[0] for each in every)
            found.append([each for each in every if each[0] > best - 1e-9])
    return found, values


@given(first=st.lists(st.integers(0, 5), min_size=1, max_size=60), second=st.lists(st.integers(0, 5), max_size=60))
def test_no_other_interval_has_a_larger_excess(first, second):
    found, values = naive(first, second)
    edges = run_edges(np.array(first), np.array(second)).tolist()
    assert edges == sorted(set(edges) & set(values[1:]))
    for best in found:
        for excess, variance, start, stop in best if len(best) == 1 else []:
            if start > 0 and stop < len(values) and excess > runs.CLEARLY * np.sqrt(variance):
                assert {values[start], values[stop]} <= {*edges}
    ends = {place for best in found for _, _, *pair in best for place in pair}
    assert {*edges} <= {values[place] for place in ends if place < len(values)}


def uniform_with_a_narrow_part(share, rng):
    inside = rng.random(DRAWS) < share
    return np.where(inside, rng.uniform(1.0, 1.02, DRAWS), rng.uniform(0.0, 10.0, DRAWS))


def test_the_ends_of_a_narrow_interval_are_edges_and_make_it_an_event():
    """Share 0.022 against 0.002: its ends lie within a few draws of 1 and 1.02, where one draw takes 0.00005."""
    rng = np.random.default_rng(3)
    first, second = (uniform_with_a_narrow_part(share, rng) for share in (0.02, 0.0))
    edges = run_edges(first, second)
    assert np.abs(edges - 1.0).min() < 0.002
    assert np.abs(edges - 1.02).min() < 0.002
    score = cells(sample(first), sample(second), (0,), 8)
    assert score(np.array([1.01]))[0] == pytest.approx(np.log(0.022 / 0.002), abs=0.7)
    assert np.abs(score(np.array([0.9, 1.1]))).max() < 0.1


def test_alike_sides_and_constants_have_few_runs_or_none():
    rng = np.random.default_rng(4)
    assert run_edges(*rng.normal(size=(2, DRAWS))).size <= 12
    assert run_edges(np.zeros(10), np.zeros(10)).size == 0
    assert run_edges(np.zeros(100), np.ones(100)).size == 0, "half-lines show it"
    assert run_edges(np.repeat([0, 1, 2], 50), np.repeat([0, 2], 50)).tolist() == [1.0, 2.0]
    assert run_edges(*rng.normal(size=(2, DRAWS)) + np.array([[0.0], [1.0]])).size == 0, "so they do here"
