"""Written anew: noisy joint counts of two binary features, with the scale as in the source of the release; K = 2."""

import numpy as np

EPSILON, FEATURES, DEGREE = 2.0, 2, 2


def claimed():
    """Half of the budget, which the marginals are given."""
    return f"PureDP(epsilon={EPSILON / 2:g})"


def draw(data, size, seed):
    """Counts of (0, 0), (0, 1), (1, 0), (1, 1)."""
    rng = np.random.default_rng(seed)
    counts = np.array([sum(row == [a, b] for row in data) for a in (0, 1) for b in (0, 1)], dtype=float)
    scale = 2 * (FEATURES - DEGREE) / (len(data) * EPSILON / 2)
    return np.maximum(counts + rng.laplace(scale=scale, size=(size, 4)), 0.0)
