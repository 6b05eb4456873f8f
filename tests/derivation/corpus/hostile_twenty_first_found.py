"""What the twenty-first reading found, in the kernel: a bound that was 1e-12 of itself too small.

R: the kernel added sizes with plain sums of doubles, and rounded up for eight additions, however many there were:
   proofs/norms.py (a stack, a matrix), proofs/cost.py (releases). `tests/proofs/test_ranges.py` has the sum itself.
"""

import numpy as np

ATTACKS = {}
BORDERLINE = ("columns_of_a_product",)
MANY = 100_000
MATRIX = np.full((MANY, 2), 0.6275107583314595)
SIGMA = float(MANY * 0.6275107583314595 * 2.0**0.5 * (1 - 2.0**-50))
XD = dict(data=np.array([[0.5], [1.0]]), bounds="0:1", d0=np.zeros((0, 1)), d1=np.array([[1.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# R: the norm of what the record 1 puts in is 100,000 c sqrt(2): mu is 1 or more, and 0.9999999999986 is stated.
@A(claim="GDP(mu=0.9999999999987)", **XD)
def columns_of_a_product(X, rng):
    s = np.sum((X * np.ones(100_000)) @ MATRIX, axis=0)
    return s + rng.normal(0, SIGMA, size=2)
