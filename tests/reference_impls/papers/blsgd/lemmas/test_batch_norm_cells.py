"""Masses of cells: against scipy.stats and in balls around exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy import stats

from dpverify.laws.balls import at_working_precision
from reference_impls.papers.blsgd.lemmas.batch_norm_cells import (
    TAIL,
    binomial,
    binomial_balls,
    chi_square_balls,
    chi_square_cells,
    normal_balls,
    normal_cells,
)

EDGES = np.array([-37.0, -3.0, -0.1, 0.2, 4.0, 36.0])


def test_a_small_binomial_is_whole():
    sizes, weights, left_out = binomial(12, 0.3)
    assert sizes.tolist() == list(range(13))
    assert left_out == 0.0
    assert weights == pytest.approx(stats.binom.pmf(sizes, 12, 0.3), rel=1e-12, abs=0.0)


def test_a_large_binomial_leaves_out_no_more_than_it_says():
    sizes, weights, left_out = binomial(48842, 0.1)
    assert 0 < sizes[0] < sizes[-1] < 48842
    assert weights == pytest.approx(stats.binom.pmf(sizes, 48842, 0.1), rel=1e-8, abs=0.0)
    outside = stats.binom.cdf(sizes[0] - 1, 48842, 0.1) + stats.binom.sf(sizes[-1], 48842, 0.1)
    assert outside <= left_out == TAIL


@pytest.mark.parametrize("first", [0, 3])
def test_binomial_balls_enclose_fractions(first):
    @at_working_precision
    def found() -> list[flint.arb]:
        return binomial_balls(9, 0.25, np.arange(float(first), 8.0))

    exact = [math.comb(9, k) * Fraction(1, 4) ** k * Fraction(3, 4) ** (9 - k) for k in range(first, 8)]
    assert len(found()) == len(exact)
    for ball, value in zip(found(), exact, strict=True):
        assert flint.fmpq(value.numerator, value.denominator) in ball
        assert ball.rel_accuracy_bits() > 60


def test_normal_cells_keep_their_digits_in_both_tails():
    """By symmetry the cells of the mirrored edges are these, the other way round."""
    masses = normal_cells(EDGES)
    assert masses[0] == pytest.approx(stats.norm.sf(37.0), rel=1e-12, abs=0.0)
    assert masses[-1] == pytest.approx(stats.norm.sf(36.0), rel=1e-12, abs=0.0)
    assert masses[-2] == pytest.approx(stats.norm.sf(4.0), rel=1e-12, abs=0.0)
    assert masses.sum() == pytest.approx(1.0, rel=1e-14, abs=0.0)
    assert normal_cells(-EDGES[::-1]) == pytest.approx(masses[::-1], rel=1e-13, abs=0.0)


@pytest.mark.parametrize("free", [1, 2, 123])
def test_chi_square_cells_are_differences_of_tails(free):
    edges = stats.chi2.isf([0.999, 0.5, 0.1, 1e-30], free)
    masses = chi_square_cells(free, edges)
    assert masses == pytest.approx([0.001, 0.499, 0.4, 0.1, 1e-30], rel=1e-9, abs=0.0)


def test_a_row_of_edges_gives_a_row_of_cells():
    rows = np.stack([EDGES, 2 * EDGES])
    assert normal_cells(rows).shape == (2, 7)
    assert np.array_equal(normal_cells(rows)[1], normal_cells(2 * EDGES))


@pytest.mark.parametrize("free", [1, 2, 123])
def test_balls_hold_what_doubles_round(free):
    @at_working_precision
    def found(edges: np.ndarray) -> tuple[list[flint.arb], list[flint.arb]]:
        places = [flint.arb(edge) for edge in edges.tolist()]
        return normal_balls(places), chi_square_balls(free, places)

    edges = np.array([0.5, 1.0, 90.0, 130.0])
    for balls, masses in zip(found(edges), (normal_cells(edges), chi_square_cells(free, edges)), strict=True):
        assert [float(ball) for ball in balls] == pytest.approx(masses.tolist(), rel=1e-10, abs=0.0)
        assert 1 in sum(balls, flint.arb(0))


def test_without_edges_there_is_one_cell_in_balls():
    assert [float(ball) for ball in (*normal_balls([]), *chi_square_balls(3, []))] == [1.0, 1.0]
