"""Independent noise added to a vector, many times over: what every additive mechanism here draws its outputs with.

Rests on :mod:`dpverify.sampling.fill` (jitted, 500 million draws a second on one core): blocks of rows are filled in
the nearest cache and written out by columns, which is how whoever looks at outputs goes through them.
Limits: those of floating-point noise (Mironov 2012): for verification, not for release.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dpverify.sampling.fill import fill_laplace, fill_normal
from dpverify.sampling.streams import state_from
from reference_impls.mechanisms.inputs import Float

_BLOCK = 2048
"""Numbers that are drawn together: as many as stay in the nearest cache."""


def with_laplace(centres: Float, scale: float | Float, size: int, *, rng: np.random.Generator) -> Float:
    """`size` noisy copies of `centres`, shape (size, k) in columns: Laplace noise of one scale or of shape (k,)."""
    return _noisy(centres, scale, size, rng, laplace=True)


def laplace_sums(centres: Float, scale: float | Float, size: int, *, rng: np.random.Generator) -> Float:
    """What ``numpy.cumsum(with_laplace(...), axis=1)`` gives: running sums of each noisy copy."""
    return _noisy(centres, scale, size, rng, laplace=True, sums=True)


def with_gaussian(centres: Float, sigma: float | Float, size: int, *, rng: np.random.Generator) -> Float:
    """`size` noisy copies of `centres`, shape (size, k) in columns: Gaussian of standard deviation `sigma`."""
    return _noisy(centres, sigma, size, rng, laplace=False)


def _noisy(
    centres: Float, scale: float | Float, size: int, rng: np.random.Generator, *, laplace: bool, sums: bool = False
) -> Float:
    out = np.empty((size, centres.size), order="F")
    means, scales = np.ascontiguousarray(centres, dtype=np.float64), np.empty(centres.size)
    scales[:] = scale
    _fill(out, means.reshape(-1), scales, laplace, sums, *state_from(rng))
    return out


@njit(cache=True, nogil=True)
def _fill(
    out: Float,
    centres: Float,
    scales: Float,
    laplace: bool,
    sums: bool,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Block by block of rows that stay in a near cache."""
    k = centres.size
    step = max(_BLOCK // max(k, 1), 1)
    drawn = np.empty(step * k)
    for start in range(0, out.shape[0], step):
        rows = min(step, out.shape[0] - start)
        if laplace:
            s0, s1, s2, s3 = fill_laplace(drawn[: rows * k], s0, s1, s2, s3)
        else:
            s0, s1, s2, s3 = fill_normal(drawn[: rows * k], s0, s1, s2, s3)
        _write(out, start, rows, drawn, centres, scales, sums)


@njit(cache=True, nogil=True)
def _write(out: Float, start: int, rows: int, drawn: Float, centres: Float, scales: Float, sums: bool) -> None:
    """Rows of noise, one after the other in `drawn`, into the columns of `out` from row `start` on."""
    k = centres.size
    for column in range(k):
        centre, scale = centres[column], scales[column]
        if sums and column > 0:
            for i in range(rows):
                out[start + i, column] = out[start + i, column - 1] + (drawn[i * k + column] * scale + centre)
        elif k == 1:  # on vectors
            for i in range(rows):
                out[start + i, 0] = drawn[i] * scale + centre
        else:
            for i in range(rows):
                out[start + i, column] = drawn[i * k + column] * scale + centre
