"""Attacks of the twenty-second reading, in natural code: none is proved.

Each is wrong in a way in which people are wrong: a sensitivity by a factor, a clip that one branch forgets, noise that is
shared, a scale of the data's, bins of the data's, NaN that passes a clip, whole numbers that wrap, classes that inherit a
sensitivity and not the clip, closures that are late.
"""

import functools
import math
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np

ATTACKS = {}


def A(domain, claim="PureDP(epsilon=1)", most=None, **k):
    def d(f):
        users = {} if most is None else {"most_per_unit": most}
        ATTACKS[f.__name__] = dict(claim=claim, f=f, **domain, **users, **k)
        return f

    return d


def clip(v, lo=0.0, hi=1.0):
    return lo if v < lo else hi if v > hi else v


def winsorise(v, lo, hi):
    if v < lo:
        return lo
    elif v > hi:
        return hi
    return v


def lap(value, sens, eps, rng):
    return value + rng.laplace(0.0, sens / eps)


def lap_vec(value, sens, eps, rng):
    return value + rng.laplace(0.0, sens / eps, size=value.shape)


def gauss_vec(value, sens, mu, rng):
    return value + rng.normal(0.0, sens / mu, size=len(value))


def split(total, parts):
    return [total / parts] * parts


def l2_rows(X, c):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.minimum(1.0, c / np.maximum(n, 1e-12))


U = dict(data=np.array([0.744, 0.746, 0.512, 0.329, 0.143]), records="float(0, 1)")
W = dict(
    data=np.array([4.879999999999999, 4.92, 0.2400000000000002, -3.42, -7.140000000000001]), records="float(-10, 10)"
)
ANY = dict(
    data=np.array(
        [0.8050029237453802, 0.8079407897364937, 0.515325561042142, 0.2858013800881416, 0.053930702381656426]
    ),
    records=None,
)
L = dict(data=[0.744, 0.746, 0.512, 0.329, 0.143], records="float(0, 1)")
LN = dict(data=[0.744, 0.746, 0.512, 0.329, 0.143], records="missing(float(0, 1))")
LANY = dict(
    data=[0.8050029237453802, 0.8079407897364937, 0.515325561042142, 0.2858013800881416, 0.053930702381656426],
    records=None,
)
LI = dict(data=[32, 40, -4, 40, 21], records="int(-5, 50)")
IA = dict(data=np.array([6, 8, 0, 8, 4]), records="int(0, 9)")
R3 = dict(
    data=np.array(
        [
            [0.488, 0.492, 0.02400000000000002],
            [-0.34199999999999997, -0.714, -0.18600000000000005],
            [-0.14600000000000002, -0.728, -0.722],
            [0.798, 0.244, -0.42400000000000004],
            [-0.10399999999999998, 0.758, 0.6359999999999999],
        ]
    ),
    records="(float(-1, 1), float(-1, 1), float(-1, 1))",
)
R3A = dict(
    data=np.array(
        [
            [0.8050029237453802, 0.8079407897364937, 0.515325561042142],
            [0.2858013800881416, 0.053930702381656426, 0.38336888078551823],
            [0.40847320541999865, 0.045275193902445166, 0.04875771072716806],
            [0.9991761150650714, 0.6523691115879877, 0.23451020166982395],
            [0.43494755222514203, 0.9741861932592554, 0.8976776081085488],
        ]
    ),
    records=None,
)
P = dict(
    data=[
        {"age": 89.28, "income": 13.649999999999999, "group": "b"},
        {"age": 39.480000000000004, "income": -1.4250000000000003, "group": "b"},
        {"age": 48.839999999999996, "income": 5.674999999999999, "group": "a"},
        {"age": 16.68, "income": 17.475, "group": "a"},
        {"age": 74.64, "income": 2.1999999999999993, "group": "a"},
    ],
    records="{'age': float(0, 120), 'income': float(-5, 20), 'group': choice('a', 'b', 'c')}",
)
T = dict(
    data=[
        (0.488, 3.73, 1),
        (-0.34199999999999997, 0.715, 2),
        (-0.18600000000000005, 2.135, 0),
        (-0.722, 4.495, 0),
        (0.244, 1.44, 1),
    ],
    records="(float(-1, 1), float(0, 5), int(0, 3))",
)
C = dict(
    data={
        "age": np.array([89.28, 39.480000000000004, 51.24, 107.88, 53.76]),
        "income": np.array([13.649999999999999, -1.4250000000000003, -1.5999999999999996, 10.55, 16.975]),
        "score": np.array([0.07200000000000006, -0.5580000000000003, -2.166, -1.2720000000000002, 1.9079999999999995]),
    },
    records="{'age': float(0, 120), 'income': float(-5, 20), 'score': float(-3, 3)}",
)
CL = dict(
    data={
        "age": [89.28, 61.44, 17.16, 51.24, 16.68],
        "income": [13.649999999999999, 3.2249999999999996, 5.174999999999999, -1.5999999999999996, 17.475],
    },
    records="{'age': float(0, 120), 'income': float(-5, 20)}",
)
XY = dict(
    data=(
        np.array(
            [
                [0.488, 0.492],
                [-0.34199999999999997, -0.714],
                [-0.14600000000000002, -0.728],
                [0.798, 0.244],
                [-0.10399999999999998, 0.758],
            ]
        ),
        np.array([1.024, 0.814, 0.278, 0.576, 1.636]),
    ),
    records="{'X[0]': float(-1, 1), 'X[1]': float(-1, 1), 'y': float(0, 2)}",
)
USR = dict(
    data=[
        {"user": 4, "spend": 7.46, "kind": "y"},
        {"user": 3, "spend": 3.29, "kind": "y"},
        {"user": 5, "spend": 4.069999999999999, "kind": "x"},
        {"user": 3, "spend": 1.36, "kind": "x"},
        {"user": 1, "spend": 8.99, "kind": "x"},
    ],
    records="{'user': int(1, 5), 'spend': float(0, 10), 'kind': choice('x', 'y')}",
)
TXT = dict(data=["blue", "blue", "red", "blue", "green"], records="choice('red', 'green', 'blue')")
BA = dict(data=np.array([True, True, False, True, False]), records="bool")
BL = dict(data=[True, True, False, True, False], records="bool")
IANY = dict(data=np.array([3, 4, 0, 4, 2]), records=None)
ILANY = dict(data=[3, 4, 0, 4, 2], records=None)
R3I = dict(data=np.array([[1, 2], [-3, 2], [0, 0], [1, -1], [3, -3]]), records="(int(-3, 3), int(-3, 3))")
CANY = dict(
    data={
        "a": np.array(
            [0.8050029237453802, 0.515325561042142, 0.053930702381656426, 0.40847320541999865, 0.04875771072716806]
        ),
        "b": np.array(
            [0.8079407897364937, 0.2858013800881416, 0.38336888078551823, 0.045275193902445166, 0.9991761150650714]
        ),
    },
    records=None,
)
CI = dict(
    data={
        "k": np.array([3, 2, 4, 2, 0]),
        "v": np.array([0.492, -0.34199999999999997, -0.18600000000000005, -0.728, 0.798]),
        "flag": np.array([True, True, False, False, False]),
    },
    records="{'k': int(0, 4), 'v': float(-1, 1), 'flag': bool}",
)
N1 = dict(
    data=[
        {"a": 0.488, "b": 3.73},
        {"a": 0.02400000000000002, "b": 1.645},
        {"a": -0.714, "b": 2.0349999999999997},
        {"a": -0.14600000000000002, "b": 0.68},
        {"a": -0.722, "b": 4.495},
    ],
    records="{'a': missing(float(-1, 1)), 'b': missing(float(0, 5))}",
)
LW = dict(data=[4.879999999999999, 4.92, 0.2400000000000002, -3.42, -7.140000000000001], records="float(-10, 10)")


