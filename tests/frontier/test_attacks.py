import numpy as np
import pytest

from dpverify.frontier.attacks import CANARY, LEARNED, LENGTH, best_attack


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
