"""False certificates: derive says proved (both walls), the two data sets show that the claim is false.

S: searchsorted among a Python list or tuple (proofs/noise.py:79-80: the range is taken from inputs[0], which is the VALUE
   that is looked for when the sorted sequence is a list or tuple: that one stands in `arguments` as {"value": ...}).
C: choices of whole numbers beyond 2**53 (derivation/domain.py, _ends: float(min), float(max) are rounded to nearest).
T: stated values of another Python type than the example's (domain.py:151 `_field`, `_has_floats` looks for floats among
   ints only; `_ends` takes bool, int and float alike): True in a field of ints, ints and True in a field of floats.
U: a norm that underflows (proofs/norms.py Clipped.over says norm / norm <= 1); covered by "arithmetic is exact".
N: rows that may be longer than the stated norm by 1e-6 (datasets/examples/record_kinds.py:25,146) and whose fields are
   said to lie within [-norm, norm].
"""

import numpy as np

ATTACKS = {}
BORDERLINE = ("norm_underflow", "norm_beyond")
"""Formally covered by an assumption or by the text of the domain."""
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
C = 2**60
MANY = 2_000_000
"""Records: the noisy sum is beyond 10**6 + 1 but for a probability of exp(-400000)."""


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


FD = dict(data=F, bounds="0:1", d0=np.ones(MANY), d1=np.ones(MANY + 1))
LD = dict(data=L, bounds="0:1", d0=[1.0] * MANY, d1=[1.0] * (MANY + 1))


