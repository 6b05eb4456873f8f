"""Scores on the bits of an output: a table of binades and last bits, their sum over coordinates, a regression on bits.

The table has cells by the output's binade, its distance from each side's centre, and its last set bit, and estimates
the log-likelihood ratio of each cell (Neyman and Pearson). A cell that one side cannot reach is found with few draws.
The regression follows DP-Sniper (Bichsel et al., S&P 2021; Delta-Siege, CCS 2023): it has weights on single bits, for
dependence on other bits than the last.

Every score is fixed before the draws on which its event is certified.

A double that is not 0 is an odd integer times 2^l; `last_bit` gives l. Doubles of one binade are the multiples of one
power of two, so q + noise, rounded, is a multiple of the coarser of the two steps of the noise's and the sum's binade.
The possible last bits at an output therefore depend on its distance from the answer (Mironov, "On Significance of the
Least Significant Bits for Differential Privacy", CCS 2012, section 4). Zeros (of either sign) get the lowest exponent
and the highest last bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditors.privacy.event.scores import sign
from auditors.privacy.outputs import Sample
from dpverify.core.subjects import Float

VIEWS = ("at", "from d0", "from d1")
"""Numbers whose binades define a cell: the output, and its distances from the two centres."""

FORMS: tuple[tuple[str, ...], ...] = (("at",), ("from d0", "from d1"), VIEWS)
"""Tables that are tried on each coordinate."""

MOST_COLUMNS = 16
MOST_ROWS = 2**15
"""Training rows a side of the regression."""

SHOWN = 8
"""Most cells of a table in the record."""


Codes = NDArray[np.int64]

LOWEST, HIGHEST = -1100, 1100
"""Beyond the exponents of all doubles, subnormal ones included."""

SIGNIFICAND = 52
"""Stored bits of a double's significand."""

_SPAN = HIGHEST - LOWEST + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LastBits:
    """A table on one coordinate: estimated log-likelihood ratio of each observed cell; 0 for all others."""

    column: int
    """The coordinate."""
    centres: tuple[float, float]
    """Approximate centres on d0 and d1; the event is valid for any choice."""
    views: tuple[str, ...]
    """The numbers whose binades define the cells, see `VIEWS`, each with its last bit."""
    codes: Codes
    ratios: Float
    """`codes`, `ratios`, shape (c,): cells, in order, and their scores."""
    parts: Codes
    """Shape (c, views + 1): the cells' binades and last bits."""
    counts: Codes
    """Shape (2, c): counts of each cell on d0 and d1 in the training draws."""

    @classmethod
    def learn(
        cls, sides: tuple[Sample, Sample], column: int, centres: tuple[float, float], views: tuple[str, ...]
    ) -> LastBits:
        """Learn the table from draws of d0 and d1."""
        found = [_parts(side.values, column, centres, views) for side in sides]
        codes, first, where = np.unique(
            np.concatenate([packed(*part) for part in found]), return_index=True, return_inverse=True
        )
        size = len(found[0][0])
        counts = np.stack([np.bincount(part, minlength=codes.size) for part in (where[:size], where[size:])])
        share = (counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 1.0)
        parts = np.stack([np.concatenate(pair) for pair in zip(*found, strict=True)], axis=1)[first]
        ratios = np.log(share[0]) - np.log(share[1])
        return cls(column=column, centres=centres, views=views, codes=codes, ratios=ratios, parts=parts, counts=counts)

    def __call__(self, values: NDArray[Any]) -> Float:
        """The ratio of each output's cell."""
        code = packed(*_parts(values, self.column, self.centres, self.views))
        place = np.minimum(np.searchsorted(self.codes, code), self.codes.size - 1)
        return np.where(self.codes[place] == code, self.ratios[place], 0.0)

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule, and its most important cell."""
        inside = (self.ratios > threshold) == above
        weight = np.where(inside, self.counts.max(axis=0), -1)
        best = self._cell(int(np.argmax(weight)))
        name = "output" if self.column == 0 else f"output[{self.column}]"
        return f"last-bit score of {name} {sign(above)} {threshold:.6g}, mostly {best}"

    def plain(self) -> dict[str, Any]:
        """Kind, centres and the most important cells; the audit with the same seed gives the whole table."""
        gap = np.abs(self.counts[0] - self.counts[1])
        order = np.argsort(-gap, kind="stable")[:SHOWN]
        return {
            "kind": "last bits",
            "column": self.column,
            "centres": list(self.centres),
            "views": list(self.views),
            "cells": int(self.codes.size),
            "telling": [[self._cell(int(i)), *self.counts[:, i].tolist()] for i in order],
        }

    def _cell(self, place: int) -> str:
        *binades, last = self.parts[place].tolist()
        where = ", ".join(f"{view} {binade_text(code)}" for view, code in zip(self.views, binades, strict=True))
        return f"{where} and last bit 2^{last}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Together:
    """The sum of tables over coordinates: the likelihood ratio where coordinates are independent."""

    tables: tuple[LastBits, ...]

    def __call__(self, values: NDArray[Any]) -> Float:
        """The sum."""
        total = np.zeros(len(values))
        for table in self.tables:
            total += table(values)
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """The event as a rule on the summed tables."""
        return f"last-bit scores of {len(self.tables)} coordinates, their sum {sign(above)} {threshold:.6g}"

    def plain(self) -> dict[str, Any]:
        """The tables."""
        return {"kind": "last bits together", "tables": [table.plain() for table in self.tables]}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BitWeights:
    """Logistic regression on the 52 bits of one coordinate's significand."""

    column: int
    weights: Float = field(repr=False)

    @classmethod
    def learn(cls, sides: tuple[Sample, Sample], column: int) -> BitWeights | None:
        """Learn the weights from draws of d0 and d1; None when no bit varies."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
        from threadpoolctl import threadpool_limits

        left, right = (bits(floats(side.values[:MOST_ROWS], column)) for side in sides)
        inputs, side = np.concatenate([left, right]), np.repeat([1, 0], [len(left), len(right)])
        varies = np.flatnonzero(inputs.min(axis=0) < inputs.max(axis=0))
        if varies.size == 0:
            return None
        with threadpool_limits(limits=1), warnings.catch_warnings():
            # Where both sides have equal counts of each bit, the solver stops at its first step and warns.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(solver="newton-cholesky", max_iter=100)
            model.fit(np.ascontiguousarray(inputs[:, varies], dtype=np.float64), side)
        weights = np.zeros(inputs.shape[1])
        weights[varies] = model.coef_[0]
        return cls(column=column, weights=weights)

    def __call__(self, values: NDArray[Any]) -> Float:
        """The weighted sum, bit by bit in a fixed order, so that it does not depend on threads."""
        words = np.ascontiguousarray(floats(values, self.column)).view(np.uint64)
        total = np.zeros(len(values))
        for place in np.flatnonzero(self.weights):
            total += self.weights[place] * ((words >> np.uint64(place)) & np.uint64(1))
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule, and the bit with the largest weight."""
        most = int(np.argmax(np.abs(self.weights)))
        return f"weighted bits {sign(above)} {threshold:.6g}, bit {most} of the significand weighing most"

    def plain(self) -> dict[str, Any]:
        """Kind and weights, lowest bit first."""
        return {"kind": "bit weights", "column": self.column, "weights": self.weights.tolist()}


