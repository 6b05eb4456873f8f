"""Attacks of the fourteenth reading that stop, or whose proofs are true (`TRUE`)."""

import math

import numpy as np

ATTACKS = {}
TRUE = ("random_zero_columns", "half_of_columns", "wide_group")
ONLY_RULES = ("rows_beside_none",)
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
X1 = dict(data=np.array([[0.5], [1.0]]), bounds="0:1", d0=np.zeros((0, 1)), d1=np.array([[1.0]]))
X2 = dict(data=np.array([[0.5, 1.0], [1.0, 0.2]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# a constant of shape (0, 3) beside rows: with two records numpy raises (the rules alone take it)
@A(**X1)
def rows_beside_none(X, rng):
    return float(np.sum(X * np.ones((0, 3)))) + rng.laplace(0, 1.0)


# arrays of no dimensions
@A(**FD)
def no_dimensions(x, rng):
    t = np.zeros(())
    t += np.sum(x)
    return t + rng.laplace(0, 1.001)


# columns that are none
@A(**X2)
def random_zero_columns(X, rng):
    none = np.sum(X[:, 2:2], axis=0)
    return np.sum(X[:, 0]) + rng.laplace(0, 1.001), none.shape[0]


# the square of one number is not taken
@A("GDP(mu=1)", **FD)
def one_small_number(x, rng):
    return np.sum(x) * 1e-200 + rng.normal(0, 1e-203)


# scales of an array: what is divided is not small
@A("GDP(mu=1)", **X2)
def small_scales(X, rng):
    return np.sum(X, axis=0) * 1e-200 + rng.normal(0, np.array([1e-203, 1e-203]))


# elementwise products are widened where they underflow
@A(**FD)
def product_underflows(x, rng):
    return np.sum(x * 1e-200 * 1e-200 * 1e300 * 1e300) + rng.laplace(0, 1.0)


# an iterator of what changes
@A(**LD)
def changed_while_zipped(xs, rng):
    scales = [1.001, 1.001]
    out = []
    for a, b in zip(scales, scales):
        scales[1] = 1e-6
        out.append(sum(xs) + rng.laplace(0, a + b))
    return out


# one draw in two places of a reversed array
@A(**X2)
def noise_reversed(X, rng):
    s = np.sum(X, axis=0)
    noise = rng.laplace(0, 4.0, size=2)
    return s + noise, s + noise[::-1]


# one draw for a row and a column
@A(**X2)
def noise_in_a_square(X, rng):
    s = np.sum(X, axis=0)
    return s[:, None] + s[None, :] + rng.laplace(0, 8.0, size=2)


# a condition among conditions
@A(**FD)
def chained_condition(x, rng):
    g = rng.geometric(0.4)
    scale = 1.001 if (rng.random() < (g >= 2) < 3) else 2.0
    return np.sum(x) + rng.laplace(0, scale)


# halves of the columns of one record
@A("GDP(mu=1)", **X2)
def half_of_columns(X, rng):
    n = np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    y = X / n
    return np.sum(y[:, ::-1] + y, axis=0) + rng.normal(0, 2.0, size=2)


# a vector over the norm of another
@A("GDP(mu=1)", **X2)
def norm_of_another(X, rng):
    y = X * 3.0
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(y / np.maximum(n, 0.01), axis=0) + rng.normal(0, 1.0, size=2)


# a norm that is multiplied back
@A("GDP(mu=1)", **X2)
def norm_twice(X, rng):
    n = np.linalg.norm(X * 100.0, axis=1, keepdims=True)
    return np.sum(X * 100.0 / np.maximum(n, 1.0) * n, axis=0) + rng.normal(0, 1.0, size=2)


# noise for one user of three records
@A(
    "GDP(mu=1)",
    data={"u": ["a", "b"], "x": np.array([0.5, 1.0])},
    bounds="x=0:1",
    unit="u",
    most_per_unit=3,
    d0={"u": [], "x": np.array([])},
    d1={"u": ["a"] * 3, "x": np.ones(3)},
)
def wide_group(d, rng):
    return np.sum(d["x"]) + rng.normal(0, 3.001)


# the same, with noise for two
@A(
    "GDP(mu=1)",
    data={"u": ["a", "b"], "x": np.array([0.5, 1.0])},
    bounds="x=0:1",
    unit="u",
    most_per_unit=3,
    d0={"u": [], "x": np.array([])},
    d1={"u": ["a"] * 3, "x": np.ones(3)},
)
def narrow_group(d, rng):
    return np.sum(d["x"]) + rng.normal(0, 2.0)


# a method of a list that is gone through later
@A(**LD)
def appended_while_enumerated(xs, rng):
    parts = [1.0, 1.0]
    t = 0.0
    for i, p in enumerate(parts):
        if i < 3:
            parts.append(1000.0)
        t += p
    return t * sum(xs) + rng.laplace(0, 2.001)


# a total in a loop over places in a loop over records
@A(**X2)
def sum_of_rows_in_order(X, rng):
    t = np.zeros(2)
    for row in X:
        for j, v in enumerate(row):
            if v > 0.5:
                continue
            t[j] += v
    return t + rng.laplace(0, 1.001, size=2)


# the number of ways of a record's while
@A(**LD)
def counted_halvings(xs, rng):
    t = 0
    for v in xs:
        while v > 1e-3:
            v = v / 2
            t += 1
    return t + rng.laplace(0, 1.0)


# math of what may be beyond
@A(data=[1, 2], bounds="0:9", d0=[], d1=[9])
def root_of_whole(xs, rng):
    return sum(math.sqrt(v) * 4 for v in xs) + rng.laplace(0, 1.0)