# S: i is 2, said to be <= 1: the scale is 0.0, said to be >= 2. The second output is the sum without noise.
@A(**FD)
def ss_scale(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted([1e6, 1e6 + 1.0], r)
    return r, s + rng.laplace(0, 4.0 - 2.0 * i)


# S: the same with noise that is multiplied.
@A(**FD)
def ss_scale_product(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted([1e6, 1e6 + 1.0], r)
    return r, s + rng.laplace(0, 1.0) * (4.0 - 2.0 * i)


# S: nothing stated; any doubles.
@A(data=F, d0=np.ones(MANY), d1=np.ones(MANY + 1))
def ss_scale_any(x, rng):
    s = np.sum(np.clip(np.nan_to_num(x), 0.0, 1.0))
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted([1e6, 1e6 + 1.0], r)
    return r, s + rng.laplace(0, 4.0 - 2.0 * i)


# S: i is 3, said to be <= 1: 3 * sum with noise of scale 2 costs 1.5, said 0.5.
@A(**FD)
def ss_factor(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted((1e6, 1e6 + 1.0, 1e6 + 2.0), r)
    return r, s * i + rng.laplace(0, 2.0)


# S: the same within the records.
@A(**FD)
def ss_factor_in_records(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    k = np.searchsorted([1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 4, 1e6 + 5], r)
    return r, np.sum(np.where(x > 0.5, x, 0.0) * k) + rng.laplace(0, 2.0)


# S: a path that is not explored (i > 1 is said to be false) returns the sum itself.
@A(**FD)
def ss_path(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted([1e6, 1e6 + 1.0], r)
    if i > 1:
        return float(s)
    return r


# S: of an array of three numbers: said to be <= 3.
@A(**FD)
def ss_array(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 6.0, size=3)
    i = np.searchsorted([1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 4], r)
    return r, s + rng.laplace(0, 10.0 - 2.0 * i[0])


# S: of a list of floats, through int(): the path that is not explored returns the length.
@A(**LD)
def ss_int_path(x, rng):
    r = sum([v for v in x]) + rng.laplace(0, 1.0)
    k = int(np.searchsorted([1e6, 1e6 + 1.0], r))
    if k == 2:
        return len(x)
    return r


# S: the index reads a scale that no path was explored for (1e-9).
@A(**FD)
def ss_index(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    k = int(np.searchsorted([1e6, 1e6 + 1.0], r))
    scales = [2.0, 2.0, 1e-9]
    return r, s + rng.laplace(0, scales[k])


CHOICES = f"(choice({C}, {C + 127}), choice({C - 63}, {C}))"
ROWS = [(C, C), (C + 127, C - 63)]


# C: a - b is said to be exactly 0; it is 190. Noise of scale 1: epsilon = 190, derived 0.
@A(data=ROWS, records=CHOICES, d0=[], d1=[(C + 127, C - 63)])
def choice_difference(rows, rng):
    t = 0
    for a, b in rows:
        t += a - b
    return t + rng.laplace(0, 1.0)


# C: of a numpy array.
@A(data=np.array(ROWS), records=CHOICES, d0=np.zeros((0, 2), dtype=np.int64), d1=np.array([(C + 127, C - 63)]))
def choice_array(X, rng):
    return np.sum(X[:, 0] - X[:, 1]) + rng.laplace(0, 1.0)


# C: with geometric noise; columns.
@A(
    data={"a": np.array([C, C + 127]), "b": np.array([C, C - 63])},
    records=f"{{'a': choice({C}, {C + 127}), 'b': choice({C - 63}, {C})}}",
    d0={"a": np.array([], dtype=np.int64), "b": np.array([], dtype=np.int64)},
    d1={"a": np.array([C + 127]), "b": np.array([C - 63])},
)
def choice_columns(d, rng):
    return np.sum(d["a"] - d["b"]) + rng.geometric(0.6) - rng.geometric(0.6)


# C: a - b > 0 is said to be false, and that way of the record is not explored.
@A(data=ROWS, records=CHOICES, d0=[], d1=[(C + 127, C - 63)])
def choice_branch(rows, rng):
    t = 0.0
    for a, b in rows:
        if a - b > 0:
            t += 1000.0
    return t + rng.laplace(0, 1.0)


# C: ZeroDivisionError for a = C + 127, b = C (a - b - 127 is said to be -127).
@A(data=ROWS, records=CHOICES, d0=[], d1=[(C + 127, C)])
def choice_raises(rows, rng):
    t = 0.0
    for a, b in rows:
        t += 1.0 / (a - b - 127)
    return t + rng.laplace(0, 1.0)


# C: IndexError for a = C + 127, b = C (said to be the place 0).
@A(data=ROWS, records=CHOICES, d0=[], d1=[(C + 127, C)])
def choice_index(rows, rng):
    c = [0.0]
    for a, b in rows:
        c[a - b] += 1.0
    return c[0] + rng.laplace(0, 1.0)


# U: the norm of (1e-170, 0) is 0.0, so it puts 1e80 into the sum (in doubles; in real arithmetic it is 1).
@A("GDP(mu=1)", data=np.array([[0.5, 0.1]]), bounds="-1:1", d0=np.zeros((0, 2)), d1=np.array([[1e-170, 0.0]]))
def norm_underflow(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(n, 1e-250), axis=0) + rng.normal(0, 1.0, size=2)


# N: the example itself has a row of norm 1.0000009, which is accepted as norm<=1, and moves the release by 9.
@A(
    "GDP(mu=1)",
    data=np.array([[1.0000009, 0.0]]),
    records="row(2, norm<=1)",
    d0=np.zeros((0, 2)),
    d1=np.array([[1.0000009, 0.0]]),
)
def norm_beyond(X, rng):
    return np.sum(np.maximum(X[:, 0] - 1.0, 0.0) * 1e7) + rng.normal(0, 1.0)


# S, by the rules alone: the second wall samples small sums, and meets the wrong range there.
@A(only_rules=True, data=F, bounds="0:1", d0=np.ones(9), d1=np.ones(10))
def ss_small_factor(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    i = np.searchsorted([0.0, 1.0, 2.0], r)
    return r, np.sum(x) * i + rng.laplace(0, 2.0)


# S, by the rules alone.
@A(only_rules=True, data=F, bounds="0:1", d0=np.ones(9), d1=np.ones(10))
def ss_small_path(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted([0.0, 1.0, 2.0], r)
    if i > 1:
        return float(s)
    return r


# C, the simplest: 2**53 + 1 is rounded to 2**53, so a - b is said to be 0.
@A(
    data=[(2**53 + 1, 2**53), (2**53 + 1, 2**53)],
    records=f"(choice({2**53 + 1}), choice({2**53}))",
    d0=[],
    d1=[(2**53 + 1, 2**53)],
)
def choice_pair(rows, rng):
    return sum([float(a - b) * 100 for a, b in rows]) + rng.laplace(0, 1.0)


TRUE = dict(data=[0, 1, 0], records="choice(0, True)", d0=[], d1=[True])


# T: counts[True] is a mask: a record that is True adds 1 to all 60 places; epsilon is 60.
@A(**TRUE)
def true_place(x, rng):
    c = np.zeros(60)
    for v in x:
        c[v] += 1.0
    return c + rng.laplace(0, 1.0, size=60)


# T: weights[True] has one dimension more: the output is an array where there is such a record, else a number.
@A(**TRUE)
def true_known(x, rng):
    w = np.array([0.1, 0.5, 0.9])
    t = 0.0
    for v in x:
        t += w[v]
    return t + rng.laplace(0, 1.0)


# T: of tuples.
@A(data=[(0, 0.5), (1, 0.5)], records="(choice(0, True), float(0, 1))", d0=[], d1=[(True, 1.0)])
def true_rows(rows, rng):
    c = np.zeros(60)
    for k, v in rows:
        c[k] += v
    return c + rng.laplace(0, 1.0, size=60)


# T: of dicts.
@A(data=[{"a": 0}, {"a": 1}], records="{'a': choice(0, True)}", d0=[], d1=[{"a": True}])
def true_dicts(rows, rng):
    c = np.zeros(60)
    for row in rows:
        c[row["a"]] += 1.0
    return c + rng.laplace(0, 1.0, size=60)


# T: a list of True alone becomes an array of conditions, whose negative raises TypeError.
@A(data=[0.0, 1.0, 0.0], records="choice(0.0, True)", d0=[], d1=[True])
def true_negative(x, rng):
    return np.sum(-np.asarray(x)) + rng.laplace(0, 1.0)


# T: a list of whole numbers alone becomes an array of 64 bits: a * a wraps to 0, and inf is returned.
@A(data=[1.0, 1.0, 1.0], records="choice(1.0, 1099511627776)", d0=[], d1=[1099511627776])
def int_wraps(x, rng):
    a = np.asarray(x)
    return np.sum(1.0 / (a * a)) + rng.laplace(0, 1.0)


# T: the same where records are stated as whole numbers, and the example has floats.
@A(data=[1.0, 1.0, 1.0], records="int(1, 1099511627776)", d0=[], d1=[1099511627776])
def int_range_wraps(x, rng):
    a = np.asarray(x)
    return np.sum(1.0 / (a * a)) + rng.laplace(0, 1.0)
