"""Two noisy answers to one query, each with the whole epsilon.

Wrong line: the second draw uses epsilon again instead of half of it. Source: MOSTLY AI's double spend
(dp-recorder, PETS 2026, appendix; its demo measures 1.98 for a target of 1). True epsilon: 2 epsilon
(`true_epsilon`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.laplace_on_query import LaplaceOnVector
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.replayable import Replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleSpend(EpsilonScaled, Replayable, LaplaceOnVector):
    """Subject ``double-spend``. Data sets: one query answer; outputs: float64, shape (size, 2)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, once for each of the two releases."""
        return np.repeat(single_answer(dataset), 2)

    def laplace_scale(self, dataset: Dataset) -> float:
        """1 / epsilon, for each of the two: the bug."""
        return self.scale(1.0)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One pair of noisy answers, one after the other."""
        answer, scale = single_answer(dataset), self.scale(1.0)
        return np.concatenate(
            [tape.perturb(name, answer, law="laplace", scale=scale, sensitivity=1.0) for name in ("first", "again")]
        )


def true_epsilon(epsilon: float) -> float:
    """Two answers at epsilon each: 2 epsilon."""
    return 2.0 * epsilon


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("double-spend", DoubleSpend)
    add_pure_claim(
        registry,
        "double-spend",
        "broken",
        relation="one-query",
        size=1,
        epsilon=1.0,
        source=("dp-recorder", "MOSTLY AI, double spend"),
        statement="Two answers with Lap(1/epsilon) each are epsilon-DP together.",
    )
