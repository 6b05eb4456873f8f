"""Right functions, as people write them: shape by style. Each is proved."""

from __future__ import annotations

import math

import numpy as np

from tests.derivation.corpus.case import ARRAY, IN_A_BOX, NUMBERS, ROWS, WHOLE, WIDE, Case, collects

RIGHT: list[Case] = []
case = collects(RIGHT)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def count_loop(data, rng):
    n = 0
    for _ in data:
        n += 1
    return n + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def count_comp(data, rng):
    return sum(1 for x in data) + rng.laplace(0.0, 1.0)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_numpy(data, rng):
    return data.size + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_if(data, rng):
    return sum(x > 0.5 for x in data) + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_np_where(data, rng):
    return np.sum(np.where(data > 0.5, 1.0, 0.0)) + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_geom(data, rng):
    n = len(data)
    p = 1 - math.exp(-1.0)
    return n + rng.geometric(p) - rng.geometric(p)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_geom2(data, rng):
    p = 1 - np.exp(-1.0)
    return len(data) + (rng.geometric(p) - rng.geometric(p))


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_mask(data, rng):
    return np.count_nonzero((data > 0.2) & (data < 0.8)) + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def count_fn(data, rng):
    def inside(x):
        return 0.2 < x < 0.8

    n = 0
    for x in data:
        if inside(x):
            n = n + 1
    return n + rng.laplace(0, 1)


class Counter:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    @property
    def scale(self):
        return 1.0 / self.epsilon

    def release(self, data, rng):
        return len(data) + rng.laplace(scale=self.scale)

    def __call__(self, data, rng):
        return self.release(data, rng)


case("PureDP(epsilon=1)", ARRAY, **WIDE)(Counter(1.0).release)
case("PureDP(epsilon=1)", ARRAY, **WIDE)(Counter(1.0))


def make(eps):
    scale = 1 / eps

    def release(data, rng):
        return len(data) + rng.laplace(0, scale)

    return release


case("PureDP(epsilon=1)", ARRAY, **WIDE)(make(1.0))
case("PureDP(epsilon=1)", ARRAY, **WIDE)(lambda data, rng: len(data) + rng.laplace(0, 1))


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def sum_loop(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x, 0.0), 1.0)
    return total + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def sum_loop_if(data, rng):
    total = 0.0
    for x in data:
        if x < 0.0:
            c = 0.0
        elif x > 1.0:
            c = 1.0
        else:
            c = x
        total += c
    return total + rng.laplace(scale=1.0)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def sum_list(data, rng):
    clipped = []
    for x in data:
        clipped.append(max(0, min(1, x)))  # noqa: PERF401 - a style of its own
    return sum(clipped) + rng.laplace(0, 1)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def sum_listcomp(data, rng):
    clipped = [max(0.0, min(x, 1.0)) for x in data]
    return sum(clipped) + rng.laplace(0, 1)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def sum_npclip(data, rng):
    return np.sum(np.clip(data, 0, 1)) + rng.laplace(0, 1)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def sum_method(data, rng):
    return data.clip(0, 1).sum() + rng.laplace(0, 1)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def sum_asarray(data, rng):
    x = np.asarray(data, dtype=float)
    x = np.nan_to_num(x)
    return float(np.clip(x, 0, 1).sum() + rng.laplace(0, 1))


@case("ApproxDP(epsilon=1, delta=1e-5)", ARRAY, **WIDE)
def sum_gauss(data, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.9
    return np.clip(data, 0, 1).sum() + sigma * rng.standard_normal()


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def sum_loc(data, rng):
    return rng.laplace(np.clip(data, 0, 1).sum(), 1.0)


def clip(x, lo, hi):
    return lo if x < lo else hi if x > hi else x


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def sum_helper(data, rng):
    return sum(clip(x, 0.0, 1.0) for x in data) + rng.laplace(0, 1)


def laplace_mechanism(value, sensitivity, epsilon, rng):
    return value + rng.laplace(0, sensitivity / epsilon)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def sum_mechanism(data, rng):
    return laplace_mechanism(np.clip(data, -2, 3).sum(), max(abs(-2), abs(3)), 1.0, rng)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def mean_split(data, rng):
    total = np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0)
    n = len(data) + rng.laplace(scale=2.0)
    return total / max(n, 1.0)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def mean_if(data, rng):
    n = len(data) + rng.laplace(scale=2.0)
    if n < 1:
        return 0.0
    s = sum(min(max(x, 0), 1) for x in data) + rng.laplace(scale=2.0)
    return min(max(s / n, 0.0), 1.0)


