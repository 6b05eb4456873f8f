"""Tried, and correctly not proved."""

import math

import numpy as np

MAXI = 2**1023
BIG = 17 * 10**307
P53 = np.float64(2.0**53)
ROW = [1e16, 0.0, -1e16, 0.5, 0.0, 0.0, 0.0, 0.0]
OFFSET = np.array([1e16, -1e16] * 4 + [0.0] * 120)
SMALL = np.array([0.0] * 8 + [1.0] * 120)
WIDE = np.full((3, 128), 0.5)
ATTACKS = {}


def compare_rounds(x, rng):
    kept = np.where((x >= 2**53) & (x <= 2.0**53), x - 2**53, 0)
    return np.sum(kept) + rng.laplace(0, 0.001)


ATTACKS["compare_rounds"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def count_overflow(data, rng):
    n = sum(1 for x in data if x > 5)
    return n + MAXI + HALF + rng.laplace(0, 1.0)


ATTACKS["count_overflow"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def len_overflow(data, rng):
    return len(data) + MAXI + HALF + rng.laplace(0, 1.0)


ATTACKS["len_overflow"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def matmul_wraps(x, rng):
    n = np.sum(x > 0)
    v = np.array([n, 1])
    return (v @ np.array([1.0, math.pi])) + rng.laplace(0, 1.0)


ATTACKS["matmul_wraps"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def max_kind_sums(x, rng):
    # NUMBER (round)
    r = round(len(x) + rng.laplace(0, 2.0))
    b = abs(np.max(r)) * 2**62 / -(2**62)
    total = 0.0
    for each in x:
        total += max(0.0, min(b, each))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["max_kind_sums"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def max_of_number_list(data, rng):
    a = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    b = abs(np.argmax([a, 0])) * 2**70
    return b


ATTACKS["max_of_number_list"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def record_int_times_numpy(x, rng):
    k = np.sum(x > 0) + rng.geometric(0.3) - rng.geometric(0.3)
    kk = k - k + 1
    total = 0
    for each in x:
        total += int(each) * kk
    return total


ATTACKS["record_int_times_numpy"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)", bounds=(0, 1000))


def bool_compare_times(data, rng):
    r = len(data) + rng.laplace(0, 2.0)
    s = (r > 0) * 10**30
    t = min(s, 2**63)
    total = 0.0
    for x in data:
        total += max(0.0, min(x, t / 2**63))
    return r, total + rng.laplace(0, 2.0)


ATTACKS["bool_compare_times"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def tolist_private(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    n = h.tolist()[0]
    return n + MAXI + rng.laplace(0, 1.0)


ATTACKS["tolist_private"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def sum_bools_private(data, rng):
    n = sum(x for x in data)
    return n * 2**29 + rng.geometric(0.5) - rng.geometric(0.5)


ATTACKS["sum_bools_private"] = dict(data=[True, False], claim="PureDP(epsilon=1)")


def wrap_scale(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    s = 1.0 + abs(k) * 2**62 / 2**62
    n = np.sum(x > 0.5)
    return k, n + rng.laplace(0, 1.0) * s


ATTACKS["wrap_scale"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1.5)", bounds=(0, 1000000))


def column_compare_where(x, rng):
    y = np.where(x >= 2**53, np.minimum(x, 2**53 + 4), 2**53)
    z = y - 2**52 - 2**52
    return np.sum(np.where(y <= 2.0**53, z, 0)) + rng.laplace(0, 0.001)


ATTACKS["column_compare_where"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def disjoint_two_sides(x, rng):
    a = b = 0
    for each in x:
        if each >= 2**53 + 1:
            a += 1
        if each <= 2.0**53:
            b += 1
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


ATTACKS["disjoint_two_sides"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def disjoint_two_sides_inner(x, rng):
    a = b = 0
    for each in x:
        if each >= 2**53 + 1:
            a += 1
            if each <= 2.0**53:
                b += 1
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 0.001)


ATTACKS["disjoint_two_sides_inner"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def between_2_54(x, rng):
    a = 0
    for each in x:
        if each > 2**62 + 1024:
            if each < 2.0**62 + 1024:
                a += 1
    return a + rng.laplace(0, 0.001)


ATTACKS["between_2_54"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def equal_public_float(x, rng):
    a = 0.0
    for each in x:
        if each == 2.0**62:
            a += float(each - 2**61 - 2**61)
    return a + rng.laplace(0, 0.001)


ATTACKS["equal_public_float"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def in_float_keys(x, rng):
    a = 0.0
    for each in x:
        if each in (2.0**62,):
            a += float(each - 2**61 - 2**61)
    return a + rng.laplace(0, 0.001)


ATTACKS["in_float_keys"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def outer_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    q = np.outer(k, k) * 2**62
    b = float(q[0, 0]) / -(2.0**62)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["outer_kind"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def array_mod_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    a = rng.integers(2, 3, size=1)
    q = np.abs(a % (k * k + 5)) * 2**62
    b = float(q[0]) / -(2.0**62)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["array_mod_kind"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def norm_rows(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(n, 1.0), axis=0) + rng.laplace(0, 1.0, size=2)


ATTACKS["norm_rows"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="PureDP(epsilon=1)", bounds=(-4, 4))


def norm_rows_shift(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum((X + 1.0) / np.maximum(n, 1.0), axis=0) + rng.normal(0, 1.0, size=2)


ATTACKS["norm_rows_shift"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="GDP(mu=1)", bounds=(-4, 4))


def norm_negative_add(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / (n - 2.0 + 2.5), axis=0) + rng.normal(0, 1.0, size=2)


ATTACKS["norm_negative_add"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="GDP(mu=1)", bounds=(-4, 4))


def norm_max_negative(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(n * 0.5, 1.0), axis=0) + rng.normal(0, 1.0, size=2)


ATTACKS["norm_max_negative"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="GDP(mu=1)", bounds=(-4, 4))


def outer_products_laplace(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return Y.T @ Y + rng.laplace(0, 1.0, size=(2, 2))


ATTACKS["outer_products_laplace"] = dict(
    data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="PureDP(epsilon=1)", bounds=(-4, 4)
)


def matmul_rotated(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return np.sum(Y @ np.array([[1.0, 1.0], [1.0, -1.0]]), axis=0) + rng.normal(0, 1.0, size=2)


ATTACKS["matmul_rotated"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="GDP(mu=1.2)", bounds=(-4, 4))


def row_loop_norm(X, rng):
    total = np.zeros(2)
    for row in X:
        n = np.linalg.norm(row)
        if n <= 1.0:
            total = total + row
        else:
            total = total + row / n
    return total + rng.normal(0, 1.0, size=2)


ATTACKS["row_loop_norm"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="GDP(mu=0.9)", bounds=(-4, 4))


def row_loop_norm_other(X, rng):
    total = np.zeros(2)
    for row in X:
        n = np.linalg.norm(row * 0.5)
        if n <= 1.0:
            total = total + row
    return total + rng.normal(0, 1.0, size=2)


ATTACKS["row_loop_norm_other"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="GDP(mu=1)", bounds=(-4, 4))


def cells_computed_twice(x, rng):
    y = x * 2.0
    a = np.sum((x > 0.5) & (x < 1.0))
    b = np.sum(y >= 2.0)
    c = np.sum(y == 1.0)
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)


ATTACKS["cells_computed_twice"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def cells_rounded_real(x, rng):
    y = x + 1e300
    a = np.sum(y > 1e300)
    b = np.sum(y <= 1e300)
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


ATTACKS["cells_rounded_real"] = dict(data=np.array([0.0, 0.5, 1.0]), claim="PureDP(epsilon=1)", bounds=(0, 1))


def decided_by_rounding(x, rng):
    y = x + 1.0
    a = np.sum(np.where(y - 1.0 == x, 0.0, 5.0))
    return a + rng.laplace(0, 0.001)


ATTACKS["decided_by_rounding"] = dict(data=np.array([0.0, 0.5, 1.0]), claim="PureDP(epsilon=1)", bounds=(0, 1))


def sum_bool_rows(X, rng):
    return np.sum(X > 0.5, axis=0) + rng.laplace(0, 1.0, size=2)


ATTACKS["sum_bool_rows"] = dict(data=np.array([[1.0, 2.0], [3.0, 4.0]]), claim="PureDP(epsilon=1)")


def hist_two_overlap(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    g, _ = np.histogram(x, bins=[2.0, 3.0])
    return h + rng.laplace(0, 1.0, size=2), g + rng.laplace(0, 1.0, size=1)


ATTACKS["hist_two_overlap"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def bincount_bool(x, rng):
    b = np.bincount((x > 0.5).astype(int), minlength=2)
    return b + rng.laplace(0, 1.0, size=2)


ATTACKS["bincount_bool"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def gdp_laplace(x, rng):
    return np.sum(x > 1) + rng.laplace(0, 100.0)


ATTACKS["gdp_laplace"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="GDP(mu=1)")


def factor_half(x, rng):
    r = min(max(np.sum(x > 1) + rng.laplace(0, 2.0), 0.5), 2.0)
    return np.sum(x > 2) + rng.laplace(0, 2.0) * r


ATTACKS["factor_half"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def replace_mean_bad(x, rng):
    return np.mean(x) * len(x) + rng.laplace(0, 1.0 / len(x))


ATTACKS["replace_mean_bad"] = dict(
    data=np.array([0.0, 0.5, 1.0]), claim="PureDP(epsilon=1)", relation="replace", bounds=(0, 1)
)


def max_of_int64(data, rng):
    b = max(rng.integers(0, 2), 2**80) / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return total + rng.laplace(0, 1.0)


ATTACKS["max_of_int64"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def min_of_int64(data, rng):
    b = min(rng.integers(0, 2), -(2**80)) / -(2**63)
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return total + rng.laplace(0, 1.0)


ATTACKS["min_of_int64"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def ints_plus_bool_array(data, rng):
    n = sum(1 for x in data)
    return n * 2**61 * np.array([True, False]) + rng.laplace(0, 2.0**61, size=2)


ATTACKS["ints_plus_bool_array"] = dict(data=[1, 2, 3], claim="PureDP(epsilon=1)")


def gram_wrap(X, rng):
    return X.T @ X + rng.laplace(0, 8.0, size=(2, 2))


ATTACKS["gram_wrap"] = dict(data=np.array([[1, 2], [3, 4]]), claim="PureDP(epsilon=1)", bounds=(0, 32768))


def replace_two_sides(x, rng):
    a = sum(1 for e in x if e > 0.5)
    b = sum(1 for e in x if e <= 0.5)
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


ATTACKS["replace_two_sides"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", relation="replace")


def replace_hist(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    return h + rng.laplace(0, 1.0, size=2)


ATTACKS["replace_hist"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)", relation="replace")


def replace_hist_g(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    return h + rng.normal(0, 1.0, size=2)


ATTACKS["replace_hist_g"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="GDP(mu=1)", relation="replace")


def texts_overlap(x, rng):
    a = sum(1 for t in x if t in ("a", "b"))
    b = sum(1 for t in x if t in ("b", "c"))
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


ATTACKS["texts_overlap"] = dict(data=["a", "b"], claim="PureDP(epsilon=1)")


def texts_not(x, rng):
    a = sum(1 for t in x if t != "a")
    b = sum(1 for t in x if t == "b")
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


ATTACKS["texts_not"] = dict(data=["a", "b"], claim="PureDP(epsilon=1)", records="choice('a','b')")


def bool_key(x, rng):
    c = {0: 0, 1: 0}
    for t in x:
        c[t] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


ATTACKS["bool_key"] = dict(data=[True, False], claim="PureDP(epsilon=1)")


def negative_zero(x, rng):
    s = sum(1 for e in x if e == 0 and math.atan(e) < 0)
    return s + rng.laplace(0, 0.01)


ATTACKS["negative_zero"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def nan_between(x, rng):
    t = 0.0
    for e in x:
        if not (e > 1) and not (e < 0):
            t += e
    return t + rng.laplace(0, 1.0)


ATTACKS["nan_between"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def nan_maxmin(x, rng):
    t = 0.0
    for e in x:
        t += min(max(e, 0.0), 1.0)
    return t + rng.laplace(0, 1.0)


ATTACKS["nan_maxmin"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def where_inf(x, rng):
    return np.sum(np.where(x == np.inf, 0.0, np.minimum(np.maximum(x, 0.0), 1.0))) + rng.laplace(0, 1.0)


ATTACKS["where_inf"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def isfinite_int(x, rng):
    return np.sum(np.where(np.isfinite(x), np.abs(x), 0.0)) + rng.laplace(0, 1.0)


ATTACKS["isfinite_int"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")


def sum_cancels(X, rng):
    Y = X * SMALL + OFFSET
    return np.sum(np.sum(Y, axis=1)) + rng.laplace(0, 40.0)


ATTACKS["sum_cancels"] = dict(data=WIDE, claim="PureDP(epsilon=1)", bounds=(0, 1))


def float_of_max_wrapped(data, rng):
    b = float(min(max(rng.integers(0, 2), 2**80), 2**81)) / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return total + rng.laplace(0, 1.0)


ATTACKS["float_of_max_wrapped"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def nan_never_divides(data, rng):
    r = len(data) + math.nan + rng.laplace(0, 2.0)
    c = max(r, 1.0)
    total = 0.0
    for x in data:
        if c > 0.5:
            total += 1.0
    return total + rng.laplace(0, 2.0)


ATTACKS["nan_never_divides"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def nan_decided(data, rng):
    r = len(data) + math.nan + rng.laplace(0, 2.0)
    c = min(max(r, 1.0), 2.0)
    total = 0.0
    for x in data:
        total += 0.0 if c > 0.5 else max(0.0, min(1000.0, x))
    return total + rng.laplace(0, 0.001)


ATTACKS["nan_decided"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def wrap_in_sum_start(x, rng):
    t = 2**63 - 5
    for e in x:
        t += min(max(e, 0), 1)
    return t + rng.laplace(0, 1.0)


ATTACKS["wrap_in_sum_start"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def array_start_wraps(x, rng):
    t = np.array([2**63 - 1])
    for e in x:
        t = t + (1 if e > 0 else 0)
    return t + rng.laplace(0, 1.0, size=1)


ATTACKS["array_start_wraps"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def array_cells_wrap(x, rng):
    t = np.array([2**63 - 1, 0])
    for e in x:
        if e > 0:
            t[0] += 1
    return t + rng.laplace(0, 1.0, size=2)


ATTACKS["array_cells_wrap"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def record_int64_times_number(x, rng):
    k = np.sum(x > 0) + rng.geometric(0.3) - rng.geometric(0.3)
    c = round(k, 0)
    c = min(max(c, 0), 10)
    s = 0
    for e in x:
        s += max(0, 0 - min(max(int(e), 0), 2**62) * c)
    return k, s + rng.laplace(0, 0.001)


ATTACKS["record_int64_times_number"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def public_float_compare(x, rng):
    c = rng.random() * 0 + 2.0**53
    total = 0.0
    for each in x:
        if each >= 2.0**53 and each <= c:
            total += float(each - 2**52 - 2**52)
    return total + rng.laplace(0, 0.001)


ATTACKS["public_float_compare"] = dict(data=np.array([1, 2, 3]), claim="PureDP(epsilon=1)")


def iterated_public_ints(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    r = h + rng.geometric(0.3, size=2) - rng.geometric(0.3, size=2)
    b = abs(max(r[0], 2**80))
    return float(b) / 2**63


ATTACKS["iterated_public_ints"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def bool_in(data, rng):
    r = round(len(data) + rng.laplace(0, 2.0))
    b = (r >= 0) * 2**80 - (r >= 1) * 2**80
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b / 2**63))
    return r, total + rng.laplace(0, 2.0)


ATTACKS["bool_in"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


def inf_times(data, rng):
    a = sum(1 for x in data) * 1e300
    return a * 1e300 * 1e-300 * 1e-300 + rng.laplace(0, 1.0)


ATTACKS["inf_times"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def private_inf_added(data, rng):
    a = 0.0
    for x in data:
        a += 2.0**900
    b = a + 1.7976931348623157e308
    return b - 1.7976931348623157e308 + rng.laplace(0, 2.0**900)


ATTACKS["private_inf_added"] = dict(data=[1.0, 2.0, 3.0], claim="PureDP(epsilon=1)")


def scale_pow(x, rng):
    s = 2.0 ** np.clip(np.sum(x > 0) + rng.laplace(0, 2.0), 0.0, 1.0)
    return np.sum(x > 1) + rng.laplace(0, 2.0) * s


ATTACKS["scale_pow"] = dict(data=np.array([1.0, 2.0, 3.0]), claim="PureDP(epsilon=1)")
