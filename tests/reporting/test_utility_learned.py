"""What was learned: who is best and who is close in each cell, what is left out, what accounts could not certify."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger.utility_records import read_experiment
from dpverify.reporting.utility_learned import ASKED, learned

MEANS = {"A": {0.05: 0.70, 0.2: 0.80}, "B": {0.05: 0.66, 0.2: 0.795}, "C": {0.05: 0.71, 0.2: 0.60}}


def experiment(*, axis="epsilon", makes=(list, dict, set), like=("", "", "")):
    arms = [
        SimpleNamespace(label=label, make=make, like=twin) for label, make, twin in zip("ABC", makes, like, strict=True)
    ]
    return SimpleNamespace(design=SimpleNamespace(axis=axis, metrics=("accuracy",), arms=arms), name="e")


def record(*, reach=0.2, profile="full", prices=("one", "one", "one"), **more):
    curves = {
        label: {"accuracy": [[x, mean, mean - 0.01, mean + 0.01] for x, mean in row.items()]}
        for label, row in MEANS.items()
    }
    arms = {label: {"price": price} for label, price in zip("ABC", prices, strict=True)}
    return {
        "profile": profile, "curves": {"adult": curves}, "arms": arms, "ranges": {"adult|accuracy": reach},
        "prices": {}, **more,
    }  # fmt: skip


def test_who_is_best_and_who_is_close():
    """Of a range of .2, 5 % is .01: A is .01 below C at .05, and B .005 below A at .2."""
    found = learned([(experiment(), record())])
    (frontier,) = found["frontiers"]
    scores = {label: [(each.best, each.close) for each in row] for label, row in frontier.rows}
    assert scores == {
        "A": [(False, True), (True, True)],
        "B": [(False, False), (False, True)],
        "C": [(True, True), (False, False)],
    }
    assert found["counts"] == [
        ("A", ((1, 0, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0), (2, 1, 2))),
        ("C", ((1, 1, 1), (0, 0, 1), (0, 0, 0), (0, 0, 0), (1, 1, 2))),
        ("B", ((0, 0, 1), (1, 0, 1), (0, 0, 0), (0, 0, 0), (1, 0, 2))),
    ]


@pytest.mark.parametrize(
    ("design", "kept"),
    [
        ({"axis": "rows"}, {}),
        ({"makes": (list, list, list)}, {}),
        ({"like": ("", "A", "A")}, {}),
        ({}, {"profile": "quick"}),
        ({}, {"prices": ("one", "own", "then")}),
        ({}, {"ranges": {}}),
    ],
)
def test_what_compares_no_algorithms_at_one_price_is_left_out(design, kept):
    found = learned([(experiment(**design), record(**kept))])
    assert (found["frontiers"], found["counts"], found["narrow"]) == ([], [], [])


def test_a_table_without_a_range_ranks_nothing_and_is_named():
    found = learned([(experiment(), record(reach=0.019))])
    assert found["frontiers"] == [] and [each.data for each in found["narrow"]] == ["adult"]


def test_what_an_account_of_then_cannot_certify():
    said = {"kind": "then", "adult": {"0.05": [None, "below its floor"], "0.2": [0.2, "moments"]}}
    kept = {**record(), "prices": {"C": said, "A": {**said, "kind": "one"}}}
    (floor,) = learned([(experiment(), kept)])["floors"]
    assert floor[1:] == ("C", "adult", "0.05")


def test_committed_records_have_an_answer_at_every_epsilon_that_is_asked():
    known = registry()
    kept = [(known.experiments.get(name), read_experiment(name)) for name in known.experiments]
    found = learned([(each, item) for each, item in kept if item is not None])
    assert len(found["frontiers"]) > 10
    for place in range(len(ASKED)):
        assert any(columns[place][2] for _, columns in found["counts"]), ASKED[place]
    for frontier in found["frontiers"]:
        for place in range(len(frontier.xs)):
            column = [scores[place] for _, scores in frontier.rows]
            assert sum(each.best for each in column) >= 1
            assert all(each.close for each in column if each.best)
