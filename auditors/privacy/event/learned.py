"""A learned score of vector outputs: logistic regression on simple features of coordinates, with shrunken weights.

By Neyman and Pearson the most powerful events are level sets of the likelihood ratio, and a classifier of "d0 or d1"
learns this ratio (DP-Sniper, S&P 2021; Delta-Siege, CCS 2023). Coordinates, squares and frequent values give Gaussian
and discrete ratios; a coordinate clipped between the two medians is *the* ratio of Laplace noise, and the same on
neighbouring differences serves prefix sums. A frequent value (such as "not reached", "not released") is excluded from
the medians. Scores that were learned before (tables of whole blocks) are features like any other.

Evidence that is spread over many coordinates is lost in the estimation noise of many weights. So the weights of one
kind are shrunk towards 0, the more the less they vary compared with their standard errors (empirical Bayes: Efron and
Morris, JASA 1973). A second regression, on few scores and many draws, combines the learned score with plain sums over
all coordinates.

Limits: at most 64 coordinates, those whose first two moments differ most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from auditors.privacy.event.scores import Score, ScoresOf
from auditors.privacy.event.tables import common_values
from auditors.privacy.outputs import Sample
from dpverify.core.lazy_njit import njit
from dpverify.core.subjects import Float

MOST_COLUMNS = 64
MOST_ROWS, STACKED_ROWS = 2**17, 2**18
"""Training rows a side of the regression on features, and of the one on few scores."""

MOMENT_ROWS = 2**16
"""Rows a side for ranking coordinates."""

_BLOCK = 1024
FEWEST_ASIDE = 200
TINY = 1e-8


PIECE = 2**13
"""Rows whose features are computed together; so many fit into the processor's cache."""

MOST_KEPT = 2**25
"""Most numbers that are kept between the steps; otherwise features are computed again in each step."""

STEPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A function of one coordinate, or of a coordinate's difference from the one before."""

    name: str
    """``x``, ``square``, ``is`` (1 where x = low), ``clip`` (to [low, high]) or ``step`` (the difference, clipped)."""
    column: int
    low: float = 0.0
    high: float = 0.0
    aside: tuple[float, ...] = ()
    """Values of x that a clipped feature maps to the middle of its range."""

    def __call__(self, values: NDArray[Any]) -> Float:
        """The feature of each output, shape (m,)."""
        x = np.asarray(values[:, self.column], dtype=np.float64)
        if self.name == "square":
            return x * x
        if self.name == "is":
            return np.asarray(x == self.low, dtype=np.float64)
        if self.name == "x":
            return x
        clipped = np.clip(x - values[:, self.column - 1] if self.name == "step" else x, self.low, self.high)
        for value in self.aside:
            clipped[x == value] = 0.5 * (self.low + self.high)
        return np.asarray(clipped, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """A weighted sum of features and other scores, added in a fixed order so that it does not depend on threads."""

    features: tuple[Feature, ...]
    weights: tuple[float, ...]
    scores: tuple[Score, ...] = ()
    _own: tuple[NDArray[Any], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay the features out for the kernel, once for all outputs."""
        own = *_laid_out(self.features), np.array(self.weights[: len(self.features)])
        object.__setattr__(self, "_own", own)

    def __call__(self, values: NDArray[Any]) -> Float:
        """The sum."""
        return self.given(values, lambda score: score(values))

    def given(self, values: NDArray[Any], of: ScoresOf) -> Float:
        """The sum, with the values of the other scores from `of`."""
        total = np.zeros(len(values))
        if self.features:
            _add_features(np.ascontiguousarray(values.T), *self._own, total)
        for score, weight in zip(self.scores, self.weights[len(self.features) :], strict=True):
            total += weight * of(score)
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; the record contains its weights."""
        size = len(self.features) + len(self.scores)
        return f"logistic regression score ({size} features) {'>' if above else '<='} {threshold:.9g}"

    def plain(self) -> dict[str, Any]:
        """Kind, features and weights in full: the score can be computed again."""
        return {
            "kind": "linear",
            "features": [[f.name, f.column, f.low, f.high, list(f.aside)] for f in self.features],
            "scores": [score.plain() for score in self.scores],
            "weights": list(self.weights),
        }


KINDS = ("x", "square", "is", "clip", "step")
MOST_ASIDE = 3


def _laid_out(features: Sequence[Feature]) -> tuple[NDArray[np.int64], NDArray[np.int64], Float, Float, Float]:
    """Kinds, columns, lows, highs and values aside (NaN where there are fewer), for the kernel."""
    aside = np.full((len(features), MOST_ASIDE), np.nan)
    for i, feature in enumerate(features):
        aside[i, : len(feature.aside)] = feature.aside
    return (
        np.array([KINDS.index(feature.name) for feature in features]),
        np.array([feature.column for feature in features]),
        np.array([feature.low for feature in features]),
        np.array([feature.high for feature in features]),
        aside,
    )


@njit(cache=True, nogil=True)
def _add_features(
    rows: NDArray[Any],
    kinds: NDArray[np.int64],
    columns: NDArray[np.int64],
    lows: Float,
    highs: Float,
    aside: Float,
    weights: Float,
    total: Float,
) -> None:
    """Add each feature (`Feature.__call__`) times its weight, block by block of outputs; `rows`, shape (k, m)."""
    for start in range(0, total.size, _BLOCK):
        sums = total[start : start + _BLOCK]
        for f in range(kinds.size):
            kind, column, weight = kinds[f], columns[f], weights[f]
            low, high, middle = lows[f], highs[f], 0.5 * (lows[f] + highs[f])
            first, second, third = aside[f, 0], aside[f, 1], aside[f, 2]
            values = rows[column][start : start + _BLOCK]
            if kind == 0:
                for i in range(sums.size):
                    sums[i] += weight * values[i]
            elif kind == 1:
                for i in range(sums.size):
                    x = float(values[i])
                    sums[i] += weight * (x * x)
            elif kind == 2:
                for i in range(sums.size):
                    sums[i] += weight * (values[i] == low)
            elif kind == 3:
                for i in range(sums.size):
                    x = float(values[i])
                    apart = (x == first) | (x == second) | (x == third)
                    clipped = low if low > x else high if high < x else x
                    sums[i] += weight * (middle if apart else clipped)
            else:
                before = rows[column - 1][start : start + _BLOCK]
                for i in range(sums.size):
                    x = float(values[i])
                    apart = (x == first) | (x == second) | (x == third)
                    moved = x - before[i]
                    clipped = low if low > moved else high if high < moved else moved
                    sums[i] += weight * (middle if apart else clipped)


def telling_columns(first: Sample, second: Sample, limit: int) -> tuple[int, ...]:
    """The coordinates whose means or squares differ most between the sides (in standard errors), sorted by index."""
    return most_telling_columns(first, second, limit)[0]


def most_telling_columns(first: Sample, second: Sample, *limits: int) -> list[tuple[int, ...]]:
    """The same for several limits, from one ranking."""
    order = _telling_order(first, second) if first.width > min(limits) else list(range(first.width))
    return [tuple(sorted(order[:limit])) for limit in limits]


def _telling_order(first: Sample, second: Sample) -> list[int]:
    """All coordinates, the most telling first."""
    gap = np.zeros(first.width)
    sides = [np.asarray(side.values[:MOMENT_ROWS], dtype=np.float64) for side in (first, second)]
    for power in (1, 2):
        left, right = sides if power == 1 else (side * side for side in sides)
        centre = left.mean(axis=0)
        means, variances = zip(*(_moments(side - centre) for side in (left, right)), strict=True)
        spread, difference = np.sqrt(variances[0] + variances[1]), np.abs(means[0] - means[1])
        gap = np.maximum(gap, np.where(spread > 0, difference / np.where(spread > 0, spread, 1.0), difference * 1e9))
    return list(np.argsort(-gap, kind="stable").tolist())


def _moments(values: Float) -> tuple[Float, Float]:
    """Means and variances of the columns, in one pass each."""
    mean = values.mean(axis=0)
    return mean, np.maximum(np.einsum("ij,ij->j", values, values) / len(values) - mean * mean, 0.0)


def linear(first: Sample, second: Sample, scores: Sequence[Score] = ()) -> Linear | None:
    """Logistic regression on features of both samples' outputs and on `scores`; None when all are constant."""
    return _regression(first.head(MOST_ROWS), second.head(MOST_ROWS), [*_features(first, second), *scores])


def stacked(first: Sample, second: Sample, scores: Sequence[Score]) -> Linear | None:
    """Logistic regression on few scores, with more draws than those that they were learned from, where available."""
    later = [
        Sample(values=side.values[MOST_ROWS:], weights=None, size=side.size - MOST_ROWS)
        if side.size >= 2 * MOST_ROWS
        else side
        for side in (first, second)
    ]
    return _regression(later[0].head(STACKED_ROWS), later[1].head(STACKED_ROWS), list(scores))


def _regression(first: Sample, second: Sample, parts: list[Any]) -> Linear | None:
    sides = first.values, second.values
    glance = np.stack([part(np.concatenate([side[:PIECE] for side in sides])) for part in parts])
    centres, spreads = glance.mean(axis=1), glance.std(axis=1)
    kept = np.flatnonzero(spreads > TINY * np.maximum(np.abs(centres), 1e-300))
    if kept.size == 0:
        return None
    parts, centres, spreads = [parts[i] for i in kept], centres[kept], spreads[kept]
    weights, information = fit(parts, centres, spreads, sides)
    kinds = [part.name if isinstance(part, Feature) else "" for part in parts]
    weights = shrunk(weights, information, kinds) / spreads
    own = [i for i, part in enumerate(parts) if isinstance(part, Feature)]
    return Linear(
        features=tuple(part for part in parts if isinstance(part, Feature)),
        scores=tuple(part for part in parts if not isinstance(part, Feature)),
        weights=tuple(weights[own].tolist()) + tuple(np.delete(weights, own).tolist()),
    )


def _features(first: Sample, second: Sample) -> list[Feature]:
    found: list[Feature] = []
    columns = telling_columns(first, second, MOST_COLUMNS)
    for column in columns:
        found += [Feature(name="x", column=column), Feature(name="square", column=column)]
        common = tuple(float(value) for value in common_values(first, second, column))
        found += [Feature(name="is", column=column, low=value) for value in common]
        for name in ("clip", "step") if column - 1 in columns else ("clip",):
            medians = [_median(side, column, name == "step", common) for side in (first, second)]
            if medians[0] is not None and medians[1] is not None and medians[0] != medians[1]:
                low, high = sorted((medians[0], medians[1]))
                found.append(Feature(name=name, column=column, low=low, high=high, aside=common))
    return found


def _median(side: Sample, column: int, step: bool, aside: tuple[float, ...]) -> float | None:
    """Median of a coordinate, or of its difference from the previous one, without the values `aside`."""
    x = np.asarray(side.column(column)[:MOST_ROWS], dtype=np.float64)
    kept = np.flatnonzero(~np.isin(x, aside)) if aside else slice(None)
    values = (x - side.column(column - 1)[:MOST_ROWS] if step else x)[kept]
    return float(np.median(values)) if values.size >= FEWEST_ASIDE else None


def fit(
    parts: Sequence[Any], centres: Float, spreads: Float, sides: tuple[NDArray[Any], NDArray[Any]]
) -> tuple[Float, Float]:
    """Weights of the standardised features without the constant, and their information matrix."""
    k = len(parts)
    weights, information = np.zeros(k + 1), np.eye(k + 1)
    kept: dict[tuple[float, int], Float] = {}
    room = k * sum(map(len, sides)) <= MOST_KEPT
    for step in range(STEPS):
        information, miss = np.eye(k + 1), -weights  # a normal prior of spread 1: features may repeat one another
        for target, values in ((1.0, sides[0]), (0.0, sides[1])):
            for start in range(0, len(values), PIECE):
                x = kept[target, start] if step and room else _standardised(parts, centres, spreads, values, start)
                if room:
                    kept[target, start] = x
                share = special.expit(weights @ x)
                information += (x * (share * (1.0 - share))) @ x.T
                miss += x @ (target - share)
        change = np.linalg.solve(information, miss)
        weights = weights + change
        if step and float(np.abs(change).max()) < 1e-3 * float(np.abs(weights).max()):
            break
    inverse = np.linalg.inv(information)[:k, :k]
    return weights[:k], np.linalg.inv(inverse)


def _standardised(parts: Sequence[Any], centres: Float, spreads: Float, values: NDArray[Any], start: int) -> Float:
    """The features of a piece, and a constant."""
    k, piece = len(parts), values[start : start + PIECE]
    x = np.empty((k + 1, len(piece)))
    for i, part in enumerate(parts):
        x[i] = part(piece)
    x[:k] = np.clip((x[:k] - centres[:, None]) / spreads[:, None], -50.0, 50.0)
    x[k] = 1.0
    return x


def shrunk(weights: Float, information: Float, kinds: list[str]) -> Float:
    """Shrink the weights of each kind towards 0, the more the less they vary compared with their standard errors.

    Weights without a kind are unchanged.
    """
    noise, penalty = np.diag(np.linalg.inv(information)), np.zeros(weights.size)
    for kind in filter(None, dict.fromkeys(kinds)):
        of = np.flatnonzero([one == kind for one in kinds])
        scatter = float(np.mean(weights[of] ** 2 - noise[of]))
        penalty[of] = 1.0 / max(scatter, 1e-4 * float(noise[of].mean()))
    return np.asarray(np.linalg.solve(information + np.diag(penalty), information @ weights), dtype=np.float64)
