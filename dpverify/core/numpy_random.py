"""Functions of ``numpy.random`` that draw from its global generator, and what stands in for them beside a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

NOISE = ("laplace", "normal", "standard_normal", "geometric")
"""They take the same arguments as the generator's methods of that name, and return the same types."""

GLOBAL = "numpy.random"
"""Where noise of these functions comes from, in a proof."""

PUBLISHED: Mapping[str, Callable[..., Any]] = {name: getattr(np.random, name) for name in ("default_rng", *NOISE)}


@contextmanager
def standing_in_numpy(functions: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """Put functions in the place of those that `numpy.random` has under these names."""
    before = {name: getattr(np.random, name) for name in functions}
    for name, each in functions.items():
        setattr(np.random, name, each)
    try:
        yield
    finally:
        for name, each in before.items():
            setattr(np.random, name, each)