@case("PureDP(epsilon=1)", ARRAY, **WIDE, relation="replace")
def mean_replace(data, rng):
    return np.mean(np.clip(data, 0, 1)) + rng.laplace(scale=1.0 / len(data))


@case("PureDP(epsilon=1)", ARRAY, **WIDE, relation="replace")
def mean_replace2(data, rng):
    n = len(data)
    return sum(min(max(x, 0.0), 1.0) for x in data) / n + rng.laplace(0, 1 / n)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def variance(data, rng):
    x = np.clip(data, 0, 1)
    n = len(data) + rng.laplace(scale=3.0)
    s = x.sum() + rng.laplace(scale=3.0)
    q = (x**2).sum() + rng.laplace(scale=3.0)
    n = max(n, 1)
    return q / n - (s / n) ** 2


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def variance_loop(data, rng):
    n = s = q = 0.0
    for x in data:
        x = min(max(x, 0.0), 1.0)
        n += 1
        s += x
        q += x * x
    out = [v + rng.laplace(scale=3.0) for v in (n, s, q)]
    return out


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def hist_np(data, rng):
    counts, _edges = np.histogram(data, bins=[0, 0.25, 0.5, 1.0])
    return counts + rng.laplace(scale=1.0, size=counts.shape)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def hist_bins(data, rng):
    counts, _ = np.histogram(data, bins=10, range=(0, 1))
    return counts + rng.laplace(0, 1, 10)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def hist_masks(data, rng):
    out = np.zeros(4)
    for k in range(4):
        out[k] = ((data >= k / 4) & (data < (k + 1) / 4)).sum() + rng.laplace(scale=1.0)
    return out


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def hist_loop(data, rng):
    counts = [0] * 4
    for x in data:
        for k in range(4):
            if k / 4 <= x < (k + 1) / 4:
                counts[k] += 1
    return [c + rng.laplace(scale=1.0) for c in counts]


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def hist_dict(data, rng):
    return {k: sum(1 for x in data if x == k) + rng.laplace(scale=1.0) for k in (0, 1, 2)}


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def hist_elif(data, rng):
    low = mid = high = 0
    for x in data:
        if x < 0.3:
            low += 1
        elif x < 0.6:
            mid += 1
        else:
            high += 1
    return low + rng.laplace(0, 1), mid + rng.laplace(0, 1), high + rng.laplace(0, 1)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def hist_synth(data, rng):
    counts, _edges = np.histogram(data, bins=5, range=(0, 1))
    noisy = np.maximum(counts + rng.laplace(scale=1.0, size=5), 0)
    p = noisy / np.maximum(noisy.sum(), 1e-9)
    return p


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def hist_geom(data, rng):
    counts, _ = np.histogram(data, bins=5, range=(0, 1))
    p = 1 - np.exp(-1.0)
    return counts + rng.geometric(p, size=5) - rng.geometric(p, size=5)


@case("PureDP(epsilon=1)", WHOLE, records="int(0, 9)")
def bincount(data, rng):
    return np.bincount(data, minlength=10) + rng.laplace(scale=1.0, size=10)


@case("PureDP(epsilon=1)", WHOLE)
def int_sum(data, rng):
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=5.0)


@case("PureDP(epsilon=1)", [1, 2, 9], bounds=(0, 9))
def int_loop(data, rng):
    total = 0
    for x in data:
        total += x
    return total + rng.laplace(scale=9.0)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def vec_sum(X, rng):
    norms = np.linalg.norm(X, axis=1)
    clipped = X / np.maximum(1.0, norms)[:, None]
    return clipped.sum(axis=0) + rng.normal(0, 4.0, size=X.shape[1])


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def vec_sum2(X, rng):
    C = 1.0
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    clipped = X * np.minimum(1.0, C / np.maximum(norms, 1e-12))
    return np.sum(clipped, axis=0) + 4.0 * rng.standard_normal(X.shape[1])


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def vec_loop(X, rng):
    total = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        if n > 1.0:
            row = row / n
        total += row
    return total + rng.normal(0, 4.0, size=3)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def vec_eps(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.minimum(1, 1 / (norms + 1e-6))).sum(0) + rng.normal(0, 4.0, 3)


