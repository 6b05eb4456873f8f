"""Accounts whose numbers are theorems: losses enclosed in balls, integers from there on, and a file that is checked.

The cost of a pair (P, Q) at x = e^epsilon is H(x) = sup over events S of P(S) - x Q(S): convex, falling, H(0) = 1. That
of two pairs is E_P2 H_1(x / ratio_2), so whatever is above (below) each step's H for all x >= 0 is above (below) the
whole's, factor by factor (:mod:`~dpverify.accounting.loss_grid`). Masses m_i at losses log x_i and m at infinity have
G(x) = m + sum m_i (1 - x / x_i)_+, piecewise linear with its knots at x_i, which are powers of a rational.

- Upper side: G is H at the knots, rounded up (chords of a convex function); the mass left of the first knot moves up to
  it, what lies beyond the last is infinite.
- Lower side: knots between the points of touch of tangents; a tangent is the line P(S) - x Q(S) of an event S, P
  rounded down and Q up, below H whatever S is; G is at most the lower of the two lines that meet at a knot, and the
  hull of these.

Masses are integers over 2^bits, rounded to their side; their products are exact (``fmpz_poly``), rounded and cut to
their side after each. Assumption: each step's pair dominates it, an axiom with its source (``axioms``); the composition
is a fixed multiset of steps, in any order, whose queries may depend on earlier answers, their numbers not; it may be
stopped at any time, since a shorter one costs less. The lower end holds where data sets attain the pairs.

Not to be confused with the accountant ``pld``, whose error bounds are those of floating point, carried by hand.
"""
