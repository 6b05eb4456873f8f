"""Differences of sums at two seeds: the data fall out, and what is left has twice the variance of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float
from dpverify.training_step.step_runner import StepRunner

WANTED, FEWEST, MOST = 8_000, 32, 1_000
"""Numbers that are drawn for a batch, and the fewest and most pairs of calls."""

HEADS = 512
"""Numbers of a step whose correlations are looked at: the first of each array."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseDraws:
    """Noise of one batch, in units of the claimed scale.

    Attributes
    ----------
    size : int
        Records of the batch.
    pairs : ndarray of shape (pairs, numbers)
        Differences of two draws over sqrt(2): standard normal as claimed.
    least : float
        Differences below it are rounding.
    """

    size: int
    pairs: Float
    least: float

    @property
    def noisy(self) -> NDArray[np.bool_]:
        """Numbers with noise in most pairs."""
        found: NDArray[np.bool_] = np.mean(np.abs(self.pairs) > self.least, axis=0) > 0.5
        return found

    def squares(self, mask: NDArray[np.bool_]) -> Float:
        """Sums of squares, of each number that the mask has."""
        found: Float = np.sum(np.square(self.pairs[:, mask]), axis=0)
        return found


def draws_of(runner: StepRunner, batch: Sequence[int], *, share: float = 1.0) -> NoiseDraws | None:
    """Draw pairs; None where the step raises on the batch, or gives a number that is not finite there."""
    count = int(min(max(share * WANTED / runner.width, FEWEST), share * MOST))
    found, rounded = [], 0.0
    for pair in range(count):
        first, second = runner.anew(batch, 2 * pair + 10), runner.anew(batch, 2 * pair + 11)
        if not (first.finite and second.finite):
            return None
        found.append((first.values - second.values) / (2.0**0.5 * runner.scale))
        rounded = max(rounded, first.rounded, second.rounded)
    width = len(found[0])
    return NoiseDraws(
        size=len(batch), pairs=np.array(found), least=8.0 * runner.unit * rounded / runner.scale / width**0.5 + 1e-12
    )


def heads(sizes: Sequence[tuple[str, int]], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Places of the first noisy numbers of each array, `HEADS` in all."""
    share = max(HEADS // max(len(sizes), 1), 2)
    found, start = [], 0
    for _, size in sizes:
        found.append(start + np.flatnonzero(mask[start : start + size])[:share])
        start += size
    return np.concatenate(found)[:HEADS].astype(np.int64)


def equal_columns(values: Float, least: float) -> tuple[int, int] | None:
    """Two columns that are equal, or opposite, in all rows; None where there are none."""
    turned = values * np.where(values[0] < 0, -1.0, 1.0)
    order = np.argsort(turned[0], kind="stable")
    near = np.all(np.abs(np.diff(turned[:, order], axis=1)) <= max(least, 1e-9), axis=0)
    found = np.flatnonzero(near)
    return (int(order[found[0]]), int(order[found[0] + 1])) if found.size else None
