"""Neighbours made from an example are neighbours, have its size, and show its records last."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpverify as dpv
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.record_columns import both, only_in
from dpverify.neighbourhood.neighbours import neighbours_of

EXAMPLES = (
    [0.2, 0.9, 0.4],
    [3],
    [1, 0, 1, 1],
    [(1, "a"), (2, "a"), (5, "b")],
    [{"age": 3, "user": "x"}, {"age": 5, "user": "y"}, {"age": 7, "user": "y"}],
    np.array([[0.1, 0.2], [0.5, 0.6]]),
    pd.DataFrame({"age": [30, 40], "user": ["x", "y"]}),
    {"x": [1, 2, 3], "y": np.array([0.1, 0.2, 0.3])},
    (np.ones((3, 2)), np.array([1, -1, 1])),
)


def sizes(pair):
    first, second = both(pair.d0, pair.d1)
    return len(first), len(second), len(only_in(first, second)), len(only_in(second, first))


def made(generator, points=()):
    space = SearchSpace()
    listed = generator.candidates(space, limit=60, rng=np.random.default_rng(0))
    return [*listed, *(generator.decode(space, np.array(point)) for point in points)]


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: type(data).__name__)
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_all_pairs_are_neighbours_of_the_examples_size(data, relation):
    generator = neighbours_of(data, relation=relation)
    n = generator.size
    for pair in made(generator):
        first, second, gone, come = sizes(pair)
        assert generator.check(pair.d0, pair.d1) is None
        if relation == "add-remove":
            assert {first, second} in ({n, n + 1}, {n - 1, n})
            assert (gone, come) in ((0, 1), (1, 0))
        else:
            assert (first, second) == (n, n)
            assert (gone, come) == (1, 1)


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_every_point_of_the_box_is_a_pair(point):
    for relation in ("add-remove", "replace"):
        generator = neighbours_of([0.2, 0.9, 0.4], relation=relation)
        assert len(generator.box(SearchSpace())) == 5
        pair = generator.decode(SearchSpace(), np.array(point))
        assert generator.check(pair.d0, pair.d1) is None


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_users_change_with_all_their_records(relation):
    data = [{"age": 3, "user": "x"}, {"age": 5, "user": "y"}, {"age": 7, "user": "y"}]
    generator = neighbours_of(data, relation=relation, unit="user")
    assert generator.relation == f"{relation} by user"
    assert "at most 2" in " ".join(generator.words())
    for pair in made(generator):
        _, _, gone, come = sizes(pair)
        assert max(gone, come) <= 2
        for side, other in ((pair.d0, pair.d1), (pair.d1, pair.d0)):
            users = {record["user"] for record in side if record not in other}
            assert len(users) <= 1  # all of one user
    assert any(sizes(pair)[2:] in ((2, 0), (0, 2), (2, 2)) for pair in made(generator))


def test_pairs_of_the_examples_own_records_are_a_quarter_and_marked():
    generator = neighbours_of([0.21, 0.93, 0.47])
    for limit, own in ((1, 0), (6, 1), (12, 3)):
        pairs = generator.candidates(SearchSpace(), limit=limit, rng=np.random.default_rng(0))
        marks = [generator.shows_records(pair.label) for pair in pairs]
        assert (len(marks), sum(marks)) == (limit, own)
        assert marks[0] is False  # a made-up one first
    for pair in made(generator):
        if not generator.shows_records(pair.label):
            assert 0.47 not in [*pair.d0, *pair.d1]  # neither an end nor the middle of the range


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_some_pair_tells_any_record_of_the_example_from_its_absence(relation):
    pairs = made(neighbours_of([0.21, 0.93, 0.47], relation=relation))
    assert any((0.47 in pair.d0) != (0.47 in pair.d1) for pair in pairs)


def test_no_record_leaves_the_range_and_both_ends_are_tried():
    for settings, low, high in (({}, 0.25, 0.75), ({"bounds": (0, 1)}, 0.0, 1.0)):
        pairs = made(neighbours_of([0.25, 0.75], **settings))
        values = [value for pair in pairs for value in (*pair.d0, *pair.d1)]
        assert (min(values), max(values)) == (low, high)


def test_a_strategy_says_what_a_record_is():
    strategy = st.fixed_dictionaries({"age": st.integers(0, 9), "sex": st.sampled_from("fm")})
    generator = neighbours_of([{"age": 3, "sex": "f"}, {"age": 4, "sex": "m"}], records=strategy)
    pairs = made(generator)
    assert all(0 <= record["age"] <= 9 for pair in pairs for record in (*pair.d0, *pair.d1))
    assert all(generator.check(pair.d0, pair.d1) is None for pair in pairs)
    with pytest.raises(InputError, match="the fields age, sex"):
        neighbours_of([{"age": 3, "sex": "f"}], records=st.integers())


def test_users_are_replaced_within_the_size_of_the_example():
    data = [{"age": age, "user": user} for age, user in zip(range(6), "aabbcd", strict=True)]
    for pair in made(neighbours_of(data, relation="replace", unit="user")):
        assert {len(pair.d0), len(pair.d1)} == {6}


@pytest.mark.parametrize("limit", [6, 10])
@pytest.mark.parametrize(
    ("data", "bounds"),
    [([1.0, -1.0, 0.5], (-3, 3)), ([1, -1, 2], (-4, 4)), ([(0.5, -0.5), (-0.5, 0.5), (0.1, 0.1)], None)],
)
def test_some_pair_turns_a_clipped_sum_around(data, bounds, limit):
    """What clips the sum and not its records moves by twice its bound; with few pairs, too."""
    generator = neighbours_of(data, bounds=bounds)
    pairs = generator.candidates(SearchSpace(), limit=limit, rng=np.random.default_rng(0))

    def clipped(side):
        total = np.sum(np.array(side, dtype=float).reshape(len(side), -1), axis=0)
        return total / max(1.0, np.linalg.norm(total) / 0.25)

    assert max(np.linalg.norm(clipped(pair.d0) - clipped(pair.d1)) for pair in pairs) == pytest.approx(0.5)


def test_records_without_a_sign_have_no_counterweight():
    assert not any("half of" in pair.label for pair in made(neighbours_of([0.2, 0.9, 0.4], bounds=(0, 1))))
    assert not any("half of" in pair.label for pair in made(neighbours_of([True, False, True])))
    assert not any(
        "half of" in pair.label for pair in made(neighbours_of([1, -1, 1], records=st.sampled_from([1, -1])))
    )


@pytest.mark.parametrize("limit", [6, 10])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("size", [4, 11, 30])
@pytest.mark.parametrize("signed", [True, False])
def test_some_pair_moves_the_middle_across_a_wide_gap_beside_a_narrow_one(limit, relation, size, signed):
    """The records below minus those above: nearer to 0 in the narrow gap and farther in the wide one, or conversely."""
    low, high = (-8.0, 8.0) if signed else (0.0, 16.0)
    generator = neighbours_of(np.linspace(low, high, size).tolist(), relation=relation)

    def off(side, place):
        return abs(sum(np.sign(place - value) for value in side))

    def turned(pair):
        return [off(pair.d0, place) - off(pair.d1, place) for place in (low + 1.0, low + 3.0)]

    pairs = generator.candidates(SearchSpace(), limit=limit, rng=np.random.default_rng(0))
    step = 1 if relation == "add-remove" else 2
    assert any(turned(pair) in ([step, -step], [-step, step]) for pair in pairs)


def test_records_that_are_two_things_stand_at_two_places():
    assert not any("near one" in pair.label for pair in made(neighbours_of([True, False, True, True])))
    assert not any("near one" in pair.label for pair in made(neighbours_of([0.2, 0.9])))


@pytest.mark.parametrize("ends", [3, (1,), (0, 1, 2), ("x", "y"), None])
def test_bounds_that_are_no_two_numbers_are_one_line(ends):
    with pytest.raises(InputError, match=r"bounds of field a: .*; allowed: two numbers"):
        dpv.derive(lambda data, rng: len(data) + rng.laplace(), data=[{"a": 0.5}], bounds={"a": ends})


def test_bounds_of_a_column_may_be_a_text():
    found = neighbours_of([{"a": 0.5}], bounds={"a": "0:1"})
    assert found.record.text() == neighbours_of([{"a": 0.5}], bounds={"a": (0, 1)}).record.text()
