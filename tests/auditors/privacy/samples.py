"""Samples for tests of what looks at them."""

from __future__ import annotations

import numpy as np

from auditors.privacy.event.select import Split
from auditors.privacy.outputs import Sample


def sample(values, weights=None):
    """Outputs, or the outcomes' indices with how often each came; in columns, as drawn ones lie."""
    weights = None if weights is None else np.asarray(weights, dtype=np.int64)
    size = len(values) if weights is None else int(weights.sum())
    return Sample(values=np.asfortranarray(values), weights=weights, size=size)


def split(first, second, seed=0):
    """A selection sample of both sides."""
    return Split.of([first, second], rng=np.random.default_rng(seed))


def drawn(seed, size=20_000, shift=1.0, width=None):
    """Laplace noise of scale 1, and the same shifted: of numbers, or of vectors of some width."""
    rng = np.random.default_rng(seed)
    shape = size if width is None else (size, width)
    return sample(rng.laplace(size=shape)), sample(rng.laplace(size=shape) + shift)