@A(W)
def sum_signed_range(x, rng):
    lo, hi = -10.0, 4.0
    return np.clip(x, lo, hi).sum() + rng.laplace(0, hi)


@A(W)
def sum_width_small(x, rng):
    lo, hi = 5.0, 6.0
    return np.clip(x, lo, hi).sum() + rng.laplace(0, hi - lo)


@A(U)
def mean_private_n(x, rng):
    return x.sum() / max(len(x), 1) + rng.laplace(0, 1 / max(len(x), 1))


@A(U, relation="replace")
def mean_replace_half(x, rng):
    return x.mean() + rng.laplace(0, 0.5 / len(x))


@A(W, relation="replace")
def sum_replace_as_add(x, rng):
    return np.clip(x, -1, 1).sum() + rng.laplace(0, 1.0)


@A(U, relation="replace")
def hist_replace_one(x, rng):
    return np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, size=4)


@A(U, relation="replace")
def mean_of_selected(x, rng):
    s = x[x > 0.5]
    return s.sum() / len(s) + rng.laplace(0, 1 / len(x))


@A(U, relation="replace")
def moved_between_groups(x, rng):
    a, b = x[x < 0.5], x[x >= 0.5]
    return len(a) + rng.laplace(0, 1.0), len(b) + rng.laplace(0, 1.0)


