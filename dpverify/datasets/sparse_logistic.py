"""The simulated sparse data of DISS 4.6.3: 100 attributes, of which 20 decide the label. ``sparse-logistic-0`` to 9.

    s_i ~ N(0, Sigma), Sigma_jk = 0.5^|j - k|;  P(l_i = 1) = 1 / (1 + exp(-m.s_i + iota)), iota ~ N(0, 1)
    m = (0.5, 1, .., 5, -0.5, -1, .., -5, 0, .., 0)

with n = 40,000; the rarer label is -1 here. The figures' "NonPrivate" is the true model m, :data:`MODEL`, and
:func:`coverage` is xi_K of section 4.6.6. Left open by the text: section 4.6.3 adds an intercept and re-scales the
numbers of its "datasets" into [0, 1]; neither is done here, since m has neither intercept nor units. Rows are not of
length 1 (:meth:`~dpverify.datasets.table.Table.normalised`).

A column is half the one before plus noise of variance 3/4, which has the covariance printed without a matrix product,
so the data have the same bits everywhere.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Made
from dpverify.datasets.table import Table
from dpverify.sampling.streams import as_state, state_from, stream

Float = NDArray[np.float64]

ROWS, COLUMNS, RELEVANT, SETS = 40_000, 100, 20, 10
_RISING = np.arange(1, RELEVANT // 2 + 1) / 2.0
MODEL = np.concatenate([_RISING, -_RISING, np.zeros(COLUMNS - RELEVANT)])
"""The true weights m, shape (100,); the first 20 are not 0."""
MODEL.flags.writeable = False


def simulate_sparse_logistic(rows: int, *, rng: np.random.Generator, name: str = "sparse-logistic") -> Table:
    """So many records, features of shape (rows, 100), labels -1 and +1; InputError for fewer than one."""
    from dpverify.sampling.fill import fill_normal, fill_uniform

    if rows < 1:
        raise InputError(f"{rows} records", allowed="at least one")
    state, features = state_from(rng), np.empty((rows, COLUMNS))
    state = as_state(fill_normal(features.reshape(-1), *state))
    for j in range(1, COLUMNS):
        features[:, j] = 0.5 * features[:, j - 1] + math.sqrt(0.75) * features[:, j]
    iota, chances = np.empty(rows), np.empty(rows)
    state = as_state(fill_normal(iota, *state))
    fill_uniform(chances, *state)
    with np.errstate(over="ignore"):
        likely = 1.0 / (1.0 + np.exp(iota - np.einsum("ij,j->i", features, MODEL)))
    labels = np.where(chances < likely, 1.0, -1.0)
    return Table(features=features, labels=labels, name=name, source="simulated")


@lru_cache(maxsize=2)
def load_sparse_logistic(number: int) -> Table:
    """The set of this number, 0 to 9: always the same records."""
    name = f"sparse-logistic-{number}"
    return simulate_sparse_logistic(ROWS, rng=stream(0, "data set", name), name=name)


def coverage(weights: Float, k: int, *, relevant: int = RELEVANT) -> float:
    """xi_K: the share of the first `relevant` attributes among the k with the largest weights by magnitude.

    Of equal weights those with the higher number count as larger, so that weights of 0 find nothing.

    Parameters
    ----------
    weights : float64, shape (d,)
        Finite.
    k : int
        1 .. d.
    """
    size = np.abs(np.asarray(weights, dtype=np.float64))
    if size.ndim != 1 or not np.isfinite(size).all() or not 1 <= k <= size.size or not 1 <= relevant <= size.size:
        raise InputError(
            f"the coverage of {relevant} attributes by {k} of weights of shape {size.shape}",
            allowed="finite weights of shape (d,), k and relevant in 1 .. d",
        )
    chosen = np.argsort(size, kind="stable")[-k:]
    return int(np.count_nonzero(chosen < relevant)) / relevant


def register(registry: Registry) -> None:
    """Register the ten sets."""
    for number in range(SETS):
        name = f"sparse-logistic-{number}"
        made = Made(
            name=name,
            make=partial(load_sparse_logistic, number),
            rows=ROWS,
            columns=COLUMNS,
            source="simulated (DISS 4.6.3)",
            licence="none needed",
        )
        registry.datasets.add(name, made)
