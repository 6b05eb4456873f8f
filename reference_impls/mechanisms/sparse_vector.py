"""The sparse vector technique as one kernel: Lyu, Su and Li's Algorithms 1 to 6 differ in numbers only.

M. Lyu, D. Su, N. Li, "Understanding the Sparse Vector Technique for Differential Privacy", PVLDB 10(6), 2017,
Figure 1. A noisy threshold is drawn; each query in turn gets noise and is answered "above" (1) or "below" (0),
until `cutoff` were above; queries that were not reached are marked 2. What a variant draws and releases is its
:class:`Recipe`.

Encodings. Answers only: float64, shape (size, m). With values: shape (size, 2 m), first the answers, then the
value released with each "above" (0 elsewhere). As counts: outcome sum_i 2^i [answer i is above], which tells
all answers, since a run ends at its cutoff-th "above" or goes through.

Exact laws: of the answers at cutoff 1 (:class:`AnswerVector`); of the first "above" and what went out with it, in bins,
at any cutoff (:class:`ValueVector`). Not to be confused with AboveThreshold as a stopping index
(`above_threshold.py`), the case cutoff = 1.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.rules import Count, Finite
from dpverify.core.subjects import Dataset
from dpverify.laws.first_hit import Branch, FirstHitLaw
from dpverify.laws.stopping import StoppingLaw
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import laplace
from reference_impls.mechanisms.inputs import Float, Integer, query_vector
from reference_impls.mechanisms.noise_scale import EpsilonScaled

MOST_COUNTED = 12
"""Most queries whose answers are counted: 2^12 outcomes."""

BIN_EDGES = (-8.0, -4.0, -2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Where the bins of released values end, from the public threshold, in scales of the noise that is released."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The numbers that make one sparse-vector variant.

    Attributes
    ----------
    threshold_scale, query_scale : float
        Laplace scales of the threshold and of each query; a query scale of 0 adds no noise (Algorithm 5).
    cutoff : int or None
        How many "above" end the run; None: it goes through all queries.
    redraw_scale : float
        Scale of the fresh threshold noise after each "above"; 0 keeps the first (all but Algorithm 2).
    release : "nothing", "compared" or "fresh"
        What goes out with an "above": nothing, the noisy query that was compared, or the query with fresh noise.
    fresh_scale : float
        Scale of that fresh noise.
    """

    threshold_scale: float
    query_scale: float
    cutoff: int | None
    redraw_scale: float = 0.0
    release: Literal["nothing", "compared", "fresh"] = "nothing"
    fresh_scale: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector(EpsilonScaled):
    """A variant for queries of sensitivity 1; data sets are vectors of m query answers (relation ``all-queries``).

    Attributes
    ----------
    threshold : float
        Public threshold T, in the queries' units.
    cutoff : int
        c, at least 1; variants without a cutoff ignore it.
    """

    threshold: Finite = 1.0
    cutoff: Count = 1

    @abstractmethod
    def recipe(self) -> Recipe:
        """What this variant draws and releases."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs: shape (size, m), or (size, 2 m) for variants that release values."""
        queries = query_vector(dataset)
        out = np.empty((size, queries.size * (1 if self.recipe().release == "nothing" else 2)), order="F")
        self.write(out, 0, queries, rng=rng)
        return out

    def write(self, out: Float, first: int, queries: Float, *, rng: np.random.Generator) -> None:
        """Write an output into each row of `out`, float64 in columns (order F), from column `first` on."""
        recipe = self.recipe()
        _fill(
            out,
            first,
            queries - self.threshold,
            queries,
            recipe.threshold_scale,
            recipe.query_scale,
            recipe.redraw_scale,
            queries.size if recipe.cutoff is None else recipe.cutoff,
            recipe.release != "nothing",
            recipe.release == "fresh",
            recipe.fresh_scale,
            *state_from(rng),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedAnswers(SparseVector):
    """A variant that releases answers only: as counts too, 2^m outcomes for m queries."""

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each vector of answers came, shape (2^m,); InputError for m > 12."""
        queries = query_vector(dataset)
        if queries.size > MOST_COUNTED:
            raise InputError(
                f"counts of {queries.size} answers", allowed=f"at most {MOST_COUNTED}", remedy="use `sample` instead"
            )
        recipe = self.recipe()
        histogram = np.zeros(2**queries.size, dtype=np.int64)
        scales = recipe.threshold_scale, recipe.query_scale, recipe.redraw_scale
        cutoff = queries.size if recipe.cutoff is None else recipe.cutoff
        _count(histogram, size, queries - self.threshold, *scales, cutoff, recipe.release == "fresh", *state_from(rng))
        return histogram


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerVector(CountedAnswers):
    """A variant with a cutoff that releases answers only: they are known exactly where one "above" ends the run."""

    def output_law(self, dataset: Dataset) -> StoppingLaw:
        """The law of the answers, that is of the place of the one "above"; UnsupportedError unless the cutoff is 1."""
        if self.cutoff != 1:
            raise UnsupportedError(f"no exact law of the answers at cutoff {self.cutoff}: there is one at cutoff 1")
        recipe = self.recipe()
        return StoppingLaw(
            noise="laplace",
            threshold_scale=recipe.threshold_scale,
            query_scale=recipe.query_scale,
            levels=query_vector(dataset) - self.threshold,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueVector(SparseVector):
    """A variant that releases a value with each "above": what is known exactly is the first of them, in bins."""

    def output_law(self, dataset: Dataset) -> FirstHitLaw:
        """The law of the first "above" and of its value's bin: divergences are **lower bounds** on those of the output.

        At cutoff 1, with noise drawn anew and all answers between the outer edges, pure epsilon is the output's own:
        there the two outer bins have the largest ratio of the values' densities.
        """
        recipe = self.recipe()
        if recipe.release == "fresh":
            edges = tuple(edge * recipe.fresh_scale for edge in BIN_EDGES)
            branch = Branch(scale=recipe.query_scale, release="fresh", edges=edges, fresh_scale=recipe.fresh_scale)
        else:
            edges = tuple(edge * recipe.query_scale for edge in BIN_EDGES)
            branch = Branch(scale=recipe.query_scale, release="value", edges=edges)
        levels = query_vector(dataset) - self.threshold
        return FirstHitLaw(threshold_scale=recipe.threshold_scale, levels=levels, branches=(branch,))


@njit(cache=True, nogil=True)
def _fill(
    out: Float,
    first: int,
    levels: Float,
    queries: Float,
    threshold_scale: float,
    query_scale: float,
    redraw_scale: float,
    cutoff: int,
    release: bool,
    fresh: bool,
    fresh_scale: float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Write an output into each row of `out`."""
    m = levels.size
    for trial in range(out.shape[0]):
        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
        threshold = threshold_scale * draw
        found = 0
        for i in range(m):
            answer, value = 0.0, 0.0
            if found == cutoff:
                answer = 2.0
            else:
                noise = 0.0
                if query_scale > 0.0:
                    draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                    noise = query_scale * draw
                if levels[i] + noise >= threshold:
                    answer = 1.0
                    found += 1
                    if fresh:
                        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                        noise = fresh_scale * draw
                    value = queries[i] + noise
                    if redraw_scale > 0.0:
                        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                        threshold = redraw_scale * draw
            out[trial, first + i] = answer
            if release:
                out[trial, first + m + i] = value


@njit(cache=True, nogil=True)
def _count(
    histogram: Integer,
    size: int,
    levels: Float,
    threshold_scale: float,
    query_scale: float,
    redraw_scale: float,
    cutoff: int,
    fresh: bool,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Add the answers of `size` runs to the histogram; the draws, and their order, are those of `_fill`."""
    m = levels.size
    # No answer changes what comes after it: no branch has to be guessed.
    through = cutoff >= m and redraw_scale == 0.0 and not fresh
    for _ in range(size):
        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
        threshold = threshold_scale * draw
        code = 0
        if through and query_scale > 0.0:
            for i in range(m):
                draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                code |= int(levels[i] + query_scale * draw >= threshold) << i
        elif through:
            for i in range(m):
                code |= int(levels[i] >= threshold) << i
        else:
            found = 0
            for i in range(m):
                noise = 0.0
                if query_scale > 0.0:
                    draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                    noise = query_scale * draw
                if levels[i] + noise >= threshold:
                    code |= 1 << i
                    found += 1
                    if fresh:
                        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                    if redraw_scale > 0.0:
                        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                        threshold = redraw_scale * draw
                    if found == cutoff:
                        break
        histogram[code] += 1