@A(U, "GDP(mu=1)", relation="replace")
def moved_l2(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    return h + rng.normal(0, 1.0, size=4)


@A(R3)
def vector_linf(X, rng):
    return X.sum(axis=0) + rng.laplace(0, 1.0, size=3)


@A(R3)
def vector_l2_for_l1(X, rng):
    return l2_rows(X, 1.0).sum(axis=0) + rng.laplace(0, 1.0, size=3)


@A(R3, "GDP(mu=1)")
def gram_after_shift(X, rng):
    Y = l2_rows(X, 1.0) + 0.5
    return Y.T @ Y + rng.normal(0, 1.0, size=(3, 3))


@A(R3, "GDP(mu=1)")
def gram_and_sum_same_noise(X, rng):
    Y = l2_rows(X, 1.0)
    return Y.T @ Y + rng.normal(0, 1.0, size=(3, 3)), Y.sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(R3)
def scalar_noise_broadcast(X, rng):
    return X.sum(axis=0) + rng.laplace(0, 3.0)


@A(R3)
def row_noise_broadcast(X, rng):
    return X.T @ X + rng.laplace(0, 9.0, size=3)


@A(R3)
def col_noise_broadcast(X, rng):
    return X.T @ X + rng.laplace(0, 9.0, size=3)[:, None]


@A(R3)
def noise_reused(X, rng):
    e = rng.laplace(0, 6.0, size=3)
    return X.sum(axis=0) + e, len(X) + e[0]


@A(R3)
def noise_slices_overlap(X, rng):
    e = rng.laplace(0, 6.0, size=4)
    return X.sum(axis=0) + e[:3], len(X) + e[2]


@A(R3)
def noise_reversed(X, rng):
    e = rng.laplace(0, 6.0, size=3)
    s = X.sum(axis=0)
    return s + e, s[::-1] + e[::-1]


@A(L)
def budget_once(x, rng):
    eps = 1.0
    return lap(len(x), 1, eps, rng), lap(sum(x), 1, eps, rng)


@A(L)
def loop_eps_not_split(x, rng):
    return {t: lap(sum(1 for v in x if v > t), 1.0, 1.0, rng) for t in (0.1, 0.5, 0.9)}


@A(L)
def scale_from_count(x, rng):
    n = len(x)
    return sum(x) + rng.laplace(0, 1.0 / max(n, 1))


@A(L)
def scale_from_max(x, rng):
    return sum(x) + rng.laplace(0, max(x, default=1.0))


@A(U)
def scale_from_data_max(x, rng):
    return x.sum() + rng.laplace(0, x.max())


@A(U)
def standardise_by_data(x, rng):
    z = (x - x.mean()) / x.std()
    return np.clip(z, -1, 1).sum() + rng.laplace(0, 1.0)


@A(U)
def centre_by_data(x, rng):
    z = np.clip(x - x.sum() / max(len(x), 1), -1, 1)
    return z.sum() + rng.laplace(0, 1.0)


@A(U)
def bins_from_data(x, rng):
    h, e = np.histogram(x, bins=5)
    return h + rng.laplace(0, 1.0, size=5)


@A(U)
def bins_range_from_data(x, rng):
    h, e = np.histogram(x, bins=5, range=(x.min(), x.max()))
    return h + rng.laplace(0, 1.0, size=5)


@A(IA)
def bincount_length(x, rng):
    h = np.bincount(x)
    return h + rng.laplace(0, 1.0, size=len(h))


@A(IA)
def bincount_minlength_short(x, rng):
    h = np.bincount(x, minlength=5)
    return h + rng.laplace(0, 1.0, size=len(h))


@A(IA)
def bincount_weights(x, rng):
    return np.bincount(x, weights=x, minlength=10) + rng.laplace(0, 1.0, size=10)


@A(TXT)
def counter_keys(x, rng):
    return {k: v + rng.laplace(0, 1.0) for k, v in Counter(x).items()}


@A(TXT)
def defaultdict_keys(x, rng):
    d = defaultdict(int)
    for v in x:
        d[v] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in d.items()}


@A(TXT)
def get_keys(x, rng):
    d = {}
    for v in x:
        d[v] = d.get(v, 0) + 1
    return {k: v + rng.laplace(0, 1.0) for k, v in d.items()}


@A(TXT)
def keys_known_only_present(x, rng):
    d = {"red": 0, "green": 0, "blue": 0}
    for v in x:
        d[v] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in d.items() if v > 0}


@A(TXT)
def set_of_values(x, rng):
    return {k: len([v for v in x if v == k]) + rng.laplace(0, 1.0) for k in set(x)}


@A(LANY)
def nan_through_clip(x, rng):
    return sum(min(max(v, 0.0), 1.0) for v in x) + rng.laplace(0, 1.0)


@A(LANY)
def nan_clip_wrong_order(x, rng):
    return sum(max(min(v, 1.0), 0.0) for v in x) + rng.laplace(0, 1.0)


