"""Ten plain mechanisms as people write them, each with its claim and an example: what mutants are made of.

Each claim holds, and with the least noise that is known to suffice. Some records of the examples lie outside the range
that is clipped to, so that an audit can see the clipping.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.testing.boundaries import gaussian_delta


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A mechanism, its claim, an example, and other settings of its audit."""

    mechanism: Callable[..., Any]
    claim: str
    data: Any
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self):
        return self.mechanism.__name__


def clipped_sum(data, size, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(scale=1.0, size=size)


def clipped_mean(data, size, rng):
    return np.clip(data, 0.0, 1.0).mean() + rng.laplace(scale=1.0 / len(data), size=size)


def histogram(data, size, rng):
    counts = np.array([data.count(value) for value in ("a", "b", "c")])
    return counts + rng.laplace(scale=1.0, size=(size, 3))


SIGMA = 3.7307
"""Gaussian noise for epsilon = 1, delta = 1e-5 at sensitivity 1 (Balle and Wang 2018)."""


def gaussian_sum(data, size, rng):
    return np.clip(data, 0.0, 1.0).sum() + rng.normal(scale=SIGMA, size=size)


def gradient_step(data, size, rng):
    total = sum(np.array(row) / max(1.0, math.hypot(*row)) for row in data)
    return total + rng.normal(scale=1.0, size=(size, 2))


def geometric_count(data, size, rng):
    p = 1.0 - math.exp(-1.0)
    return sum(data) + rng.geometric(p, size=size) - rng.geometric(p, size=size)


def randomised_response(data, size, rng):
    turned = rng.random(size) < 1.0 / (1.0 + math.e)
    return np.where(turned, 1 - data[0], data[0])


def noisy_max(data, size, rng):
    counts = np.array([data.count(value) for value in ("a", "b", "c")])
    return np.argmax(counts + rng.laplace(scale=1.0, size=(size, 3)), axis=1)


def gumbel_choice(data, size, rng):
    counts = np.array([data.count(value) for value in ("a", "b", "c")])
    return np.argmax(counts + rng.gumbel(scale=1.0, size=(size, 3)), axis=1)


def above_threshold(data, size, rng):
    """For counts, which a record moves in one direction: noise of scale 2 on both (Lyu, Su and Li 2017)."""
    counts = np.array([sum(x >= level for x in data) for level in (0.75, 0.5, 0.25)])
    threshold = 1.0 + rng.laplace(scale=2.0, size=(size, 1))
    above = counts + rng.laplace(scale=2.0, size=(size, 3)) >= threshold
    return np.where(above.any(axis=1), above.argmax(axis=1), 3)


def subjects() -> tuple[Subject, ...]:
    numbers, letters = [0.2, 0.9, 1.0, 3.0], ["a", "b", "b", "c"]
    pure = "PureDP(epsilon=1)"
    return (
        Subject(mechanism=clipped_sum, claim=pure, data=numbers),
        Subject(mechanism=clipped_mean, claim=pure, data=numbers, settings={"relation": "replace"}),
        Subject(mechanism=histogram, claim=pure, data=letters),
        Subject(mechanism=gaussian_sum, claim="ApproxDP(epsilon=1, delta=1e-05)", data=numbers),
        Subject(mechanism=gradient_step, claim="GDP(mu=1)", data=[(0.5, 0.5), (2.0, -1.0), (0.1, 0.9)]),
        Subject(mechanism=geometric_count, claim=pure, data=[1, 0, 1, 1]),
        Subject(
            mechanism=randomised_response,
            claim=pure,
            data=[1],
            settings={"relation": "replace", "records": "choice(0, 1)"},
        ),
        Subject(mechanism=noisy_max, claim=pure, data=letters),
        Subject(mechanism=gumbel_choice, claim=pure, data=letters),
        Subject(mechanism=above_threshold, claim=pure, data=[0.1, 0.6, 0.9]),
    )


def sigma_suffices() -> bool:
    return gaussian_delta(1.0, scale=SIGMA) <= 1e-5
