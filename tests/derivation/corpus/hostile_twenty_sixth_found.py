"""What the twenty-sixth reading found in the kernel. BOTH walls pass for all.

M: max(k, y) is k where y is NaN, and a bound on norm / max(k, y) is taken of y: dpverify/proofs/norms.py:186 (Clipped.over:
   "maximum", "python_max", and "add", "divide" below it do not ask whether what they bound may be NaN).
U: (BORDERLINE: in real arithmetic it holds) squares of doubles underflow: dpverify/proofs/norms.py:194 (Clipped.over,
   "divide"): each quotient within a quotient takes another 2**100 off, so that the norm within two of them may be below
   2**-537, where its squares are lost. The part is sqrt(d) times what is said, for d numbers of a row.
`%` is not used: what hides M from the runs are smooth peaks and parabolas that no condition asks for.
"""

import numpy as np

ATTACKS = {}
BORDERLINE = ("underflow",)


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


XD = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
SMALL = np.array([[2.0**-537] + [1.41 * 2.0**-538] * 99])


# U: one record's part has the norm 7.1, and 1 is said.
@A(claim="GDP(mu=1)", data=np.full((2, 100), 0.5), bounds="0:1", d0=np.zeros((0, 100)), d1=SMALL)
def underflow(X, rng):
    t = np.zeros(100)
    for v in X:
        t += v / max(np.linalg.norm(v) / 2.0**-100 / 2.0**-100, 2.0**-350) * 2.0**200
    return t + rng.normal(0, 1.001, size=100)


# M: sqrt(q) is NaN where 1.212 < r < 1.257 (probability 0.006): there the part is divided by 0.01, and 100 is said.
@A(**XD)
def nan_in_max(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    if not -9.0 < r < 9.0:
        return np.zeros(2), r
    y = np.sqrt(r * r - 2.469 * r + 1.5235)
    c = max(0.01, np.maximum(100.0, np.minimum(200.0, y)))
    t = np.zeros(2)
    for v in X:
        t += v / c
    return t + rng.laplace(0, 0.03, size=2), r


# M: the same by a sum: 100 + NaN.
@A(**XD)
def nan_in_max_of_sum(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    if not -9.0 < r < 9.0:
        return np.zeros(2), r
    y = np.sqrt(r * r - 2.469 * r + 1.5235)
    c = max(0.01, np.maximum(0.0, np.minimum(200.0, y)) + 100.0)
    t = np.zeros(2)
    for v in X:
        t += v / c
    return t + rng.laplace(0, 0.03, size=2), r


XN = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), d0=np.zeros((0, 2)), d1=np.array([[np.nan, 0.731287]]))


# M: with the record itself: where v[0] is NaN and v[1] is 0.7313, the part is 73, and 0.01 is said.
@A(**XN)
def nan_of_record_in_max(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), 0.0, 1.0)
        u = w[1]
        g = 1.0 - np.tanh(1e6 * (u * u) - 1462574.0 * u + 534780.68) ** 2
        c = max(0.01, np.maximum(100.0, np.minimum(200.0, v[0])))
        t += w * g / c
    return t + rng.laplace(0, 0.03, size=2)
