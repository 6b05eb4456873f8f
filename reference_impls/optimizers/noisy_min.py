"""NoisyMin: the index of the smallest of several noisy losses, which DP-AGD chooses its step by (Lee and Kifer 2018).

    argmin_i f_i + Lap(Delta / epsilon)

epsilon-DP when adding or removing a record moves all f_i in one direction, each by at most Delta (Dwork and Roth 2014,
Claim 3.9 for counts): summed losses, each in [0, Delta], do. So it is (epsilon^2 / 2)-zCDP. Where answers may move in
opposite directions (one record replaced) it costs up to 2 epsilon.

With exponential noise the sign matters: ``argmin f_i - Exp`` is private, but ``argmin f_i + Exp``, which public code of
DP-AGD computes, is not: an index whose loss is above k - 1 equal losses by `gap` wins with probability
e^(-(k - 1) gap epsilon / Delta) / k, which costs (k - 1) epsilon.

Not to be confused with the smallest noisy *value*, which must not be released.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.registry import Registry
from dpverify.core.rules import Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.discrete import DiscreteLaw
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.noisy_max import noisy_winners
from reference_impls.mechanisms.report_noisy_max import ReportNoisyMax

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMin(Checked):
    """Subject ``noisy-min``. Data sets: k losses, finite; outputs: int64 indices.

    Attributes
    ----------
    epsilon : float
        > 0.
    sensitivity : float
        Delta > 0, of each loss.
    """

    epsilon: Positive = 0.1
    sensitivity: Positive = 1.0

    @property
    def noise_scale(self) -> float:
        """Delta / epsilon, the Laplace b."""
        return self.sensitivity / self.epsilon

    def select(self, losses: ArrayLike, tape: Tape) -> int:
        """The index of the smallest noisy loss; each loss gets its own noise, and stays hidden."""
        noisy = [
            tape.perturb(
                "objective", loss, law="laplace", scale=self.noise_scale, sensitivity=self.sensitivity, released=False
            )[0]
            for loss in self.query(losses)
        ]
        return int(np.argmin(noisy))

    def query(self, dataset: Dataset) -> Float:
        """The losses, shape (k,)."""
        losses = np.asarray(dataset, dtype=np.float64)
        if losses.ndim != 1 or not losses.size or not np.isfinite(losses).all():
            raise InputError(f"losses of shape {losses.shape}", allowed="a vector of at least one finite number")
        return losses

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent indices, shape (size,)."""
        return noisy_winners(-self.query(dataset), self.noise_scale, "laplace", size, rng=rng)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """The exact law: that of report-noisy-max, whose noise scale is 2 / epsilon, on minus the losses."""
        return ReportNoisyMax(epsilon=2.0 / self.noise_scale).output_law(-self.query(dataset))

    def guarantee(self) -> PureDP:
        """What is claimed for losses that move in one direction."""
        return PureDP(epsilon=self.epsilon)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("noisy-min", NoisyMin)
