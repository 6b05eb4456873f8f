"""Limits for claims about several paired means: all, most or some of them lie above a margin, in each of some groups.

Each contrast is a mean of independent paired differences, tested by Student's t. That at least u of K contrasts hold is
tested by the partial conjunction of Benjamini and Heller 2008: the u-th smallest p-value times K - u + 1 (Bonferroni,
so whatever the dependence); u = K is the intersection-union test of Berger 1982, u = 1 is Bonferroni's. To refute the
same is to show that at least K - u + 1 of them fail. Which single contrasts fail is told by Holm 1979.

Assumption: means of the repetitions are close to normal. Limits err on the conservative side in the number of
contrasts, and on either side for few repetitions of skewed numbers. Draws that are all the same say nothing of how far
the mean is from them: their limits are infinite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpverify.core.subjects import Float

POWER = 0.8

SAME = 1e-9
"""Spread, as a share of the numbers, that is rounding: such differences are all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the contrasts say of the shortfall: the largest, over the groups, of the deciding contrast of each."""

    lower: float
    upper: float
    """`lower`, `upper`: one-sided confidence limits of the deciding shortfall, each at the whole level: a claim of at
    most m is refuted where ``lower > m`` and confirmed where ``upper < m``."""
    detectable: float
    """The excess over the margin that would have been refuted with 80 % power, of the deciding contrast that is least
    precisely known."""
    failing: tuple[int, ...]
    """Contrasts whose own shortfall exceeds the margin, by Holm at the whole level."""


def needed(quantifier: str, count: int) -> int:
    """How many of `count` contrasts must hold for ``every``, ``most`` (more than half), ``some``, ``all-but-one``."""
    return {"every": count, "most": count // 2 + 1, "some": 1, "all-but-one": max(count - 1, 1)}[quantifier]


def paired_limits(
    shortfalls: Sequence[Float],
    groups: Sequence[str],
    *,
    quantifier: str,
    margin: float,
    alpha: float,
    exact: bool = False,
    ratio: float = 0.0,
) -> Limits:
    """The limits of a claim.

    Parameters
    ----------
    shortfalls : sequence of float64, shape (n,)
        For each contrast, by how much each repetition falls short; n >= 2, all of one length.
    groups : sequence of str
        The group of each contrast.
    margin : float
        The largest mean shortfall that the claim allows.
    alpha : float
        Level: of refuting what holds, and of confirming what does not (only one of the two can be an error).
    exact : bool
        The shortfalls are computed, not drawn: their means are known without error.
    ratio : float
        Size of the test part over that of the training part, where repetitions are random splits of one table: errors
        are then those of the corrected resampled t of Nadeau and Bengio, Machine Learning 2003, equation (9), with
        1/n + ratio in the place of 1/n. 0 for independent repetitions.
    """
    sizes = np.array([each.size for each in shortfalls])
    means = np.array([each.mean() for each in shortfalls])
    errors = np.zeros(sizes.size) if exact else np.array([_error(each) for each in shortfalls])
    errors = errors * np.sqrt(1.0 + sizes * ratio)
    freedom = sizes - 1.0
    names = list(dict.fromkeys(groups))
    lower, upper, spread = -np.inf, -np.inf, 0.0
    for name in names:
        here = np.array([group == name for group in groups])
        count = int(here.sum())
        must = needed(quantifier, count)
        level = alpha / len(names) / must  # count - r + 1, for r = count - must + 1 that fail
        lows = means[here] - _above(level, freedom[here]) * errors[here]
        highs = means[here] + _above(alpha / (count - must + 1), freedom[here]) * errors[here]
        lower = max(lower, float(np.sort(lows)[::-1][count - must]))
        upper = max(upper, float(np.sort(highs)[must - 1]))
        reach = (_above(level, freedom[here]) + _above(1.0 - POWER, freedom[here])) * errors[here]
        spread = max(spread, float(np.sort(reach)[must - 1]))
    return Limits(lower=lower, upper=upper, detectable=spread, failing=holm(means, errors, freedom, margin, alpha))


def _above(level: float, freedom: Float) -> Float:
    """The quantile of Student's t that is exceeded with this probability."""
    return np.asarray(-special.stdtrit(freedom, level))


def _error(draws: Float) -> float:
    """Standard error of the mean; infinite where all draws are the same."""
    spread = float(draws.std(ddof=1))
    return spread / float(np.sqrt(draws.size)) if spread > SAME * float(np.abs(draws).max()) else math.inf


def holm(means: Float, errors: Float, freedom: Float, margin: float, alpha: float) -> tuple[int, ...]:
    """Places of the means that are above the margin, at a family-wise level alpha."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(errors > 0, special.stdtr(freedom, (margin - means) / errors), (means <= margin).astype(float))
    found = []
    for rank, place in enumerate(np.argsort(p, kind="stable")):
        if p[place] > alpha / (p.size - rank):
            break
        found.append(int(place))
    return tuple(sorted(found))
