import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.frontier.attacks import CANARY, LEARNED, LENGTH, best_attack, canary_pairs


@pytest.mark.parametrize(
    ("moved", "words"),
    [((3.0, 0.0, 0.0), CANARY), ((0.0, 0.0, 2.0), LEARNED)],
)
def test_the_number_that_moves_is_chosen(moved, words):
    """Fails by chance below 1e-9: a shift of 2 or 3 standard deviations in 200 pilots a side, the others are noise."""
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(size=(2, 200, 3))
    attack, apart = best_attack(inside + np.array(moved), outside)
    assert attack.words == words
    assert apart > 0.3
    fresh = rng.normal(size=(2, 1000, 3))
    assert np.mean(attack.scores(fresh[0] + np.array(moved)) > attack.scores(fresh[1])) > 0.75


def test_a_spread_is_seen_by_the_length():
    """Fails by chance below 1e-9: every length is three times as large."""
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(size=(2, 200, 20))
    assert best_attack(3.0 * inside, outside)[0].words == LENGTH


def test_where_nothing_moves_the_score_on_the_canary_is_taken():
    same = np.random.default_rng(0).normal(size=(100, 6))
    attack, apart = best_attack(same, same)
    assert (attack.words, apart) == (CANARY, 0.0)


def test_constant_outputs_are_no_error():
    attack, apart = best_attack(np.ones((20, 4)), np.zeros((20, 4)))
    assert apart == 0.5
    assert np.isfinite(attack.scores(np.ones((3, 4)))).all()


@pytest.mark.parametrize("columns", [1, 2, 9])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("others", [2, 200])
def test_pairs_differ_in_the_canary_alone(columns, classes, others):
    for relation, more in (("add-remove", 1), ("replace", 0)):
        for pair in canary_pairs(columns, classes, relation=relation, norm=1.0, others=others):
            inside, outside = pair.inside, pair.outside
            assert inside.rows == outside.rows + more
            assert (inside.features[:-1] == outside.features[: inside.rows - 1]).all()
            assert (inside.labels[:-1] == outside.labels[: inside.rows - 1]).all()
            assert np.linalg.norm(inside.features, axis=1).max() <= 1 + 1e-12
            assert (pair.probes[0] == inside.features[-1]).all()
            inside.need_labels(None if classes == 2 else classes)
            if not more:
                assert (inside.features[-1] == outside.features[-1]).all()
                assert inside.labels[-1] != outside.labels[-1]


def test_a_longer_canary_leaves_the_others_as_they_are():
    short, long = (canary_pairs(3, 2, relation="add-remove", norm=norm, others=20)[0] for norm in (1.0, 50.0))
    assert np.linalg.norm(long.inside.features[-1]) == 50.0
    assert (short.outside.features == long.outside.features).all()


def test_another_relation_is_one_line():
    with pytest.raises(InputError, match="add-remove, replace"):
        canary_pairs(3, 2, relation="labels", norm=1.0, others=20)
