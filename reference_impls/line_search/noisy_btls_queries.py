"""NoisyBTLS on arbitrary queries: the data set *is* the vector q_1 .. q_max_it.

The proofs of BLSGD's Theorems 1 to 3 use no more than this: queries that a neighbour moves by at most Delta each, in
any direction. A counterexample found here refutes that general statement only; real losses move the queries by ``f_w -
h_i`` with one f_w. With Gaussian noise, queries that move in opposite directions cost more privacy the more of them
there are; :mod:`reference_impls.papers.blsgd.lemmas.noisy_btls_curves` says where Theorem 3's proof breaks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.line_search.noisy_btls import NoisyBtls

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsQueries(NoisyBtls):
    """Subject ``noisy-btls-queries``. Data set: float64, shape (max_it,), finite; alpha, beta and eta0 have no
    effect."""

    def query(self, dataset: Dataset) -> Float:
        """The data set itself.

        Raises
        ------
        InputError
            When the data set is not a vector of max_it finite numbers.
        """
        answers = np.asarray(dataset, dtype=np.float64)
        if answers.shape != (self.max_it,) or not np.isfinite(answers).all():
            raise InputError(
                f"query answers of shape {answers.shape}",
                allowed=f"{self.max_it} finite numbers, one for each candidate step",
            )
        return answers


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("noisy-btls-queries", NoisyBtlsQueries)