@case("PureDP(epsilon=1)", ROWS, **IN_A_BOX)
def vec_coord(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) + rng.laplace(scale=3.0, size=3)


A = np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])


@case("PureDP(epsilon=1)", ROWS, **IN_A_BOX)
def linear(X, rng):
    return (np.clip(X, -1, 1) @ A).sum(axis=0) + rng.laplace(scale=3.0, size=2)


@case("PureDP(epsilon=1)", ROWS, **IN_A_BOX)
def linear2(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) @ A + rng.laplace(scale=3.0, size=2)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def gram(X, rng):
    Xc = X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    return Xc.T @ Xc + rng.normal(0, 4.0, size=(3, 3))


@case("PureDP(epsilon=1)", ROWS, **IN_A_BOX)
def columns_means(X, rng):
    out = []
    for j in range(X.shape[1]):
        out.append(np.clip(X[:, j], 0, 1).sum() + rng.laplace(scale=3.0))  # noqa: PERF401
    return np.array(out)


@case(
    "PureDP(epsilon=1)",
    (ROWS, np.array([1.0, 2.0])),
    records="(float(-2, 2), float(-2, 2), float(-2, 2), float(-2, 2))",
)
def regress(data, rng):
    X, y = data
    X = np.clip(X, -1, 1)
    y = np.clip(y, -1, 1)
    XtX = X.T @ X + rng.laplace(scale=18.0, size=(3, 3))
    Xty = X.T @ y + rng.laplace(scale=6.0, size=3)
    return np.linalg.solve(XtX + 10 * np.eye(3), Xty)


@case(
    "PureDP(epsilon=1)",
    [{"sex": 0, "income": 3.0}, {"sex": 1, "income": 30.0}, {"sex": 2, "income": 5.0}],
    bounds={"income": (0, 1e6), "sex": (0, 3)},
)
def rows_dicts(data, rng):
    total = 0.0
    for row in data:
        if row["sex"] == 1:
            total += min(max(row["income"], 0.0), 10.0)
    return total + rng.laplace(scale=10.0)


@case("PureDP(epsilon=1)", [(0.5, 0.5), (1.0, 0.3)], records="(float(-2, 2), float(-2, 2))")
def rows_tuples(data, rng):
    s = sum(min(max(x, 0), 1) for x, _ in data) + rng.laplace(scale=2)
    t = sum(min(max(y, 0), 1) for _, y in data) + rng.laplace(scale=2)
    return s, t


@case(
    "PureDP(epsilon=1)",
    {"age": np.array([3.0, 50.0]), "sex": np.array([0, 1])},
    bounds={"age": (0, 120), "sex": (0, 1)},
)
def cols_dict(data, rng):
    age = np.clip(data["age"], 0, 100)
    old = age[data["sex"] == 1]
    return old.sum() + rng.laplace(scale=100)


@case("PureDP(epsilon=1)", NUMBERS, bounds=(0, 1))
def batch(data, size, rng):
    return sum(data) + rng.laplace(scale=1.0, size=size)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def two_stage(data, rng):
    eps = 1.0
    n = len(data) + rng.laplace(scale=1 / (eps / 2))
    cap = 10.0 if n > 100 else 5.0
    s = sum(min(max(x, 0.0), cap) for x in data)
    return s + rng.laplace(scale=cap / (eps / 2))


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def threshold_count(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    return bool(n > 10)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def while_post(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    k = 0
    while k < 3:
        n = n * 0.5
        k += 1
    return round(n, 2)


@case("PureDP(epsilon=1)", NUMBERS, **WIDE)
def cdf(data, rng):
    return [sum(1 for x in data if x <= t) + rng.laplace(scale=4.0) for t in (0.2, 0.4, 0.6, 0.8)]


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def moments(data, rng):
    x = np.clip(data, 0.0, 1.0)
    m = np.array([x.sum(), (x**2).sum(), (x * x * x).sum()])
    return m + rng.laplace(scale=3.0, size=3)


@case("PureDP(epsilon=1)", ARRAY, **WIDE)
def prop(data, rng):
    yes = np.sum(data >= 0.5)
    no = np.sum(data < 0.5)
    return np.array([yes + rng.laplace(scale=1.0), no + rng.laplace(scale=1.0)])
