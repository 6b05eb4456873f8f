"""A pass of every scheme, and of loaders that follow none, as naive code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpverify.loaders.observed import Observed

Batches = list[np.ndarray]
Pass = Callable[[np.random.Generator], Batches]


def poisson(n: int, steps: int, rng: np.random.Generator, *, rate: float) -> Batches:
    return [np.flatnonzero(rng.random(n) < rate) for _ in range(steps)]


def cut(order: np.ndarray, size: int) -> Batches:
    return [order[start : start + size] for start in range(0, order.size, size)]


def of_scheme(kind: str, n: int, steps: int, seed: int = 0) -> Pass:
    """One pass of a scheme with about `steps` batches; `seed` is of what is the same in all passes."""
    once = np.random.default_rng(seed)
    rate, size = 1.0 / steps, -(-n // steps)
    order, rates, weights = once.permutation(n), once.random(n) * 2 * rate, once.dirichlet(np.ones(n))

    def bins(rng: np.random.Generator) -> Batches:
        chosen = rng.integers(steps, size=n)
        return [np.flatnonzero(chosen == each) for each in range(steps)]

    def cyclic_poisson(rng: np.random.Generator) -> Batches:
        groups = max((each for each in range(2, steps) if steps % each == 0), default=steps)
        own = order % groups
        return [np.flatnonzero((rng.random(n) < 0.3) & (own == each % groups)) for each in range(steps)]

    return {
        "cyclic-poisson": cyclic_poisson,
        "poisson": lambda rng: poisson(n, steps, rng, rate=rate),
        "fixed-size": lambda rng: [rng.choice(n, size, replace=False) for _ in range(steps)],
        "with-replacement": lambda rng: [rng.integers(n, size=size) for _ in range(steps)],
        "shuffled": lambda rng: cut(rng.permutation(n), size),
        "shuffled-once": lambda _rng: cut(order, size),
        "cyclic": lambda _rng: cut(np.arange(n), size),
        "balls-in-bins": bins,
        "weighted-poisson": lambda rng: [np.flatnonzero(rng.random(n) < rates) for _ in range(steps)],
        "weighted": lambda rng: [rng.choice(n, size, p=weights) for _ in range(steps)],
    }[kind]


KINDS = (
    "poisson",
    "cyclic-poisson",
    "fixed-size",
    "with-replacement",
    "shuffled",
    "shuffled-once",
    "cyclic",
    "balls-in-bins",
    "weighted-poisson",
    "weighted",
)


def observed(n: int, one: Pass, passes: int, rng: np.random.Generator) -> Observed:
    """So many passes."""
    batches = [each for _ in range(passes) for each in one(rng)]
    return Observed(
        records=n,
        passes=passes,
        steps=len(batches) // passes,
        flat=np.concatenate(batches).astype(np.int64),
        sizes=np.array([each.size for each in batches]),
    )
