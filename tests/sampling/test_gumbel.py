from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpverify.sampling.fill import fill_gumbel
from dpverify.sampling.gumbel import gumbel
from dpverify.sampling.streams import as_state, state_from, stream
from dpverify.sampling.ziggurat import exponential

# The law itself is tested with the others, in test_fill.py.


def test_is_minus_the_logarithm_of_the_exponential_draw() -> None:
    state = state_from(stream(0, "gumbel"))
    for _ in range(100):
        value, *rest = gumbel(*state)
        x, *same = exponential(*state)
        assert math.isclose(value, -math.log(x), rel_tol=1e-14, abs_tol=1e-15)
        assert rest == same
        state = as_state(rest)


def argmax_counts(noise: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return np.bincount(np.argmax(scores + noise, axis=1), minlength=scores.size)


def test_largest_noisy_score_follows_the_softmax() -> None:
    """The Gumbel-max trick, what the exponential mechanism needs; each side at a false-alarm probability of 1e-9."""
    scores, trials = np.array([0.0, 1.0, -0.5, 2.0]), 200_000
    noise = np.empty((trials, scores.size))
    fill_gumbel(noise.reshape(-1), *state_from(stream(0, "gumbel max")))
    softmax = np.exp(scores) / np.exp(scores).sum()
    assert stats.chisquare(argmax_counts(noise, scores), softmax * trials).pvalue > 1e-9
    assert stats.chisquare(argmax_counts(-noise, scores), softmax * trials).pvalue < 1e-9  # the mirrored law
    assert stats.chisquare(argmax_counts(noise, 1.05 * scores), softmax * trials).pvalue < 1e-9
