"""The Laplace mechanism in half precision: which outputs are possible at all depends on the answer.

Wrong line: ``answer + scale * log(u)`` in the floats that u was drawn in. Source: Mironov, "On Significance of the
Least Significant Bits for Differential Privacy" (CCS 2012); Opacus issue 616 says the same of its `secure_mode`. A
uniform number of 11 bits has 2048 logarithms; moved by the answer and rounded, they leave holes between them, and the
holes of two answers lie elsewhere. True epsilon: infinite, by enumeration of the outputs (`outputs`: 61 % of those of 0
are impossible under 1), though the real-number mechanism is epsilon-DP.

Half precision is where 2 million draws see single outputs. The same fault in single precision (24 bits) has as many
holes and hides from such counts: a histogram's bins are wider than they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

BITS = 11
"""Of the uniform number, as many as a half has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfPrecisionLaplace(EpsilonScaled):
    """Subject ``half-precision-laplace``. Data sets: one query answer; outputs: float64 that are halves, (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        table = self.outputs(dataset)
        return table[rng.integers(0, table.size, size=size)]

    def outputs(self, dataset: Dataset) -> Float:
        """Every output, once for each pair of a sign and a uniform number, shape (2^12,): all are equally likely."""
        uniform = (np.arange(1, 2**BITS + 1) / 2.0**BITS).astype(np.float16)
        noise: NDArray[np.float16] = np.float16(self.scale(1.0)) * np.log(uniform)
        answer = single_answer(dataset).astype(np.float16)
        return np.concatenate([answer + noise, answer - noise]).astype(np.float64)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("half-precision-laplace", HalfPrecisionLaplace)
    add_pure_claim(
        registry,
        "half-precision-laplace",
        "broken",
        relation="one-query",
        size=1,
        low=0.0,
        source=("Mironov 2012", "section 4; Opacus issue 616"),
        statement="A query of sensitivity 1 with Lap(1/epsilon), computed in half precision, is epsilon-DP.",
    )