@A(ANY)
def nan_to_num_then_nothing(x, rng):
    return np.nan_to_num(x).sum() + rng.laplace(0, 1.0)


@A(LANY)
def nan_compare_else(x, rng):
    s = 0.0
    for v in x:
        if v < 0:
            s += 0.0
        elif v > 1:
            s += 1.0
        else:
            s += v
    return s + rng.laplace(0, 1.0)


@A(LANY)
def nan_compare_not(x, rng):
    s = 0.0
    for v in x:
        if not (v < 0 or v > 1):
            s += v
    return s + rng.laplace(0, 1.0)


@A(LANY)
def nan_counted_thrice(x, rng):
    lo = sum(1 for v in x if not v > 0.5)
    hi = sum(1 for v in x if not v < 0.5)
    return lo + rng.laplace(0, 1.0), hi + rng.laplace(0, 1.0)


@A(ANY)
def nan_masks(x, rng):
    lo = (x < 0.5).sum()
    hi = (~(x < 0.5)).sum()
    eq = (x != x).sum()
    return lo + rng.laplace(0, 1.0), hi + rng.laplace(0, 1.0), eq + rng.laplace(0, 1.0)


@A(N1)
def nan_product(rows, rng):
    s = sum(r["a"] * r["b"] for r in rows if r["a"] == r["a"])
    return s + rng.laplace(0, 5.0)


@A(N1)
def nan_max_of_two(rows, rng):
    s = sum(max(r["a"], 0.0, r["b"]) for r in rows)
    return s + rng.laplace(0, 5.0)


@A(IANY)
def int_square_overflow(x, rng):
    return np.clip(x * x, 0, 1).sum() + rng.laplace(0, 1.0)


@A(IANY)
def int_abs_overflow(x, rng):
    return np.clip(np.abs(x), 0, 1).sum() + rng.laplace(0, 1.0)


@A(IANY)
def int_negative_overflow(x, rng):
    return np.clip(-x, 0, 5).sum() + rng.laplace(0, 5.0)


@A(IANY)
def int_shift_overflow(x, rng):
    return np.clip(x - 10, 0, 5).sum() + rng.laplace(0, 5.0)


@A(IANY)
def int_sum_overflow(x, rng):
    return x.sum() + rng.laplace(0, 1e20)


@A(ILANY)
def big_int_array(x, rng):
    return np.clip(np.array(x), 0, 5).sum() + rng.laplace(0, 5.0)


@A(LI)
def int_index_raises(x, rng):
    c = [0] * 10
    for v in x:
        c[v] += 1
    return [n + rng.laplace(0, 1.0) for n in c]


@A(LI)
def geometric_for_sum(x, rng):
    p = 1 - math.exp(-1.0)
    return sum(min(max(v, 0), 5) for v in x) + rng.geometric(p) - rng.geometric(p)


@A(L)
def geometric_for_floats(x, rng):
    p = 1 - math.exp(-1.0)
    return sum(x) + rng.geometric(p) - rng.geometric(p)


@A(L)
def geometric_rounded_sum(x, rng):
    p = 1 - math.exp(-1.0)
    return int(sum(x)) + rng.geometric(p) - rng.geometric(p)


@A(L)
def geometric_two_scales(x, rng):
    return len(x) + rng.geometric(0.5) - rng.geometric(0.6)


@A(BL)
def bool_invert_list(x, rng):
    return sum(~v for v in x) + rng.laplace(0, 1.0)


@A(BA)
def bool_minus(x, rng):
    return (1 - x).sum() + rng.laplace(0, 1.0)


@A(BA)
def bool_times_two(x, rng):
    return (2 * x - 1).sum() + rng.laplace(0, 1.0)


@A(CI)
def per_key_sums_le(t, rng):
    return [t["v"][t["k"] <= j].sum() + rng.laplace(0, 1.0) for j in range(5)]


@A(L)
def first_k(x, rng):
    return sum(x[:10]) + rng.laplace(0, 1.0)


@A(L)
def break_early(x, rng):
    s = 0.0
    for v in x:
        if v > 0.9:
            break
        s += v
    return s + rng.laplace(0, 1.0)


@A(L)
def running_difference(x, rng):
    s, last = 0.0, 0.0
    for v in x:
        s += abs(v - last)
        last = v
    return s + rng.laplace(0, 1.0)


@A(L)
def last_value(x, rng):
    v = 0.0
    for v in x:
        pass
    return v + rng.laplace(0, 1.0)


@A(L)
def cap_total(x, rng):
    s = 0.0
    for v in x:
        if s < 10:
            s += v
    return s + rng.laplace(0, 1.0)


@A(L)
def sorted_top(x, rng):
    return sum(sorted(x)[-3:]) + rng.laplace(0, 1.0)


