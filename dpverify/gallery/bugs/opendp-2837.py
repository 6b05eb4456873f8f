"""Written anew: a cell of a marginal table, counted without a sign in 32 bits, with the library's own noise."""

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")
MECHANISM = dp.m.make_laplace(dp.atom_domain(T="i32"), dp.absolute_distance(T="i32"), scale=1.0)


def claimed():
    """The library's privacy map, for counts that change by at most 1."""
    return f"PureDP(epsilon={MECHANISM.map(1)!r})"


def draw(data, size, seed):
    """Noisy counts; the library has no seed."""
    del seed
    cells = np.zeros(1, dtype=np.int32)
    cells[[0]] = np.array([data], dtype=np.uint32)  # the library's own assignment
    return [float(MECHANISM(int(cells[0]))) for _ in range(size)]
