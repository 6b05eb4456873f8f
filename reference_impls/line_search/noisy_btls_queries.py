"""NoisyBTLS on arbitrary queries: the data set *is* the vector q_1 .. q_max_it.

This is all that the proofs of BLSGD's Theorems 1 to 3 use: queries that a neighbour moves by at most Delta each, in any
direction. A witness here is one against that reading only; real losses move the queries by ``f_w - h_i`` with one f_w.
With Gaussian noise queries that move apart lose more the more of them there are; where Theorem 3's proof breaks is said
in :mod:`reference_impls.papers.blsgd.lemmas.noisy_btls_curves`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from reference_impls.line_search.noisy_btls import NoisyBtls

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsQueries(NoisyBtls):
    """Subject ``noisy-btls-queries``. Data set: float64, shape (max_it,), finite; alpha, beta and eta0 play no part."""

    def query(self, dataset: Dataset) -> Float:
        """The data set itself.

        Raises
        ------
        InputError
            When it is not a vector of max_it finite numbers.
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