@A(L)
def pairs(x, rng):
    return sum(1 for a in x for b in x if a < b) + rng.laplace(0, 1.0)


@A(L)
def retry_three_wrong(x, rng):
    for _ in range(3):
        n = len(x) + rng.laplace(0, 1.0)
        if n > 0:
            return n
    return 0.0


@A(L)
def best_of_three(x, rng):
    return max(len(x) + rng.laplace(0, 1.0) for _ in range(3))


@A(L)
def branch_second_scale(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    if n > 5:
        s = sum(x) + rng.laplace(0, 2.0)
    else:
        s = sum(x) + rng.laplace(0, 1.0)
    return n, s


@A(L)
def forgot_clip_one_branch(x, rng):
    s = 0.0
    for v in x:
        if v > 0.5:
            s += min(v * 3, 1.0)
        else:
            s += v * 3
    return s + rng.laplace(0, 1.0)


@A(P)
def clip_wrong_key(rows, rng):
    s = 0.0
    for r in rows:
        age = clip(r["age"], 0.0, 100.0)
        s += r["income"]
    return s + rng.laplace(0, 10.0)


@A(P)
def elif_missing(rows, rng):
    t = {"a": 0.0, "b": 0.0}
    for r in rows:
        if r["group"] == "a":
            t["a"] += clip(r["income"], 0.0, 10.0)
        if r["group"] != "c":
            t["b"] += clip(r["income"], 0.0, 10.0)
    return {k: v + rng.laplace(0, 10.0) for k, v in t.items()}


@A(P)
def group_missing_key(rows, rng):
    t = {"a": 0, "b": 0}
    for r in rows:
        t[r["group"]] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in t.items()}


@A(P)
def group_all_and_each(rows, rng):
    t = {"a": 0, "b": 0, "c": 0, "all": 0}
    for r in rows:
        t[r["group"]] += 1
        t["all"] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in t.items()}


@A(USR, unit="user", most=3)
def users_not_scaled(rows, rng):
    return sum(r["spend"] for r in rows) + rng.laplace(0, 10.0)


@A(USR, "GDP(mu=1)", unit="user", most=4)
def users_sqrt(rows, rng):
    n = {"x": 0, "y": 0}
    for r in rows:
        n[r["kind"]] += 1
    return [n[k] + rng.normal(0, 2.0) for k in n]


@A(USR, unit="user", most=3)
def users_distinct(rows, rng):
    return len({r["user"] for r in rows}) + rng.laplace(0, 1.0)


@A(USR, unit="user", most=3)
def users_capped(rows, rng):
    seen = {}
    s = 0.0
    for r in rows:
        seen[r["user"]] = seen.get(r["user"], 0) + 1
        if seen[r["user"]] <= 1:
            s += r["spend"]
    return s + rng.laplace(0, 10.0)


@A(L)
def returns_n(x, rng):
    return len(x), sum(x) + rng.laplace(0, 1.0)


@A(L)
def empty_returns_none(x, rng):
    if not x:
        return None
    return sum(x) + rng.laplace(0, 1.0)


@A(U)
def empty_size(x, rng):
    if x.size == 0:
        return 0.0
    return x.sum() + rng.laplace(0, 1.0)


@A(U)
def noise_per_record(x, rng):
    return (x + rng.laplace(0, 1.0, size=len(x))).sum()


@A(U)
def local_noise(x, rng):
    return np.array([v + rng.laplace(0, 1.0) for v in x])


@A(U)
def assert_nonempty(x, rng):
    assert len(x) > 0
    return x.sum() + rng.laplace(0, 1.0)


@A(U)
def try_except(x, rng):
    try:
        return x.sum() / len(x) + rng.laplace(0, 1.0)
    except ZeroDivisionError:
        return 0.0


@A(U)
def rounding_before(x, rng):
    return round(float(x.sum())) + rng.laplace(0, 1.0)


@A(U)
def int_of_sum(x, rng):
    return int(x.sum()) + rng.laplace(0, 1.0)


@A(U)
def max_zero_of_sum(x, rng):
    return max(0.0, x.sum()) + rng.laplace(0, 1.0)


@A(U)
def sqrt_of_sum(x, rng):
    return math.sqrt(x.sum()) + rng.laplace(0, 1.0)


@A(U)
def log_of_count(x, rng):
    return math.log(1 + len(x)) + rng.laplace(0, math.log(2))


@A(U)
def product_of_sums(x, rng):
    return x.sum() * len(x) + rng.laplace(0, 1.0)


@A(U)
def variance_by_formula(x, rng):
    n = len(x)
    return (x**2).sum() - x.sum() ** 2 / max(n, 1) + rng.laplace(0, 1.0)


@A(U)
def noise_times_count(x, rng):
    return x.sum() + len(x) * rng.laplace(0, 1.0)


