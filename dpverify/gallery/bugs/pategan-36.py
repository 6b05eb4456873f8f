"""Written anew: noisy votes of teachers, with the scale that the issue quotes."""

import random

LAMBDA = 0.5


def claimed():
    """What PATE's analysis gives for one answer."""
    return f"PureDP(epsilon={2 * LAMBDA:g})"


def draw(data, size, seed):
    """Labels by majority of the noisy votes."""
    rng = random.Random(seed)
    ones = sum(data)
    return [float(ones + _laplace(rng) > len(data) - ones + _laplace(rng)) for _ in range(size)]


def _laplace(rng):
    return LAMBDA * (rng.expovariate(1.0) - rng.expovariate(1.0))
