"""Independent noise added to a vector, many times over: what every additive mechanism here draws its outputs with.

Rests on :mod:`dpverify.sampling.fill` (jitted, 500 million draws a second on one core) and two in-place numpy passes.
Limits: those of floating-point noise (Mironov 2012): for verification, not for release.
"""

from __future__ import annotations

import numpy as np

from dpverify.sampling.fill import fill_laplace, fill_normal
from dpverify.sampling.streams import state_from
from reference_impls.mechanisms.calibrated import Float


def with_laplace(centres: Float, scale: float | Float, size: int, *, rng: np.random.Generator) -> Float:
    """`size` noisy copies of `centres`, shape (size, k): Laplace noise of scale `scale`, one or shape (k,)."""
    out = np.empty((size, centres.size))
    fill_laplace(out.reshape(-1), *state_from(rng))
    out *= scale
    out += centres
    return out


def with_gaussian(centres: Float, sigma: float | Float, size: int, *, rng: np.random.Generator) -> Float:
    """`size` noisy copies of `centres`, shape (size, k): Gaussian noise of standard deviation `sigma`."""
    out = np.empty((size, centres.size))
    fill_normal(out.reshape(-1), *state_from(rng))
    out *= sigma
    out += centres
    return out