def scores(
    sides: tuple[Sample, Sample], centres: Sequence[tuple[float, float]], *, thorough: bool
) -> list[LastBits | Together | BitWeights]:
    """The scores to try on these draws, with the `centres` of each coordinate; with `thorough`, also the regression."""
    columns = range(min(len(centres), MOST_COLUMNS))
    tables = [[LastBits.learn(sides, column, centres[column], views) for column in columns] for views in FORMS]
    found: list[LastBits | Together | BitWeights] = [table for form in tables for table in form]
    if len(columns) > 1:
        found += [Together(tables=tuple(form)) for form in tables]
    if thorough:
        found += [weights for column in columns if (weights := BitWeights.learn(sides, column)) is not None]
    return found


def _parts(
    values: NDArray[Any], column: int, centres: tuple[float, float], views: tuple[str, ...]
) -> tuple[Codes, ...]:
    x = floats(values, column)
    of = {"at": 0.0, "from d0": centres[0], "from d1": centres[1]}
    return (*(binade(x - of[view] if view != "at" else x) for view in views), last_bit(x))


def last_bit(values: ArrayLike) -> Codes:
    """The exponent l of the last set bit: the value is an odd integer times 2^l. Shape as given."""
    fraction, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    whole = np.ldexp(fraction, SIGNIFICAND + 1).astype(np.int64)
    zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(whole == 0, HIGHEST, exponent.astype(np.int64) - (SIGNIFICAND + 1) + zeros)


def binade(values: ArrayLike) -> Codes:
    """The e with 2^e <= abs(value) < 2^(e + 1), and the sign, as one code: 2 e, one more where the sign bit is set."""
    given = np.asarray(values, dtype=np.float64)
    fraction, exponent = np.frexp(given)
    power = np.where(fraction == 0, LOWEST, exponent.astype(np.int64) - 1)
    return 2 * power + np.signbit(given)


def packed(*codes: Codes) -> Codes:
    """Combine several codes of one value into one, which is equal only where all are. Up to five codes fit."""
    total = np.zeros_like(codes[0])
    for code in codes:
        total = total * (2 * _SPAN) + (code - 2 * LOWEST)
    return total


def bits(values: ArrayLike) -> NDArray[Any]:
    """The 52 stored bits of the significand, lowest first: uint8, shape (..., 52)."""
    words = np.ascontiguousarray(np.asarray(values, dtype=np.float64)).view(np.uint64)
    places = np.arange(SIGNIFICAND, dtype=np.uint64)
    return ((words[..., None] >> places) & np.uint64(1)).astype(np.uint8)


def binade_text(code: int) -> str:
    """``+[2^-3, 2^-2)``."""
    power, negative = code >> 1, code & 1
    sign = "-" if negative else "+"
    return f"{sign}0" if power == LOWEST else f"{sign}[2^{power}, 2^{power + 1})"


def floats(values: NDArray[Any], column: int) -> Float:
    """One coordinate of outputs of shape (m,) or (m, k)."""
    return np.asarray(values if values.ndim == 1 else values[:, column], dtype=np.float64)