@A(U)
def noise_scaled_down(x, rng):
    return x.sum() + 0.5 * rng.laplace(0, 1.0)


@A(U)
def noise_divided(x, rng):
    return x.sum() + rng.laplace(0, 1.0) / 2


@A(U)
def sum_doubled_after(x, rng):
    s = x.sum() * 2
    return (s + rng.laplace(0, 1.0)) / 2


@A(U)
def noise_std_as_variance(x, rng):
    return x.sum() + rng.normal(0, 1.0)


@A(U, "GDP(mu=1)")
def sigma_squared(x, rng):
    return x.sum() + rng.normal(0, 0.5**2)


@A(U, "ZCDP(rho=0.5)")
def zcdp_off_by_two(x, rng):
    return x.sum() + rng.normal(0, math.sqrt(1 / (4 * 0.5)))


@A(U, "ApproxDP(epsilon=1, delta=1e-5)")
def approx_classic_large_eps(x, rng):
    return x.sum() + rng.normal(0, math.sqrt(2 * math.log(1.25e5)) / 8)


@A(R3, "GDP(mu=1)")
def clip_norm_axis0(X, rng):
    n = np.linalg.norm(X, axis=0)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(R3, "GDP(mu=1)")
def clip_norm_min(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.minimum(1.0, n)).sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(R3, "GDP(mu=1)")
def clip_norm_inverse(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.minimum(1.0, np.maximum(n, 0.1))).sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(R3A, "GDP(mu=1)")
def clip_norm_any(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(R3, "GDP(mu=1)")
def clip_loop_rows_half(X, rng):
    total = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        if n > 2:
            total += row / n
        else:
            total += row
    return total + rng.normal(0, 1.0, size=3)


@A(R3I)
def int_rows_axis(X, rng):
    return (X**2).sum(axis=1).sum() + rng.laplace(0, 9.0)


@A(CANY)
def unclipped_ratio(t, rng):
    r = t["a"] / t["b"]
    return np.clip(r, 0, 1).sum() + rng.laplace(0, 1.0)


@A(CANY)
def where_compare(t, rng):
    v = np.where(t["a"] > 1, 1.0, t["a"])
    v = np.where(v < 0, 0.0, v)
    return v.sum() + rng.laplace(0, 1.0)


@A(CANY)
def product_masks(t, rng):
    v = (t["a"] > 0) * np.clip(t["b"], 0, 1)
    return v.sum() + rng.laplace(0, 1.0)


class Base:
    lower, upper, epsilon = 0.0, 1.0, 1.0

    @property
    def sensitivity(self):
        return max(abs(self.lower), abs(self.upper))

    @property
    def scale(self):
        return self.sensitivity / self.epsilon

    def prepare(self, v):
        return min(max(v, self.lower), self.upper)

    def total(self, data):
        return sum(self.prepare(v) for v in data)

    def run(self, data, rng):
        return self.total(data) + rng.laplace(0, self.scale)


class Wider(Base):
    upper = 5.0


class WiderPrepare(Base):
    """Overrides the clip and forgets the sensitivity."""

    def prepare(self, v):
        return min(max(v, -3.0), 3.0)


class PropertyOverridden(Base):
    sensitivity = 1.0
    upper = 5.0


class InstanceUpper(Base):
    def __init__(self, upper):
        self.upper = upper


class CallsParent(Base):
    def total(self, data):
        return 2 * Base.total(self, data)


class MethodAsAttribute(Base):
    def __init__(self):
        self.prepare = lambda v: min(max(v, 0.0), 4.0)


class Mixin:
    def prepare(self, v):
        return min(max(v, 0.0), 10.0)


class Mixed(Mixin, Base):
    pass


class MixedOther(Base, Mixin):
    pass


class StaticPrepare(Base):
    @staticmethod
    def prepare(v):
        return min(max(v, -1.0), 1.0)


WID, WP, PO, IU, CP, MA, MX, MO, SP = (
    Wider(),
    WiderPrepare(),
    PropertyOverridden(),
    InstanceUpper(7.0),
    CallsParent(),
    MethodAsAttribute(),
    Mixed(),
    MixedOther(),
    StaticPrepare(),
)


@A(LW)
def wider_prepare(x, rng):
    return WP.run(x, rng)


@A(LW)
def property_overridden(x, rng):
    return PO.run(x, rng)


@A(LW)
def calls_parent(x, rng):
    return CP.run(x, rng)


@A(LW)
def method_as_attribute(x, rng):
    return MA.run(x, rng)


@A(LW)
def mixed_in(x, rng):
    return MX.run(x, rng)


MECHS = [Base(), Wider(), SP]


@A(LW)
def several_mechanisms(x, rng):
    return [m.run(x, rng) for m in MECHS]


@A(LW)
def bound_method_kept(x, rng):
    runs = [m.run for m in MECHS]
    return [r(x, rng) for r in runs]


class Changing(Base):
    def run(self, data, rng):
        self.epsilon = self.epsilon / 2
        return self.total(data) + rng.laplace(0, self.scale)


CH = Changing()


@A(LW)
def changing_epsilon(x, rng):
    return CH.run(x, rng), CH.run(x, rng)


@dataclass
class Query:
    column: str
    low: float = 0.0
    high: float = 1.0
    where: object = None

    def value(self, rows):
        s = 0.0
        for r in rows:
            if self.where is None or self.where(r):
                s += min(max(r[self.column], self.low), self.high)
        return s

    @property
    def sens(self):
        return max(abs(self.low), abs(self.high))


QUERIES = [
    Query("age", 0.0, 100.0),
    Query("income", high=10.0),
    Query("income", -5.0, 5.0, where=lambda r: r["age"] > 30),
]


@A(P)
def query_objects_width(rows, rng):
    eps = 1.0 / len(QUERIES)
    return [q.value(rows) + rng.laplace(0, (q.high - q.low) / 2 / eps) for q in QUERIES]


@A(P)
def late_closures_disjoint_meant(rows, rng):
    tests = []
    for lo, hi in ((0, 40), (40, 80), (80, 121)):
        tests.append(lambda r: lo <= r["age"] < hi)
    return [sum(1 for r in rows if t(r)) + rng.laplace(0, 1.0) for t in tests]


LATE = [lambda r: r["age"] > t for t in (20, 40)]


def _make(t):
    return lambda r: r["age"] > t


MADE = [_make(t) for t in (20, 40)]


@A(P)
def nested_helpers(rows, rng):
    scale = 10.0

    def value(r):
        return min(max(r["income"], 0.0), top)

    top = 10.0

    def total():
        return sum(value(r) for r in rows)

    a = total() + rng.laplace(0, 2 * scale)
    top = 20.0
    return a, total() + rng.laplace(0, 2 * scale)


@A(P)
def nested_rebound(rows, rng):
    def value(r):
        return min(max(r["income"], 0.0), 1.0)

    a = sum(value(r) for r in rows) + rng.laplace(0, 2.0)

    def value(r):
        return r["income"]

    return a, sum(value(r) for r in rows) + rng.laplace(0, 2.0)


@A(L)
def cumulative_private(x, rng):
    c = [0, 0, 0]
    for v in x:
        c[min(2, int(3 * v))] += 1
    cum = [sum(c[: k + 1]) for k in range(3)]
    return [a + rng.laplace(0, 1.0) for a in cum]


@A(L)
def tree_recursion_one_level_too_many(x, rng):
    def node(lo, hi, depth):
        c = sum(1 for v in x if lo <= v < hi) + rng.laplace(0, 2.0)
        if depth == 0:
            return [c]
        mid = (lo + hi) / 2
        return [c, *node(lo, mid, depth - 1), *node(mid, hi, depth - 1)]

    return node(0.0, 1.01, 2)


@A(L)
def binary_search_wrong(x, rng):
    lo, hi = 0.0, 1.0
    for _ in range(4):
        mid = (lo + hi) / 2
        below = sum(1 if v < mid else -1 for v in x) + rng.laplace(0, 1.0)
        if below > 0:
            hi = mid
        else:
            lo = mid
    return (lo + hi) / 2


@A(U)
def adaptive_clip_wrong(x, rng):
    c = 1.0
    for _ in range(3):
        over = (x > c).sum() + rng.laplace(0, 6.0)
        if over < 10:
            c = c / 2
    return np.clip(x, 0, 1).sum() + rng.laplace(0, 2 * c)


@A(R3)
def broadcast_matrix_wrong(X, rng):
    s = X.sum(axis=0)
    return s + rng.laplace(0, 3.0, size=(3, 3))


@A(R3)
def column_plus_row_wrong(X, rng):
    s = X.sum(axis=0)
    return (s[:, None] + s[None, :]) + rng.laplace(0, 9.0, size=(3, 3))


@A(R3)
def scalar_draw_times_ones(X, rng):
    s = X.sum(axis=0)
    return s + rng.laplace(0, 3.0) * np.ones(3)


@A(R3)
def draw_column_broadcast(X, rng):
    return np.array([X[:, 0].sum(), X[:, 1].sum()]) + rng.laplace(0, 2.0, size=(1,))


@A(R3)
def loc_scalar_size_wrong(X, rng):
    return rng.laplace(X.sum(), 3.0, size=3)


@A(R3)
def scale_per_column_wrong(X, rng):
    return X.sum(axis=0) + rng.laplace(0, np.array([1.0, 2.0, 4.0]))


@A(XY, "GDP(mu=1)")
def gradient_without_clip(data, rng):
    X, y = data
    p = X @ np.array([0.1, 0.2]) - y
    G = X * p[:, None]
    return G.sum(axis=0) + rng.normal(0, math.sqrt(2), size=2)


@A(XY, relation="replace")
def slope_replace_wrong(data, rng):
    X, y = data
    n = len(y)
    sxy = (X[:, 0] * y).mean() + rng.laplace(0, 4 / n)
    sxx = (X[:, 0] ** 2).mean() + rng.laplace(0, 2 / n)
    return sxy / max(float(sxx), 0.01)


@A(U, relation="replace")
def size_branch_wrong(x, rng):
    n = len(x)
    if n < 10:
        return x.sum() + rng.laplace(0, 0.5)
    return x.sum() / n + rng.laplace(0, 1.0 / 10)


@A(U, relation="replace")
def size_minus_one(x, rng):
    n = len(x)
    return x.sum() / max(n - 1, 1) + rng.laplace(0, 1 / n)


@A(U, relation="replace")
def size_squared(x, rng):
    n = len(x)
    return x.sum() / n + rng.laplace(0, 1 / n**2)


@A(U, relation="replace")
def size_times_wrong(x, rng):
    n = len(x)
    return x.sum() * n + rng.laplace(0, 1.0)


@A(U, relation="replace")
def size_integer_division(x, rng):
    n = len(x)
    return x.mean() + rng.laplace(0, 1 / max(n // 2, 1))


@A(U, "GDP(mu=1)", relation="replace")
def size_gdp(x, rng):
    n = x.shape[0]
    return x.mean() + rng.normal(0, 1 / n), (x**2).mean() + rng.normal(0, 1 / n)


@A(L, relation="replace")
def list_mean_selected_wrong(x, rng):
    sel = [v - 0.5 for v in x if v > 0.2]
    return sum(sel) / len(x) + rng.laplace(0, 0.5 / len(x))


@A(P, relation="replace")
def groups_replace_one(rows, rng):
    t = {"a": 0, "b": 0, "c": 0}
    for r in rows:
        t[r["group"]] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in t.items()}


@A(USR, unit="user", most=2)
def user_two_tables_wrong(rows, rng):
    x = sum(1 for r in rows if r["kind"] == "x") + rng.laplace(0, 1.5)
    y = sum(1 for r in rows if r["kind"] == "y") + rng.laplace(0, 1.5)
    return x, y


@A(LANY)
def ternary_clip_nan(x, rng):
    return sum(1.0 if v > 1 else 0.0 if v < 0 else v for v in x) + rng.laplace(0, 1.0)


@A(ANY)
def sum_masks_weighted_wrong(x, rng):
    return ((x > 0) * 1.0 + (x > 1) * 2.0).sum() + rng.laplace(0, 2.0)


@A(CL)
def zip_then_enumerate(t, rng):
    s = 0.0
    for i, (a, b) in enumerate(zip(t["age"], t["income"])):
        s += 1 if i < 10 else 0
    return s + rng.laplace(0, 1.0)


@A(C)
def column_loop_pairs_wrong(t, rng):
    out = {}
    names = ["age", "income"]
    for a in names:
        for b in names:
            u = np.clip(t[a], 0, 1) * np.clip(t[b], 0, 1)
            out[f"{a}*{b}"] = u.sum() + rng.laplace(0, 3.0)
    return out


@A(C)
def same_key_overwritten(t, rng):
    out = {}
    for name in ("age", "income"):
        out["x"] = np.clip(t[name], 0, 1).sum() + rng.laplace(0, 1.0)
    return out


@A(C)
def correlation_wrong(t, rng):
    a = np.clip((t["age"] - 60) / 60, -1, 1)
    b = np.clip((t["income"] - 5) / 10, -1, 1)
    stats = np.array([a.sum(), b.sum(), (a * b).sum(), (a**2).sum(), (b**2).sum()])
    return stats + rng.laplace(0, 4.0, size=5)


@A(T)
def marginals_both_wrong(rows, rng):
    g_ = [0] * 4
    s_ = [0] * 2
    for a, b, g in rows:
        g_[g] += 1
        s_[int(a > 0)] += 1
    return [v + rng.laplace(0, 1.0) for v in g_ + s_]


@A(T)
def index_overwrites(rows, rng):
    c = [0] * 4
    for a, b, g in rows:
        c[g] = 1
    return [v + rng.laplace(0, 1.0) for v in c]


@A(T)
def weighted_by_lookup_dict(rows, rng):
    w = {0: 0.1, 1: 0.2, 2: 0.5, 3: 2.0}
    return sum(w[g] * a for a, b, g in rows) + rng.laplace(0, 1.0)
