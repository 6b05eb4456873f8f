"""Attacks of the thirty-sixth reading (kernel, seam, forged files) that were rightly not proved, and right functions.

Beside them were tried: 2,500 random edits of five certificates, 60 of which hold with --code (all of them edits of words,
wider claims, or other domains that are proved as well); random traces of the kernel against brute force (fuzz.py, about
15,000 traces), ranges and contradictions under conditions (fuzz2.py, 5,200 traces, 400,000 ranges), 655 random functions
of rows and of columns (gen.py) and 422 of matrices (gen2.py): no false certificate.
"""

import math

import numpy as np

ATTACKS = {}
RIGHT = {}
ABOVE = {}

F = np.array([0.5, 1.0])
L = [0.5, 1.0]
X2 = np.array([[0.5, 1.0], [0.2, 0.1]])
N2 = np.array([[0.5, 0.5], [0.2, 0.1]])
X1 = np.array([[0.5], [1.0]])
I64 = np.array([1, 2])
B = np.array([True, False])
ROWS = [{"t": "a", "x": 0.5, "k": 1}, {"t": "b", "x": 1.0, "k": 2}]


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def R(claim="PureDP(epsilon=1)", **k):
    def d(f):
        RIGHT[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def W(claim="PureDP(epsilon=1)", **k):
    """Right, and above the claim: the bound is larger than it need be."""

    def d(f):
        ABOVE[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# norm of one vector, another one is scaled by it
@A("GDP(mu=1)", data=X2, bounds=(-5, 5))
def norm_of_other(X, rng):
    Y = X @ np.array([[2.0, 0.0], [0.0, 1.0]])
    n = np.sqrt(np.sum(X * X, axis=1))
    return np.sum(Y / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=X2, bounds=(-5, 5))
def norm_of_first_columns(X, rng):
    n = np.linalg.norm(X[:, :1], axis=1)
    return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=X2, bounds=(-5, 5))
def norm_outer_square(X, rng):
    n = np.sqrt(np.sum((X[:, :, None] * X[:, None, :])[:, 0, :], axis=1))
    return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=X2, bounds=(0, 5))
def norm_of_product_with_shifted(X, rng):
    n = np.sqrt(np.sum(X * (X - 0.0 + 0.0) * 1.0, axis=1) * 0.25)
    return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1, size=2)


@W("GDP(mu=1)", data=X2, bounds=(-5, 5))
def norm_right(X, rng):
    n = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return np.sum(X / np.maximum(n, 1.0), axis=0) + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=X1, bounds=(-5, 5))
def norm_of_one_column_wide(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X * np.array([1.0, 1.0, 1.0])
    return np.sum(Y / np.maximum(n, 1.0), axis=0) + rng.normal(0, 1, size=3)


@A("GDP(mu=1)", data=X2, bounds=(-5, 5))
def norm_twice_taken(X, rng):
    n = np.linalg.norm(X, axis=1)
    U = X / np.maximum(n, 1.0)[:, None]
    return np.sum(U[:, 0:2] + U[:, ::-1], axis=0) + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=X2, bounds=(-5, 5))
def norm_in_a_loop_added(X, rng):
    t = np.zeros(2)
    for row in X:
        n = np.linalg.norm(row)
        if n > 1.0:
            t = t + row / n
        else:
            t = t + row
        t = t + row / max(n, 2.0)
    return t + rng.normal(0, 1, size=2)


@R("GDP(mu=2)", data=X2, bounds=(-5, 5))
def norm_in_a_loop_right(X, rng):
    t = np.zeros(2)
    for row in X:
        n = np.linalg.norm(row)
        if n > 1.0:
            t = t + row / n
        else:
            t = t + row
        t = t + row / max(n, 1.0)
    return t + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=N2, records="norm(1, row(2, float(-1,1)))")
def stated_norm_squared_sum(X, rng):
    return np.sum(np.abs(X), axis=0) + np.sum(X, axis=0) + rng.normal(0, 1, size=2)


@A("PureDP(epsilon=1)", data=N2, records="norm(1, row(2, float(-1,1)))")
def stated_norm_is_no_l1(X, rng):
    return np.sum(X, axis=0) + rng.laplace(0, 1, size=2)


@R("GDP(mu=1)", data=N2, records="norm(1, row(2, float(-1,1)))")
def stated_norm(X, rng):
    return np.sum(X, axis=0) + rng.normal(0, 1, size=2)


@A("GDP(mu=1)", data=N2, records="norm(1, row(2, float(-1,1)))", relation="replace")
def stated_norm_replaced(X, rng):
    return np.sum(X, axis=0) + rng.normal(0, 1, size=2)


