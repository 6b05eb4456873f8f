"""Conditional distributions of a network with one edge, on two binary attributes."""

import contextlib
import io

import pandas as pd
from DataSynthesizer.lib.PrivBayes import construct_noisy_conditional_distributions

EPSILON = 1.0


def claimed():
    """The budget that the step is given."""
    return f"PureDP(epsilon={EPSILON:g})"


def draw(data, size, seed):
    """Pr[b = 1 | a = 0] and Pr[b = 1 | a = 1]."""
    del seed  # numpy's generator, which the library draws from, is seeded
    frame = pd.DataFrame(data, columns=["a", "b"])
    with contextlib.redirect_stdout(io.StringIO()):
        return [_once(frame) for _ in range(size)]


def _once(frame):
    found = construct_noisy_conditional_distributions([("b", ["a"])], frame, EPSILON)
    return [distribution[1] for distribution in found["b"].values()]
