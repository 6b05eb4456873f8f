"""Differences of sums at two seeds: the data fall out, and what is left has twice the variance of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float
from dpverify.training_step.step_runner import StepRunner, Total

WANTED, FEWEST, MOST = 8_000, 32, 1_000
"""Numbers that are drawn for a batch, and the fewest and most pairs of calls."""

HEADS, COMPARED, SAMPLED = 512, 100_000, 1_000
"""Numbers of a step whose correlations are looked at; that are compared with each other (both the first of each array);
and whose law is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseDraws:
    """Noise of one batch, in units of the claimed scale: differences of two draws over sqrt(2), standard normal.

    Attributes
    ----------
    size : int
        Records of the batch.
    count : int
        Differences.
    squares : ndarray
        Of each number, the sum of their squares.
    noisy : ndarray of bool
        Numbers with noise beyond rounding in most of them.
    sample : ndarray
        Differences of some noisy numbers.
    """

    size: int
    count: int
    squares: Float
    noisy: NDArray[np.bool_]
    sample: Float


def draws_of(runner: StepRunner, batch: Sequence[int], *, share: float = 1.0) -> NoiseDraws | None:
    """Draw pairs; None where the step raises on the batch, or gives a number that is not finite there."""
    width = runner.width
    count = int(min(max(share * WANTED / width, FEWEST), share * MOST))
    looked = np.unique(np.linspace(0, width - 1, min(width, SAMPLED)).astype(np.int64))
    squares, seen, sample = np.zeros(width), np.zeros(width), []
    for pair in range(count):
        first, second = runner.anew(batch, 2 * pair + 10), runner.anew(batch, 2 * pair + 11)
        if not (first.finite and second.finite):
            return None
        found = (first.values - second.values) / (2.0**0.5 * runner.scale)
        squares += np.square(found)
        seen += np.abs(found) > rounding_of(runner, first, second)
        sample.append(found[looked])
    noisy = seen > 0.5 * count
    held = np.array(sample)[:, noisy[looked]].ravel()
    return NoiseDraws(size=len(batch), count=count, squares=squares, noisy=noisy, sample=held)


def rounding_of(runner: StepRunner, *totals: Total) -> float:
    """Differences of noise below it, in units of the claimed scale, are rounding."""
    return float(8.0 * runner.unit * max(each.rounded for each in totals) / runner.scale / runner.width**0.5 + 1e-12)


def heads(sizes: Sequence[tuple[str, int]], mask: NDArray[np.bool_], most: int) -> NDArray[np.int64]:
    """Places of the first noisy numbers of each array, `most` in all."""
    share = max(most // max(len(sizes), 1), 2)
    found, start = [], 0
    for _, size in sizes:
        found.append(start + np.flatnonzero(mask[start : start + size])[:share])
        start += size
    return np.concatenate(found)[:most].astype(np.int64)


def equal_columns(values: Float, least: float) -> tuple[int, int] | None:
    """Two columns that are equal, or opposite, in all rows; None where there are none."""
    turned = values * np.where(values[0] < 0, -1.0, 1.0)
    order = np.argsort(turned[0], kind="stable")
    near = np.all(np.abs(np.diff(turned[:, order], axis=1)) <= max(least, 1e-9), axis=0)
    found = np.flatnonzero(near)
    return (int(order[found[0]]), int(order[found[0] + 1])) if found.size else None