# histogram and comparisons at the closed last edge
@A(data=F, bounds=(0, 3))
def closed_edge_twice(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    n = np.sum(x >= 2.0)
    return h + rng.laplace(0, 1, size=2), n + rng.laplace(0, 1)


@R(data=F, bounds=(0, 3))
def closed_edge_once(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    n = np.sum(x > 2.0)
    return h + rng.laplace(0, 1, size=2), n + rng.laplace(0, 1)


@A(data=F)
def nan_counts_in_two(x, rng):
    a = np.sum(~(x > 0))
    b = np.sum(~(x <= 0))
    return a + rng.laplace(0, 1), b + rng.laplace(0, 1)


@R("PureDP(epsilon=1)", data=F)
def nan_counts_once(x, rng):
    a = np.sum(x > 0)
    b = np.sum(~(x > 0))
    return a + rng.laplace(0, 1), b + rng.laplace(0, 1)


@A(data=F, bounds=(0, 2))
def fmax_min_nan(x, rng):
    a = np.sum(np.where(x >= 1, 1.0, 0.0))
    b = np.sum(np.where(x <= 1, 1.0, 0.0))
    return a + rng.laplace(0, 1), b + rng.laplace(0, 1)


# replace: the number of records cancels only once
@A(data=F, bounds=(0, 1), relation="replace")
def size_cancels_twice(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, 1.0 / (n * n))


@A(data=F, bounds=(0, 1), relation="replace")
def size_of_scale_less(x, rng):
    n = len(x)
    return np.mean(x) + rng.laplace(0, 1.0) / (n * 2)


@R(data=F, bounds=(0, 1), relation="replace")
def size_cancels(x, rng):
    n = len(x)
    return np.mean(x) * 2 + rng.laplace(0, 1.0) / n * 2


@A(data=F, bounds=(0, 1), relation="replace")
def size_squared_value(x, rng):
    n = len(x)
    return np.sum(x) * n / n / n * n + rng.laplace(0, 0.5 * n / n)


@A(data=I64, bounds=(0, 3), relation="replace")
def size_of_mask(x, rng):
    m = len(x[x > 1])
    return np.mean(x) + rng.laplace(0, 3.0 / len(x)), m + rng.laplace(0, 2.0)


# integers
@A(data=I64, bounds=(-(2**62), 2**62))
def wrap_hidden_by_mask(x, rng):
    y = x[x > 0]
    return np.sum((y * 2 < 0) * 100.0) + rng.laplace(0, 1)


@A(data=I64)
def absolute_of_the_least(x, rng):
    y = np.abs(np.maximum(x, -(2**63)))
    return np.sum(np.where(y < 0, 100.0, 1.0)) + rng.laplace(0, 1)


@A(data=I64)
def negative_wraps(x, rng):
    return np.sum(np.where(-x > 0, 1.0, np.where(x < 0, 100.0, 0.0))) + rng.laplace(0, 1)


@A(data=[1, 2])
def python_whole_to_64(x, rng):
    t = 0
    for k in x:
        t += min(max(k, 0), 1) * (k % 3)
    return t + rng.geometric(1 - math.exp(-1)) - rng.geometric(1 - math.exp(-1))


@R(data=[1, 2])
def python_whole_right(x, rng):
    t = 0
    for k in x:
        t += min(max(k, 0), 1) * (k % 2)
    return t + rng.geometric(1 - math.exp(-1)) - rng.geometric(1 - math.exp(-1))


@A(data=[1, 2])
def floor_divide_negative(x, rng):
    t = 0
    for k in x:
        t += (min(max(k, -1), 1) // 2) * 2
    return t + rng.laplace(0, 1)


@A(data=B)
def bool_plus_bool(x, rng):
    return np.sum(x * 1 + x * 1.0) + rng.laplace(0, 1)


@A(data=ROWS, bounds={"x": (0, 1), "k": (0, 3)})
def text_and_default(rows, rng):
    w = {"a": 1.0, "b": 1.0}
    t = 0.0
    for r in rows:
        t += w.get(r["t"], 2.0)
    return t + rng.laplace(0, 1)


@R(data=ROWS, bounds={"x": (0, 1), "k": (0, 3)}, records=None)
def text_cells(rows, rng):
    a = sum(1 for r in rows if r["t"] == "a")
    b = sum(1 for r in rows if r["t"] in ("b", "c"))
    c = sum(1 for r in rows if r["t"] not in ("a", "b", "c"))
    return a + rng.laplace(0, 1), b + rng.laplace(0, 1), c + rng.laplace(0, 1)


@A(data=ROWS, bounds={"x": (0, 1), "k": (0, 3)})
def text_cells_wrong(rows, rng):
    a = sum(1 for r in rows if r["t"] != "a")
    b = sum(1 for r in rows if r["t"] in ("b", "c"))
    return a + rng.laplace(0, 1), b + rng.laplace(0, 1)


@A(data=ROWS, bounds={"x": (0, 1), "k": (0, 3)}, unit="t", most_per_unit=3)
def group_of_three(rows, rng):
    c = [0, 0, 0, 0]
    for r in rows:
        c[r["k"]] += 1
    return [each + rng.laplace(0, 2.9) for each in c]


@R(data=ROWS, bounds={"x": (0, 1), "k": (0, 3)}, unit="t", most_per_unit=3)
def group_of_three_right(rows, rng):
    c = [0, 0, 0, 0]
    for r in rows:
        c[r["k"]] += 1
    return [each + rng.laplace(0, 3) for each in c]


# adaptive: parts depend on what was released before
@A(data=F, bounds=(0, 1))
def adaptive_threshold_overlaps(x, rng):
    t = min(max(np.sum(x) + rng.laplace(0, 2), 0.0), 1.0)
    a = np.sum(x >= t)
    b = np.sum(x <= t)
    return a + rng.laplace(0, 2), b + rng.laplace(0, 2)


@W(data=F, bounds=(0, 1))
def adaptive_threshold(x, rng):
    t = min(max(np.sum(x) + rng.laplace(0, 2), 0.0), 1.0)
    a = np.sum(x >= t)
    b = np.sum(x < t)
    return t, a + rng.laplace(0, 2), b + rng.laplace(0, 2)


@A(data=F, bounds=(0, 1))
def scaled_by_released(x, rng):
    s = float(np.clip(len(x) + rng.laplace(0, 2), 1.0, 4.0))
    return s, np.sum(x * s) + rng.laplace(0, 2 * s * 0.9)


@A(data=F, bounds=(0, 1))
def scale_by_released_wrong(x, rng):
    s = float(np.clip(len(x) + rng.laplace(0, 2), 1.0, 4.0))
    return s, np.sum(x) * s + rng.laplace(0, 2.0)


@A("ApproxDP(epsilon=1, delta=1e-6)", data=F, bounds=(0, 1))
def approx_mix(x, rng):
    return np.sum(x) + rng.laplace(0, 2), np.sum(x) + rng.normal(0, 5)


@A("RDP(epsilon=0.5, order=2)", data=F, bounds=(0, 1))
def rdp_mix(x, rng):
    return np.sum(x) + rng.laplace(0, 2), np.sum(x) + rng.normal(0, 1.5)


@A("ZCDP(rho=0.5)", data=F, bounds=(0, 1), relation="replace")
def zcdp_sum_and_count(x, rng):
    return np.sum(x) + rng.normal(0, 1), np.sum(x > 0.5) + rng.normal(0, 1)


@A(data=F, bounds=(0, 1))
def cells_by_tens(x, rng):
    y = x * 10
    return [np.sum((y >= k) & (y <= k + 1)) + rng.laplace(0, 1) for k in range(10)]


@R(data=F, bounds=(0, 1))
def cells_by_tens_right(x, rng):
    y = x * 10
    return [np.sum((y >= k) & (y < k + 1)) + rng.laplace(0, 1) for k in range(11)]


# A known domain without NaN: `x != x` is never so, and the reason says that no record was found.
@W(data=F, bounds=(0, 1))
def nan_is_left_out_where_there_is_none(x, rng):
    return np.sum(np.where(x != x, 0.0, x)) + rng.laplace(0, 1)


@W(data=L, bounds=(0, 1))
def nan_is_left_out_of_a_list(data, rng):
    t = 0.0
    for v in data:
        if v != v:
            continue
        t += v
    return t + rng.laplace(0, 1)


@R(data=[1, 2], bounds=(0, 5))
def one_of_three_twice(data, rng):
    return sum(1 for k in data if k in (0, 1, 1)) + rng.laplace(0, 1)


@W(data=B)
def condition_times_one(x, rng):
    return np.sum(x * 1) + rng.laplace(0, 1)


@W(data=[1, 2], bounds=(0, 5))
def round_of_a_whole_number(data, rng):
    return sum(min(round(k), 1) for k in data) + rng.laplace(0, 1)


@W(data=F, bounds=(0, 1))
def always_below_one(x, rng):
    return np.sum(np.minimum(np.maximum(x, 2) / 2, 1)) + rng.laplace(0, 1)


@A(data=I64, bounds=(0, 2**22))
def cube_wraps(x, rng):
    return np.sum(np.maximum(-(x**3), 0) * 1.0) + rng.laplace(0, 1)


# np.fmin of doubles and a Python integer: refused, "fmin of float64 and int64"; with 1.0 and 0.0 it is proved.
@W(data=F)
def fmin_fmax_whole(x, rng):
    return np.sum(np.fmax(np.fmin(x, 1), 0)) + rng.laplace(0, 1)
