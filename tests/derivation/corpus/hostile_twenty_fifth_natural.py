"""Natural code of the twenty-fifth reading: ATTACKS are wrong and stop (or are above the claim), RIGHT are right.

Where `f` is given it is called, and the function of that name only names it. `STOPPED` are right, and not proved.
"""

import functools
import math
from dataclasses import dataclass
from functools import partial, reduce

from tests.derivation.corpus import hostile_twenty_fifth_helpers as h
import numpy as np
from tests.derivation.corpus.hostile_twenty_fifth_helpers import CAPS, clip, lap

ATTACKS, RIGHT = {}, {}
STOPPED = (
    "columns_loop_caps_split",
    "adaptive_scale_right",
    "adaptive_clip",
    "one_gradient",
    "kmeans_step",
    "noise_from_helper_two",
)
N0 = np.array([])
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=N0, d1=np.array([1.0]))
FW = dict(data=F, bounds="-5:5", d0=N0, d1=np.array([5.0]))
FA = dict(data=F, d0=np.array([0.5]), d1=np.array([0.5, np.nan]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
LW = dict(data=[0.5, 1.0], bounds="-5:5", d0=[], d1=[5.0])
LA = dict(data=[0.5, 1.0], d0=[0.5], d1=[0.5, float("nan")])
ID = dict(data=[1, 2], bounds="0:3", d0=[], d1=[3])
KD = dict(data=np.array([1, 2]), bounds="0:3", d0=np.array([], dtype=int), d1=np.array([3]))
X2 = np.array([[0.5, 1.0], [0.25, 0.5]])
XD = dict(data=X2, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
XW = dict(data=X2, bounds="-5:5", d0=np.zeros((0, 2)), d1=np.array([[5.0, 5.0]]))
X3 = np.array([[0.5, 1.0, 0.25], [0.25, 0.5, 0.5]])
X3D = dict(data=X3, bounds="-1:1", d0=np.zeros((0, 3)), d1=np.ones((1, 3)))
XYD = dict(data=(X2, np.array([0.5, 1.0])), bounds="-1:1", d0=(np.zeros((0, 2)), N0), d1=(np.ones((1, 2)), np.ones(1)))
RD = dict(
    data=[{"age": 30.0, "sex": "f", "n": 1}, {"age": 40.0, "sex": "m", "n": 2}],
    records="{'age': float(0, 100), 'sex': choice('f', 'm', 'x'), 'n': int(0, 9)}",
    d0=[],
    d1=[{"age": 100.0, "sex": "x", "n": 9}],
)
TD = dict(
    data=[("f", 30.0, 1), ("m", 40.0, 2)],
    records="(choice('f', 'm', 'x'), float(0, 100), int(0, 9))",
    d0=[],
    d1=[("x", 100.0, 9)],
)
CD = dict(
    data={"age": np.array([30.0, 40.0]), "inc": np.array([10.0, 20.0]), "k": np.array([0, 1])},
    bounds={"age": (0, 100), "inc": (0, 1000), "k": (0, 3)},
    d0={"age": N0, "inc": N0, "k": np.array([], dtype=int)},
    d1={"age": np.array([100.0]), "inc": np.array([1000.0]), "k": np.array([3])},
)
UD = dict(
    data=[("u", 0.5), ("v", 1.0)],
    records="(text, float(0, 1))",
    unit="[0]",
    most_per_unit=3,
    d0=[],
    d1=[("w", 1.0)] * 3,
)
RP = dict(relation="replace")


def _kept(kept):
    def A(base=None, claim="PureDP(epsilon=1)", **k):
        def d(g):
            kept[g.__name__] = dict(claim=claim, **{**(base or {}), **k})
            return g

        return d

    return A


A, R = _kept(ATTACKS), _kept(RIGHT)


# ---------- 1: sensitivity of a sum, count, mean
@A(LW)
def clip_to_range_uses_width(data, rng):
    lo, hi = 2.0, 3.0
    return sum(clip(x, lo, hi) for x in data) + lap(rng, hi - lo, 1.0)


@R(LW)
def clip_to_range_uses_most(data, rng):
    lo, hi = -1.0, 3.0
    return sum(clip(x, lo, hi) for x in data) + lap(rng, max(abs(lo), abs(hi)), 1.0)


@A(LW, d0=[0.0], d1=[5.0], **RP)
def replace_uses_most(data, rng):
    lo, hi = -1.0, 1.0
    return sum(clip(x, lo, hi) for x in data) + lap(rng, max(abs(lo), abs(hi)), 1.0)


@R(LW, **RP)
def replace_uses_width(data, rng):
    lo, hi = -1.0, 1.0
    return sum(clip(x, lo, hi) for x in data) + lap(rng, hi - lo, 1.0)


@A(LD)
def mean_noisy_over_private_n(data, rng):
    return (sum(data) + lap(rng, 1.0, 1.0)) / max(len(data), 1)


@A(LD)
def mean_scale_over_private_n(data, rng):
    n = len(data)
    return sum(data) / max(n, 1) + lap(rng, 1.0 / max(n, 1), 1.0)


@R(LD)
def mean_of_two_releases(data, rng):
    s = sum(data) + lap(rng, 1.0, 0.5)
    n = len(data) + lap(rng, 1.0, 0.5)
    return s / max(n, 1.0)


@A(LD)
def mean_of_two_releases_full(data, rng):
    s = sum(data) + lap(rng, 1.0, 1.0)
    n = len(data) + lap(rng, 1.0, 1.0)
    return s / max(n, 1.0), s, n


@R(FD, **RP)
def np_mean_replace(x, rng):
    n = len(x)
    return np.mean(x) + rng.laplace(0, 1.0 / n)


@A(FW, d0=np.array([-5.0]), d1=np.array([5.0]), **RP)
def np_mean_replace_half(x, rng):
    return np.clip(x, -1, 1).mean() + rng.laplace(0, 1.0 / x.size)


@A(FD)
def count_positive_int(x, rng):
    return int(np.sum(x > 0)) + rng.laplace(0, 0.5)


@R(FD)
def count_positive(x, rng):
    return float(np.count_nonzero(x > 0.3)) + rng.laplace(0, 1.0)


# ---------- 2: NaN, dtypes
@A(LA)
def nan_through_if(data, rng):
    t = 0.0
    for x in data:
        t += h.clip_keep_nan(x, 0.0, 1.0)
    return t + rng.laplace(0, 1.0)


@A(FA)
def nan_through_np_clip(x, rng):
    return np.clip(x, 0, 1).sum() + rng.laplace(0, 1.0)


@R(FA)
def nan_to_zero(x, rng):
    return np.clip(np.nan_to_num(x), 0.0, 1.0).sum() + rng.laplace(0, 1.0)


@A(FA, d1=np.array([0.5, np.inf]))
def nan_to_num_after_clip_inf(x, rng):
    return (np.nan_to_num(x) * 0.0).sum() + np.nan_to_num(x).sum() + rng.laplace(0, 1.0)


@R(FA)
def nan_filtered(x, rng):
    keep = x[~np.isnan(x)]
    return np.clip(keep, 0.0, 1.0).sum() + rng.laplace(0, 1.0)


@A(LA)
def nan_min_max_order(data, rng):
    return sum(min(1.0, max(x, 0.0)) for x in data) + rng.laplace(0, 1.0)


@R(LA)
def nan_min_max_order_right(data, rng):
    return sum(min(1.0, max(0.0, x)) for x in data) + rng.laplace(0, 1.0)


@A(LA)
def nan_max_min(data, rng):
    return sum(max(min(x, 1.0), 0.0) for x in data) + rng.laplace(0, 1.0)


@R(LA)
def nan_max_of_min_right(data, rng):
    return sum(max(0.0, min(1.0, x)) for x in data) + rng.laplace(0, 1.0)


@A(LA)
def nan_comparisons_not(data, rng):
    inside = [x for x in data if not (x < 0.0 or x > 1.0)]
    return sum(inside) + rng.laplace(0, 1.0)


@R(LA)
def nan_comparisons(data, rng):
    inside = [x for x in data if 0.0 <= x <= 1.0]
    return sum(inside) + rng.laplace(0, 1.0)


@A(FA)
def nan_where(x, rng):
    y = np.where(x > 1.0, 1.0, np.where(x < 0.0, 0.0, x))
    return y.sum() + rng.laplace(0, 1.0)


@R(FA)
def nan_where_right(x, rng):
    y = np.where((x >= 0.0) & (x <= 1.0), x, 0.0)
    return y.sum() + rng.laplace(0, 1.0)


@A(FA)
def nan_fmax(x, rng):
    y = np.fmin(np.maximum(x, 0.0), 1.0)
    return (y * 2.0).sum() + rng.laplace(0, 1.0)


@R(FA)
def nan_fmin_fmax(x, rng):
    return np.fmin(np.fmax(x, 0.0), 1.0).sum() + rng.laplace(0, 1.0)


@A(dict(data=np.array([1, 2], dtype=np.int8), d0=np.array([], dtype=np.int8), d1=np.array([100, 100], dtype=np.int8)))
def int8_sums(x, rng):
    return np.sum(x * x) / 1e4 + rng.laplace(0, 1.7)


@R(dict(data=np.array([1, 2], dtype=np.int8), d0=np.array([], dtype=np.int8), d1=np.array([100], dtype=np.int8)))
def int8_as_float(x, rng):
    y = x.astype(float) / 128.0
    return y.sum() + rng.laplace(0, 1.0)


@A(dict(data=np.array([1, 2], dtype=np.uint8), d0=np.array([], dtype=np.uint8), d1=np.array([0], dtype=np.uint8)))
def uint8_minus(x, rng):
    return np.clip(x - 1, 0, 10).sum() + rng.laplace(0, 10.0)


@A(
    dict(
        data=np.array([0.5, 1.0], dtype=np.float32),
        bounds="0:1",
        d0=np.zeros(0, dtype=np.float32),
        d1=np.ones(1, dtype=np.float32),
    )
)
def float32_half(x, rng):
    return x.astype(np.float64).sum() + rng.laplace(0, 0.5)


@A(dict(data=[True, False], d0=[], d1=[True]))
def bool_sum_half(data, rng):
    return sum(data) + rng.laplace(0, 0.5)


@R(dict(data=[True, False], d0=[], d1=[True]))
def bool_sum(data, rng):
    return sum(1 for x in data if x) + rng.laplace(0, 1.0)


@A(dict(data=np.array([True, False]), d0=np.zeros(0, bool), d1=np.ones(1, bool)))
def bool_minus(x, rng):
    return (2.0 * x - 1.0).sum() * 2 + rng.laplace(0, 1.0)


@R(dict(data=np.array([True, False]), d0=np.zeros(0, bool), d1=np.ones(1, bool)))
def bool_float(x, rng):
    return (2.0 * x - 1.0).sum() + rng.laplace(0, 1.0)


@A(dict(data=np.array([1, 2]), d0=np.array([], dtype=int), d1=np.array([-(2**63)])))
def abs_of_int_min(x, rng):
    return np.minimum(np.abs(x), 1).sum() + rng.laplace(0, 1.0)


@A(dict(data=np.array([1, 2]), d0=np.array([], dtype=int), d1=np.array([2**62])))
def square_wraps(x, rng):
    return np.clip(x * x, 0, 1).sum() + rng.laplace(0, 1.0)


@A(ID, d1=[3])
def int_division(data, rng):
    return sum(x // 2 for x in data) * 2 + rng.laplace(0, 1.0)


@R(ID)
def int_division_right(data, rng):
    return sum(x // 2 for x in data) + rng.laplace(0, 1.0)


@R(ID)
def int_mod(data, rng):
    return sum(x % 2 for x in data) + rng.laplace(0, 1.0)


# ---------- 3: vectors
@A(XD)
def columns_scale_for_one(X, rng):
    return X.sum(axis=0) + rng.laplace(0, 1.0, size=2)


@R(XD)
def columns_scale_for_two(X, rng):
    return X.sum(axis=0) + rng.laplace(0, 2.0, size=2)


@A(XD)
def columns_shared_noise(X, rng):
    return X.sum(axis=0) + rng.laplace(0, 2.0)


@A(XD, claim="GDP(mu=1)")
def columns_gauss_l2_one(X, rng):
    return X.sum(axis=0) + rng.normal(0, 1.0, size=2)


@R(XD, claim="GDP(mu=1)")
def columns_gauss_l2(X, rng):
    return X.sum(axis=0) + rng.normal(0, math.sqrt(2.0), size=X.shape[1])


@A(XD, claim="PureDP(epsilon=1)")
def columns_l2_for_laplace(X, rng):
    return X.sum(axis=0) + rng.laplace(0, math.sqrt(2.0), size=2)


@A(XW, claim="GDP(mu=1)")
def rows_norm_clip_eps(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(norms - 1.0, 1.0)
    return Y.sum(axis=0) + rng.normal(0, 1.0, size=2)


@R(XW, claim="GDP(mu=1)")
def rows_norm_clip(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(norms, 1.0)
    return Y.sum(axis=0) + rng.normal(0, 1.0, size=2)


@R(XW, claim="GDP(mu=1)")
def rows_norm_clip_min(X, rng):
    norms = np.linalg.norm(X, axis=1)
    Y = X * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-12))[:, None]
    return Y.sum(axis=0) + rng.normal(0, 1.0, size=2)


@A(XW, claim="GDP(mu=1)", relation="replace", d0=np.array([[5.0, 5.0]]), d1=np.array([[-5.0, -5.0]]))
def rows_norm_clip_replace(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(norms, 1.0)
    return Y.sum(axis=0) + rng.normal(0, 1.0, size=2)


@R(XW, claim="GDP(mu=1)", relation="replace")
def rows_norm_clip_replace_right(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(norms, 1.0)
    return Y.sum(axis=0) + rng.normal(0, 2.0, size=2)


@A(X3D, claim="PureDP(epsilon=1)")
def gram_upper_only(X, rng):
    G = X.T @ X
    return G + rng.laplace(0, 6.0, size=(3, 3))


@R(X3D, claim="PureDP(epsilon=1)")
def gram_all(X, rng):
    G = X.T @ X
    return G + rng.laplace(0, 9.0, size=(3, 3))


@A(X3D, claim="GDP(mu=1)")
def gram_gauss_two(X, rng):
    return X.T @ X + rng.normal(0, 2.0, size=(3, 3))


@R(X3D, claim="GDP(mu=1)")
def gram_gauss(X, rng):
    return X.T @ X + rng.normal(0, 3.0, size=(3, 3))


@A(XYD)
def regression_one_budget(data, rng):
    X, y = data
    A = X.T @ X + rng.laplace(0, 4.0, size=(2, 2))
    b = X.T @ y + rng.laplace(0, 2.0, size=2)
    return np.linalg.solve(A + np.eye(2) * 10.0, b), A, b


@R(XYD)
def regression_two_budgets(data, rng):
    X, y = data
    A = X.T @ X + rng.laplace(0, 8.0, size=(2, 2))
    b = X.T @ y + rng.laplace(0, 4.0, size=2)
    return np.linalg.solve(A + np.eye(2) * 10.0, b)


@A(XYD)
def regression_y_not_clipped(data, rng):
    X, y = data
    Xc, yc = np.clip(X, -0.5, 0.5), y * 1.0
    A = Xc.T @ Xc + rng.laplace(0, 2.0, size=(2, 2))
    b = Xc.T @ yc + rng.laplace(0, 1.0, size=2)
    return A, b


@A(XYD)
def standardised_by_public_then_larger(data, rng):
    X, y = data
    mu, sd = np.array([0.5, 0.5]), np.array([0.25, 0.25])
    Z = (X - mu) / sd
    return Z.sum(axis=0) + rng.laplace(0, 4.0, size=2)


@R(XYD)
def standardised_by_public(data, rng):
    X, y = data
    mu, sd = np.array([0.5, 0.5]), np.array([0.25, 0.25])
    Z = np.clip((X - mu) / sd, -1.0, 1.0)
    return Z.sum(axis=0) + rng.laplace(0, 2.0, size=2)


@A(XD)
def standardised_by_data(X, rng):
    Z = X - X.mean(axis=0)
    return Z.sum(axis=0) + rng.laplace(0, 2.0, size=2)


@A(X3D, claim="GDP(mu=1)")
def projected(X, rng):
    P = np.array([[1.0, 1.0], [1.0, -1.0], [0.0, 1.0]])
    return X @ P @ np.eye(2) if False else (X @ P).sum(axis=0) + rng.normal(0, 2.0, size=2)


@R(X3D, claim="GDP(mu=1)")
def projected_right(X, rng):
    P = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    return (X @ P).sum(axis=0) + rng.normal(0, math.sqrt(2.0) + 1e-9, size=2)


@A(XD)
def noise_added_to_one_row(X, rng):
    C = X.sum(axis=0)
    n = rng.laplace(0, 2.0, size=2)
    C[0] = C[0] + n[0]
    return C[0], C[1] + n[0]


@A(XD)
def noise_reused_for_mean_and_sum(X, rng):
    n = rng.laplace(0, 2.0, size=2)
    s = X.sum(axis=0) + n
    return s, X[:, 0].sum() + n[0]


import dpverify as dpv
from tests.derivation.corpus import hostile_twenty_fifth_helpers as h
from tests.derivation.corpus.hostile_twenty_fifth_helpers import Spec, bounds_of, sigma_for

EDGES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
GEN = np.random.default_rng()


@dpv.noise_primitive(law="laplace")
def add_laplace(value, scale):
    return value + GEN.laplace(0, scale, size=np.shape(value) or None)


@dpv.noise_primitive(law="gaussian", scale_arg="sigma")
def add_gauss(value, sigma, rng=None):
    g = GEN if rng is None else rng
    return value + g.normal(0, sigma, size=np.shape(value) or None)


# ---------- histograms
@R(FD)
def hist_np(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c + rng.laplace(0, 1.0, size=len(c))


@A(FD, d0=np.array([0.1]), d1=np.array([0.9]), **RP)
def hist_np_replace(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c + rng.laplace(0, 1.0, size=len(c))


@R(FD, **RP)
def hist_np_replace_right(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c + rng.laplace(0, 2.0, size=len(c))


@A(FD, claim="GDP(mu=1)", d0=np.array([0.1]), d1=np.array([0.9]), **RP)
def hist_gauss_replace(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c + rng.normal(0, 1.0, size=len(c))


@R(FD, claim="GDP(mu=1)", **RP)
def hist_gauss_replace_right(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c + rng.normal(0, 2.0, size=len(c))


@A(FD)
def hist_cumulated(x, rng):
    c = np.array([(x <= e).sum() for e in EDGES[1:]])
    return c + rng.laplace(0, 1.0, size=4)


@R(FD)
def hist_cumulated_after(x, rng):
    c, e = np.histogram(x, bins=4, range=(0, 1))
    return np.cumsum(c + rng.laplace(0, 1.0, size=4)), e


@A(FD)
def hist_overlaps_at_edges(x, rng):
    c = [np.sum((x >= lo) & (x <= hi)) for lo, hi in zip(EDGES[:-1], EDGES[1:])]
    return [n + rng.laplace(0, 1.0) for n in c]


@R(FD)
def hist_half_open(x, rng):
    c = [np.sum((x >= lo) & (x < hi)) for lo, hi in zip(EDGES[:-1], EDGES[1:])]
    return [n + rng.laplace(0, 1.0) for n in c]


@A(FD)
def hist_one_noise(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c + rng.laplace(0, 1.0)


@A(FD)
def hist_two_grids(x, rng):
    a, _ = np.histogram(x, bins=2, range=(0, 1))
    b, _ = np.histogram(x, bins=4, range=(0, 1))
    return a + rng.laplace(0, 1.0, size=2), b + rng.laplace(0, 1.0, size=4)


@R(FD)
def hist_two_grids_split(x, rng):
    a, _ = np.histogram(x, bins=2, range=(0, 1))
    b, _ = np.histogram(x, bins=4, range=(0, 1))
    return a + rng.laplace(0, 2.0, size=2), b + rng.laplace(0, 2.0, size=4)


@R(KD)
def bins_counted(x, rng):
    return np.bincount(x, minlength=4) + rng.laplace(0, 1.0, size=4)


@A(KD)
def bins_short(x, rng):
    return np.bincount(x, minlength=2)[:2] + rng.laplace(0, 1.0, size=2)


@A(KD)
def bins_squared(x, rng):
    return np.bincount(x * x % 4, minlength=4) * 2 + rng.laplace(0, 1.0, size=4)


@R(KD)
def bins_of_clipped(x, rng):
    return np.bincount(np.clip(x, 0, 2), minlength=3)[:2] + rng.laplace(0, 1.0, size=2)


@A(FD)
def hist_nonzero_only(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return [n + rng.laplace(0, 1.0) for n in c if n > 0]


@R(FD)
def hist_shares(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    noisy = np.maximum(c + rng.laplace(0, 1.0, size=4), 0.0)
    return noisy / np.maximum(noisy.sum(), 1.0)


@A(FD)
def hist_normalised_before(x, rng):
    c, _ = np.histogram(x, bins=EDGES)
    return c / c.sum() + rng.laplace(0, 1.0, size=4)


@R(FD)
def hist_range_is_not_all(x, rng):
    c, _ = np.histogram(x, bins=3, range=(0.2, 0.8))
    return c * 1.0 + rng.laplace(0, 1.0, size=3)


@A(FD)
def quantile_by_counts(x, rng):
    grid = np.linspace(0, 1, 5)
    counts = [np.sum(x <= g) + rng.laplace(0, 1.0) for g in grid]
    return [float(c) for c in counts]


@R(FD)
def quantile_by_counts_split(x, rng):
    grid = np.linspace(0, 1, 5)
    counts = [np.sum(x <= g) + rng.laplace(0, len(grid)) for g in grid]
    return counts


@R(FD)
def median_by_hist(x, rng):
    c, e = np.histogram(x, bins=EDGES)
    cum = np.cumsum(c + rng.laplace(0, 1.0, size=4))
    return e[int(np.argmax(cum))] if False else int(np.argmax(cum))


# ---------- dicts and texts
@R(RD)
def sex_counts(rows, rng):
    c = {"f": 0, "m": 0, "x": 0}
    for r in rows:
        c[r["sex"]] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@A(RD)
def sex_counts_get(rows, rng):
    c = {}
    for r in rows:
        c[r["sex"]] = c.get(r["sex"], 0) + 1
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@A(RD)
def sex_and_all(rows, rng):
    c = {"f": 0, "m": 0, "x": 0, "all": 0}
    for r in rows:
        c[r["sex"]] += 1
        c["all"] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@R(RD)
def sex_and_all_split(rows, rng):
    c = {"f": 0, "m": 0, "x": 0, "all": 0}
    for r in rows:
        c[r["sex"]] += 1
        c["all"] += 1
    return {k: v + rng.laplace(0, 2.0) for k, v in c.items()}


@A(RD)
def age_by_sex_two_conditions(rows, rng):
    out = {}
    for s in ("f", "m", "x"):
        out[s] = sum(r["age"] for r in rows if r["sex"] == s or r["age"] > 60) + rng.laplace(0, 100.0)
    return out


@R(RD)
def age_by_sex(rows, rng):
    out = {}
    for s in ("f", "m", "x"):
        out[s] = sum(r["age"] for r in rows if r["sex"] == s) + rng.laplace(0, 100.0)
    return out


@A(RD)
def mean_age_by_sex_one_budget(rows, rng):
    out = {}
    for s in ("f", "m", "x"):
        ages = [r["age"] / 100.0 for r in rows if r["sex"] == s]
        out[s] = (sum(ages) + rng.laplace(0, 1.0), len(ages) + rng.laplace(0, 1.0))
    return out


@R(RD)
def mean_age_by_sex(rows, rng):
    out = {}
    for s in ("f", "m", "x"):
        ages = [r["age"] / 100.0 for r in rows if r["sex"] == s]
        out[s] = (sum(ages) + rng.laplace(0, 2.0), len(ages) + rng.laplace(0, 2.0))
    return out


@A(RD)
def flags_summed(rows, rng):
    total = 0
    for r in rows:
        flags = [r["age"] > 18, r["age"] > 65, r["n"] > 3, r["sex"] == "f"]
        total += sum(1 for f in flags if f)
    return total + rng.laplace(0, 3.0)


@R(RD)
def flags_summed_right(rows, rng):
    total = 0
    for r in rows:
        flags = [r["age"] > 18, r["age"] > 65, r["n"] > 3, r["sex"] == "f"]
        total += sum(1 for f in flags if f)
    return total + rng.laplace(0, 4.0)


@A(TD)
def unpacked_wrong_field(rows, rng):
    return sum(min(age, 50.0) * n for _, age, n in rows) / 50 + rng.laplace(0, 1.0)


@R(TD)
def unpacked(rows, rng):
    return sum(min(age, 50.0) * n for _, age, n in rows) / 450 + rng.laplace(0, 1.0)


@A(CD)
def columns_loop_caps(data, rng):
    out = {}
    for name in ("age", "inc"):
        lo, hi = CAPS[name]
        out[name] = np.clip(data[name], lo, hi).sum() / hi + rng.laplace(0, 1.0)
    return out


@R(CD)
def columns_loop_caps_split(data, rng):
    out = {}
    for name in ("age", "inc"):
        lo, hi = CAPS[name]
        out[name] = np.clip(data[name], lo, hi).sum() / hi + rng.laplace(0, 1.01)
    return out


@A(CD)
def columns_closures_late(data, rng):
    clippers = []
    for hi in (1.0, 10.0, 100.0):
        clippers.append(lambda v: np.minimum(v, hi))
    return clippers[0](data["age"]).sum() + rng.laplace(0, 1.0)


@R(CD)
def columns_closures_bound(data, rng):
    clippers = []
    for hi in (1.0, 10.0, 100.0):
        clippers.append(lambda v, hi=hi: np.minimum(v, hi))
    return clippers[0](data["age"]).sum() + rng.laplace(0, 1.0)


@A(CD)
def crosstab_wrong(data, rng):
    old, rich = data["age"] > 50, data["inc"] > 500
    t = [[np.sum(a & b) for b in (rich, rich | old)] for a in (old, ~old)]
    return [[c + rng.laplace(0, 1.0) for c in row] for row in t]


@R(CD)
def crosstab(data, rng):
    old, rich = data["age"] > 50, data["inc"] > 500
    t = [[np.sum(a & b) for b in (rich, ~rich)] for a in (old, ~old)]
    return [[c + rng.laplace(0, 1.0) for c in row] for row in t]


@A(CD)
def per_group_sums_full(data, rng):
    out = []
    for g in range(4):
        m = data["k"] == g
        out.append(data["inc"][m].sum() / 1000 + rng.laplace(0, 1.0))
        out.append(m.sum() + rng.laplace(0, 2.0))
    return out


@R(CD)
def per_group_sums(data, rng):
    out = []
    for g in range(4):
        m = data["k"] == g
        out.append(data["inc"][m].sum() / 1000 + rng.laplace(0, 2.0))
        out.append(m.sum() + rng.laplace(0, 2.0))
    return out


@A(CD)
def per_group_cumulative(data, rng):
    return [data["inc"][data["k"] >= g].sum() / 1000 + rng.laplace(0, 2.0) for g in range(4)]


@R(CD)
def ages_and_k_table(data, rng):
    t = np.zeros((2, 4))
    for age, k in zip(data["age"], data["k"]):
        t[1 if age > 50 else 0, k] += 1
    return t + rng.laplace(0, 1.0, size=(2, 4))


@A(CD)
def ages_and_k_table_two(data, rng):
    t = np.zeros((2, 4))
    for age, k in zip(data["age"], data["k"]):
        t[1 if age > 50 else 0, k] += 1
        t[0, 0] += 1
    return t + rng.laplace(0, 1.0, size=(2, 4))


# ---------- classes
@R(LW, f=h.Wide())
def class_wide():
    pass


@A(LW, f=h.Shifted())
def class_shifted():
    pass


@A(LW, f=h.Twice())
def class_twice():
    pass


@R(LW, f=h.Mechanism())
def class_plain():
    pass


@A(LW, f=h.Mechanism(2.0))
def class_eps():
    pass


class Study(h.Mechanism):
    def __init__(self, columns, eps):
        h.Mechanism.__init__(self, eps)
        self.columns = columns

    @property
    def scale(self):
        return len(self.columns) / self.eps

    def release(self, data, rng):
        return {c: self._one(data[c], c, rng) for c in self.columns}

    def _one(self, v, c, rng):
        lo, hi = bounds_of(c)
        return np.clip(v, lo, hi).sum() / (hi - lo) + rng.laplace(0, self.scale)


class StudyWrong(Study):
    @property
    def scale(self):
        return 1.0 / self.eps


@R(CD, f=Study(["age"], 1.0).release)
def study_one():
    pass


@A(CD, f=StudyWrong(["age", "age"], 1.0).release)
def study_same_twice():
    pass


class Inc(Study):
    def release(self, data, rng):
        return [self._one(data[c], "age", rng) for c in self.columns]


@R(CD, f=Inc(["age", "inc"], 1.0).release)
def study_two():
    pass


class IncWrong(Inc):
    @property
    def scale(self):
        return 1.0 / self.eps


@A(CD, f=IncWrong(["age", "inc"], 1.0).release)
def study_two_wrong():
    pass


SPEC = Spec()
SPEC2 = Spec(lo=-1.0, hi=1.0)


@R(LW)
def spec_sum(data, rng, spec=SPEC):
    return sum(clip(x, spec.lo, spec.hi) for x in data) + rng.laplace(0, spec.width / spec.eps)


@A(LW)
def spec_sum_offset(data, rng, spec=Spec(lo=4.0, hi=5.0)):
    return sum(clip(x, spec.lo, spec.hi) for x in data) + rng.laplace(0, spec.width / spec.eps)


@R(LW)
def spec_hist(data, rng, spec=SPEC):
    xs = np.asarray(data)
    c, e = np.histogram(xs, bins=list(spec.edges))
    return dict(zip(spec.names, list(c + rng.laplace(0, 1 / spec.eps, size=len(spec.names)))))


@R(LW, f=functools.partial(lambda eps, data, rng: sum(clip(x, 0.0, 1.0) for x in data) + rng.laplace(0, 1 / eps), 1.0))
def partial_lambda():
    pass


def _bounded_sum(data, rng, lo=0.0, hi=1.0, eps=1.0):
    return sum(clip(x, lo, hi) for x in data) + rng.laplace(0, (hi - lo) / eps)


@A(LW, f=partial(_bounded_sum, lo=-3.0, hi=-2.0))
def partial_bounds():
    pass


@R(LW, f=partial(_bounded_sum, lo=-1.0))
def partial_bounds_right():
    pass


@A(LW, f=partial(_bounded_sum, eps=1.5))
def partial_eps():
    pass


@R(LW, f=h.halved(_bounded_sum))
def decorated_halved():
    return None


@R(LW, f=h.counted(_bounded_sum))
def decorated():
    pass


@A(LD)
def composed_functions(data, rng):
    g = h.compose(lambda x: x * 2.0, lambda x: min(x, 2.0))
    return sum(g(x) for x in data) + rng.laplace(0, 1.0)


@R(LD)
def composed_functions_right(data, rng):
    g = h.compose(lambda x: x * 2.0, lambda x: min(x, 1.0))
    return sum(g(x) for x in data) + rng.laplace(0, 1.0)


@A(LD)
def reduced(data, rng):
    return reduce(lambda a, b: a + b, [2 * x for x in data], 0.0) + rng.laplace(0, 1.0)


@A(LD)
def mapped(data, rng):
    return sum(map(lambda x: 2 * x, data)) + rng.laplace(0, 1.0)


# ---------- budgets
@A(FD)
def loop_over_epsilons(x, rng):
    return [x.sum() + rng.laplace(0, 1 / e) for e in (0.25, 0.25, 0.51)]


@R(FD)
def loop_over_epsilons_right(x, rng):
    return [x.sum() + rng.laplace(0, 1 / e) for e in (0.25, 0.25, 0.5)]


@A(FD, claim="ZCDP(rho=0.5)")
def zcdp_split_wrong(x, rng):
    return [x.sum() + rng.normal(0, sigma_for(r, 1.0)) for r in (0.25, 0.3)]


@R(FD, claim="ZCDP(rho=0.5)")
def zcdp_split(x, rng):
    return [x.sum() + rng.normal(0, sigma_for(r, 1.0)) for r in (0.2, 0.3)]


@A(FD, claim="ApproxDP(epsilon=1,delta=1e-05)")
def classic_gauss_half(x, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5)) / 2
    return x.sum() + rng.normal(0, s)


@R(FD, claim="ApproxDP(epsilon=1,delta=1e-05)")
def classic_gauss(x, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5))
    return x.sum() + rng.normal(0, s)


@A(FD, claim="ApproxDP(epsilon=1,delta=1e-05)")
def laplace_and_gauss(x, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5))
    return x.sum() + rng.normal(0, s), np.sum(x > 0.5) + rng.laplace(0, 2.0)


@R(FD, claim="ApproxDP(epsilon=1.5,delta=1e-05)")
def laplace_and_gauss_right(x, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5))
    return x.sum() + rng.normal(0, s), np.sum(x > 0.5) + rng.laplace(0, 2.0)


@A(FD)
def adaptive_threshold(x, rng):
    n = np.sum(x > 0.5) + rng.laplace(0, 2.0)
    if n > 10:
        return n, x.sum() + rng.laplace(0, 1.0)
    return n, None


@R(FD)
def adaptive_threshold_right(x, rng):
    n = np.sum(x > 0.5) + rng.laplace(0, 2.0)
    if n > 10:
        return n, x.sum() + rng.laplace(0, 2.0)
    return n, None


@A(FD)
def adaptive_scale(x, rng):
    n = np.sum(x > 0.5) + rng.laplace(0, 2.0)
    return n, x.sum() + rng.laplace(0, max(n / 100, 1.0))


@R(FD)
def adaptive_scale_right(x, rng):
    n = np.sum(x > 0.5) + rng.laplace(0, 2.0)
    return n, x.sum() + rng.laplace(0, max(n / 100, 2.0))


@R(FW)
def adaptive_clip(x, rng):
    n = np.sum(x > 0.5) + rng.laplace(0, 2.0)
    c = min(max(n, 0.5), 1.0)
    return n, np.clip(x, 0.0, c).sum() + rng.laplace(0, 2 * c)


@A(FW)
def adaptive_clip_wrong(x, rng):
    n = np.sum(x > 0.5) + rng.laplace(0, 2.0)
    c = min(max(n, 0.5), 1.0)
    return n, np.clip(x, -c, 1.0).sum() + rng.laplace(0, 2 * c)


@A(X3D, claim="GDP(mu=1)")
def gradient_steps(X, rng):
    w = np.zeros(2)
    for _ in range(4):
        r = X[:, :2] @ w - X[:, 2]
        g = np.clip(X[:, :2] * r[:, None], -1.0, 1.0).sum(axis=0)
        w = w - 0.01 * (g + rng.normal(0, math.sqrt(2.0), size=2))
    return w


@R(X3D, claim="GDP(mu=1)")
def one_gradient(X, rng):
    w = np.zeros(2)
    r = X[:, :2] @ w - X[:, 2]
    g = np.clip(X[:, :2] * r[:, None], -1.0, 1.0).sum(axis=0)
    return w - 0.01 * (g + rng.normal(0, math.sqrt(2.0), size=2))


CENTRES = [[0.0, 0.0], [1.0, 1.0]]


@A(XD)
def kmeans_step_full(X, rng):
    d = [((X - np.array(c)) ** 2).sum(axis=1) for c in CENTRES]
    near = d[0] <= d[1]
    out = []
    for m in (near, ~near):
        s = X[m].sum(axis=0) + rng.laplace(0, 2.0, size=2)
        n = m.sum() + rng.laplace(0, 2.0)
        out.append(s / max(n, 1.0))
        out.append(n)
    return out


@R(XD)
def kmeans_step(X, rng):
    d = [((X - np.array(c)) ** 2).sum(axis=1) for c in CENTRES]
    near = d[0] <= d[1]
    out = []
    for m in (near, ~near):
        s = X[m].sum(axis=0) + rng.laplace(0, 4.0, size=2)
        n = m.sum() + rng.laplace(0, 2.0)
        out.append(s / max(n, 1.0))
        out.append(n)
    return out


@A(XD)
def kmeans_overlapping(X, rng):
    d = [((X - np.array(c)) ** 2).sum(axis=1) for c in CENTRES]
    out = []
    for m in (d[0] <= d[1], d[1] <= d[0]):
        out.append(X[m].sum(axis=0) + rng.laplace(0, 4.0, size=2))
        out.append(m.sum() + rng.laplace(0, 2.0))
    return out


# ---------- users
@A(UD)
def users_forgotten(rows, rng):
    return sum(v for _, v in rows) + rng.laplace(0, 1.0)


@R(UD)
def users_three(rows, rng):
    return sum(v for _, v in rows) + rng.laplace(0, 3.0)


@A(UD, claim="GDP(mu=1)")
def users_gauss_sqrt(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, math.sqrt(3.0))


@R(UD, claim="GDP(mu=1)")
def users_gauss(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, 3.0)


@A(UD, claim="ZCDP(rho=0.5)")
def users_zcdp_linear(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, math.sqrt(3.0))


@R(UD, claim="ZCDP(rho=0.5)")
def users_zcdp(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, 3.0)


@A(UD)
def users_count_distinct(rows, rng):
    return len(set(u for u, _ in rows)) + rng.laplace(0, 1.0)


@A(UD, claim="ApproxDP(epsilon=1,delta=1e-05)")
def users_approx(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, math.sqrt(2 * math.log(1.25e5)))


# ---------- declared
@R(FD)
def declared_sum(x):
    return add_laplace(x.sum(), 1.0)


@A(FD)
def declared_half(x):
    return add_laplace(x.sum(), scale=0.5)


@A(XD, claim="GDP(mu=1)")
def declared_vector(X, rng):
    return add_gauss(X.sum(axis=0), 1.0, rng)


@R(XD, claim="GDP(mu=1)")
def declared_vector_right(X, rng):
    return add_gauss(X.sum(axis=0), math.sqrt(2.0), rng=rng)


# ---------- geometric
@R(ID)
def geometric_sum(data, rng):
    p = 1 - math.exp(-1.0 / 3)
    return (
        sum(data) + int(rng.geometric(p)) - int(rng.geometric(p))
        if False
        else sum(data) + (rng.geometric(p) - rng.geometric(p))
    )


@A(ID)
def geometric_sum_unit(data, rng):
    p = 1 - math.exp(-1.0)
    return sum(data) + (rng.geometric(p) - rng.geometric(p))


@R(KD)
def geometric_counts(x, rng):
    p = 1 - math.exp(-1.0)
    c = np.bincount(x, minlength=4)
    return c + (rng.geometric(p, size=4) - rng.geometric(p, size=4))


# ---------- synthetic
@R(FD)
def synthetic(x, rng):
    c, e = np.histogram(x, bins=EDGES)
    w = np.maximum(c + rng.laplace(0, 1.0, size=4), 0.1)
    return rng.choice(np.array([0.1, 0.4, 0.6, 0.9]), size=20, p=w / w.sum())


@A(FD)
def synthetic_of_n(x, rng):
    c, e = np.histogram(x, bins=EDGES)
    w = np.maximum(c + rng.laplace(0, 1.0, size=4), 0.1)
    return rng.choice(np.array([0.1, 0.4, 0.6, 0.9]), size=len(x), p=w / w.sum())


@A(FD)
def correlated_noise(x, rng):
    z = rng.laplace(0, 1.0)
    return x.sum() + z, np.sum(x > 0.5) + z


@A(FD)
def noise_returned_too(x, rng):
    z = rng.laplace(0, 1.0)
    return x.sum() + z, z


@A(FD)
def averaged_noise(x, rng):
    z = rng.laplace(0, 1.0, size=10)
    return x.sum() + z.mean()


@A(FD)
def noise_sum_is_larger(x, rng):
    return x.sum() + rng.laplace(0, 0.5) + rng.laplace(0, 0.5)


@A(FW)
def scale_of_data(x, rng):
    m = np.max(np.abs(x))
    return x.sum() + rng.laplace(0, m)


@A(FW)
def winsorised(x, rng):
    lo, hi = np.quantile(x, [0.05, 0.95])
    return np.clip(x, lo, hi).sum() + rng.laplace(0, hi - lo)


@R(FW)
def winsorised_public(x, rng):
    lo, hi = -0.5, 2.0
    return np.clip(x, lo, hi).sum() + rng.laplace(0, 2.0)


WEIGHT = {"f": 1.0, "m": 2.0, "x": 0.5}
TAB = np.array([0.0, 1.0, 3.0, 2.0])
AGES = [18, 30, 45, 60]


@A(RD)
def weights_by_text(rows, rng):
    return sum(WEIGHT[r["sex"]] for r in rows) + rng.laplace(0, 1.0)


@R(RD)
def weights_by_text_right(rows, rng):
    return sum(WEIGHT[r["sex"]] for r in rows) + rng.laplace(0, 2.0)


@A(RD)
def weights_get_default(rows, rng):
    return sum(WEIGHT.get(r["sex"], 0.0) - 3.0 for r in rows) + rng.laplace(0, 2.0)


@A(RD)
def table_by_place(rows, rng):
    return sum(TAB[min(r["n"], 3)] for r in rows) + rng.laplace(0, 2.0)


@R(RD)
def table_by_place_right(rows, rng):
    return sum(TAB[min(r["n"], 3)] for r in rows) + rng.laplace(0, 3.0)


@A(RD)
def age_bands_cumulative(rows, rng):
    return [sum(1 for r in rows if r["age"] >= a) + rng.laplace(0, 1.0) for a in AGES]


@R(RD)
def age_bands(rows, rng):
    c = [0] * (len(AGES) + 1)
    for r in rows:
        i = 0
        for a in AGES:
            if r["age"] >= a:
                i += 1
        c[i] += 1
    return [n + rng.laplace(0, 1.0) for n in c]


@A(RD)
def age_bands_no_break(rows, rng):
    c = [0] * len(AGES)
    for r in rows:
        for i, a in enumerate(AGES):
            if r["age"] >= a:
                c[i] += 1
    return [n + rng.laplace(0, 1.0) for n in c]


@R(RD)
def age_bands_break(rows, rng):
    c = [0] * len(AGES)
    for r in rows:
        for i, a in enumerate(AGES):
            if r["age"] <= a:
                c[i] += 1
                break
    return [n + rng.laplace(0, 1.0) for n in c]


@A(FA)
def complement_keeps_nan(x, rng):
    low = x < 0.5
    return np.clip(x[~low], 0.5, 1.0).sum() + rng.laplace(0, 1.0)


@R(FA)
def complement_of_finite(x, rng):
    y = x[np.isfinite(x)]
    return np.clip(y[~(y < 0.5)], 0.5, 1.0).sum() + rng.laplace(0, 1.0)


@A(FA)
def imputed_then_scaled(x, rng):
    y = np.where(np.isnan(x), 2.0, np.clip(x, 0.0, 1.0))
    return y.sum() + rng.laplace(0, 1.0)


@R(FA)
def imputed(x, rng):
    y = np.where(np.isnan(x), 0.5, np.clip(x, 0.0, 1.0))
    return y.sum() + rng.laplace(0, 1.0)


@A(FA)
def inf_times_mask(x, rng):
    keep = (x >= 0.0) & (x <= 1.0)
    return (x * keep).sum() + rng.laplace(0, 1.0)


@A(FA)
def upper_bound_only(x, rng):
    return x[x < 1.0].sum() + rng.laplace(0, 1.0)


@A(XW, claim="GDP(mu=1)")
def normalised_zero_row(X, rng):
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).sum(axis=0) + rng.normal(0, 1.0, size=2)


@R(XW, claim="GDP(mu=1)")
def normalised_eps(X, rng):
    return (X / (np.linalg.norm(X, axis=1, keepdims=True) + 1e-9)).sum(axis=0) + rng.normal(0, 1.0, size=2)


@A(XW, claim="GDP(mu=1)")
def clip_then_weight(X, rng):
    Y = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return (Y * np.array([2.0, 1.0])).sum(axis=0) + rng.normal(0, 1.0, size=2)


@A(XW, claim="GDP(mu=1)")
def clip_then_shift(X, rng):
    Y = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return (Y + 0.1).sum(axis=0) + rng.normal(0, 1.0, size=2)


@A(XW, claim="PureDP(epsilon=1)")
def l2_clip_laplace(X, rng):
    Y = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return Y.sum(axis=0) + rng.laplace(0, 1.0, size=2)


@A(XYD, claim="GDP(mu=1)")
def clip_x_and_y_apart(data, rng):
    X, y = data
    Xc = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return Xc.sum(axis=0) + rng.normal(0, 1.0, size=2), y.sum() + rng.normal(0, 1.0)


@R(XYD, claim="GDP(mu=1)")
def clip_x_and_y_apart_right(data, rng):
    X, y = data
    Xc = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return Xc.sum(axis=0) + rng.normal(0, 1.5, size=2), y.sum() + rng.normal(0, 1.5)


@A(XYD, claim="GDP(mu=1)")
def logistic_gradient(data, rng):
    X, y = data
    w = np.array([0.3, -0.2])
    p = 1.0 / (1.0 + np.exp(-(X @ w)))
    g = X * (p - y)[:, None]
    return g.sum(axis=0) + rng.normal(0, math.sqrt(2.0), size=2)


@R(XYD, claim="GDP(mu=1)")
def logistic_gradient_right(data, rng):
    X, y = data
    w = np.array([0.3, -0.2])
    p = 1.0 / (1.0 + np.exp(-(X @ w)))
    g = X * (p - y)[:, None]
    return g.sum(axis=0) + rng.normal(0, 2 * math.sqrt(2.0), size=2)


@A(XYD, claim="GDP(mu=1)")
def per_example_clip_of_mean(data, rng):
    X, y = data
    g = (X * y[:, None]).sum(axis=0)
    g = g / np.maximum(np.linalg.norm(g), 1.0)
    return g + rng.normal(0, 1.0, size=2)


@A(FD)
def moments_joint(x, rng):
    return np.array([x.sum(), (x**2).sum(), (x**3).sum() if False else (x * x * x).sum()]) + rng.laplace(0, 2.0, size=3)


@R(FD)
def moments_joint_right(x, rng):
    return np.array([x.sum(), (x**2).sum(), (x * x * x).sum()]) + rng.laplace(0, 3.0, size=3)


@A(FD)
def variance_of_two(x, rng):
    n = len(x) + rng.laplace(0, 3.0)
    m = x.sum() + rng.laplace(0, 3.0)
    s = (x**2).sum() + rng.laplace(0, 2.0)
    n = max(n, 1.0)
    return s / n - (m / n) ** 2, m, n


@R(FD)
def variance_of_three(x, rng):
    n = max(len(x) + rng.laplace(0, 3.0), 1.0)
    m = x.sum() + rng.laplace(0, 3.0)
    s = (x**2).sum() + rng.laplace(0, 3.0)
    return s / n - (m / n) ** 2


@A(FD, d0=np.array([0.0, 0.5]), d1=np.array([1.0, 0.5]), **RP)
def variance_replace_of_true_mean(x, rng):
    m = x.mean()
    return ((x - m) ** 2).mean() + rng.laplace(0, 1.0 / len(x))


@R(FD, **RP)
def variance_replace_by_noisy(x, rng):
    n = len(x)
    m = min(max(x.mean() + rng.laplace(0, 2.0 / n), 0.0), 1.0)
    return ((x - m) ** 2).mean() + rng.laplace(0, 2.0 / n)


@A(FD, d0=np.array([0.0]), d1=np.array([1.0]), **RP)
def mean_by_public_n_then_total(x, rng):
    n = x.size
    return (x.mean() + rng.laplace(0, 1.0 / n)) * n, np.sum(x > 0.5) + rng.laplace(0, 1.0)


@A(FD, d0=np.array([0.0]), d1=np.array([1.0]), **RP)
def scale_n_minus_one(x, rng):
    n = len(x)
    return x.sum() / n + rng.laplace(0, 1.0 / (n + 1))


@A(FD, **RP, d0=np.array([0.1]), d1=np.array([0.9]))
def masked_count_public(x, rng):
    return len(x[x > 0.5])


@A(FD, **RP, d0=np.array([0.1]), d1=np.array([0.9]))
def masked_mean_replace(x, rng):
    y = x[x > 0.5]
    return y.sum() / max(len(y), 1) + rng.laplace(0, 1.0)


@A(CD)
def ratio_private(data, rng):
    return data["inc"].sum() / data["age"].sum() + rng.laplace(0, 10.0)


@A(CD)
def most_of_columns(data, rng):
    return max(data["age"].sum() / 100, data["inc"].sum() / 1000) + rng.laplace(0, 1.0)


@A(CD)
def product_columns(data, rng):
    return (data["age"] * data["inc"]).sum() / 1e4 + rng.laplace(0, 1.0)


@R(CD)
def product_columns_right(data, rng):
    return (data["age"] * data["inc"]).sum() / 1e5 + rng.laplace(0, 1.0)


@A(CD)
def weighted_by_group(data, rng):
    w = np.where(data["k"] == 3, 5.0, 1.0)
    return (w * data["age"] / 100.0).sum() + rng.laplace(0, 1.0)


@R(CD)
def weighted_by_group_right(data, rng):
    w = np.where(data["k"] == 3, 5.0, 1.0)
    return (w * np.minimum(data["age"], 20.0) / 100.0).sum() + rng.laplace(0, 1.0)


@A(CD)
def one_hot_and_value(data, rng):
    c = np.bincount(data["k"], minlength=4) + rng.laplace(0, 1.0, size=4)
    s = [data["age"][data["k"] == g].sum() / 100 + rng.laplace(0, 1.0) for g in range(4)]
    return c, s


@R(CD)
def one_hot_and_value_right(data, rng):
    c = np.bincount(data["k"], minlength=4) + rng.laplace(0, 2.0, size=4)
    s = [data["age"][data["k"] == g].sum() / 100 + rng.laplace(0, 2.0) for g in range(4)]
    return c, s


@A(LD)
def noise_shared_in_list(data, rng):
    z = [rng.laplace(0, 2.0)] * 2
    return sum(data) + z[0], sum(x * x for x in data) + z[1]


@A(LD)
def noise_from_helper_kept(data, rng):
    cache = {}

    def noise(key):
        if key not in cache:
            cache[key] = rng.laplace(0, 2.0)
        return cache[key]

    return sum(data) + noise("a"), sum(x * x for x in data) + noise("a")


@R(LD)
def noise_from_helper_two(data, rng):
    cache = {}

    def noise(key):
        if key not in cache:
            cache[key] = rng.laplace(0, 2.0)
        return cache[key]

    return sum(data) + noise("a"), sum(x * x for x in data) + noise("b")


@A(LD)
def noise_default_argument(data, rng):
    def noisy(v, z=rng.laplace(0, 2.0)):
        return v + z

    return noisy(sum(data)), noisy(sum(x * x for x in data))


@A(LD)
def noise_in_comprehension_once(data, rng):
    z = rng.laplace(0, 3.0)
    return [sum(1 for x in data if x > t) + z for t in (0.2, 0.5, 0.8)]


@A(XD)
def noise_column_broadcast(X, rng):
    return (X.T @ X) + rng.laplace(0, 4.0, size=(2, 1))


@A(XD)
def noise_row_broadcast(X, rng):
    return (X.T @ X) + rng.laplace(0, 4.0, size=2)


@A(XD)
def noise_symmetrised(X, rng):
    N = rng.laplace(0, 4.0, size=(2, 2))
    return (X.T @ X) + (N + N.T) / 2


@R(XD)
def gram_symmetrised_after(X, rng):
    A = (X.T @ X) + rng.laplace(0, 4.0, size=(2, 2))
    return (A + A.T) / 2


@A(XD)
def noise_of_first_row_only(X, rng):
    A = X.T @ X
    return np.concatenate([A[0] + rng.laplace(0, 4.0, size=2), A[1]])


@A(LD)
def budget_loop(data, rng):
    left, out = 1.0, []
    while left > 0.05:
        e = left / 2
        out.append(sum(data) + rng.laplace(0, 1 / e))
        left = left - e / 2
    return out


@R(LD)
def budget_loop_right(data, rng):
    left, out = 1.0, []
    while left > 0.05:
        e = left / 2
        out.append(sum(data) + rng.laplace(0, 1 / e))
        left = left - e
    return out


@A(LD)
def stop_when_large(data, rng):
    for e in (0.1, 0.2, 0.4, 0.8):
        n = sum(data) + rng.laplace(0, 1 / e)
        if n > 5 / e:
            return n
    return n


@R(LD)
def stop_when_large_right(data, rng):
    for e in (0.1, 0.2, 0.3, 0.4):
        n = sum(data) + rng.laplace(0, 1 / e)
        if n > 5 / e:
            return n
    return n


@A(ID)
def geometric_l1_of_two(data, rng):
    p = 1 - math.exp(-1 / 3)
    return [sum(data) + rng.geometric(p) - rng.geometric(p), len(data) + rng.geometric(p) - rng.geometric(p)]


@R(ID)
def geometric_l1_of_two_right(data, rng):
    p = 1 - math.exp(-1 / 4)
    return [sum(data) + rng.geometric(p) - rng.geometric(p), len(data) + rng.geometric(p) - rng.geometric(p)]


@A(RD)
def truthy_int(rows, rng):
    return sum(r["n"] for r in rows if r["n"]) / 9 + sum(1 for r in rows if r["n"]) + rng.laplace(0, 1.0)


@R(RD)
def truthy_int_right(rows, rng):
    return sum(1 for r in rows if r["n"]) + rng.laplace(0, 1.0)


@A(RD)
def continue_forgets(rows, rng):
    t = 0.0
    for r in rows:
        if r["sex"] == "f":
            t += r["age"] / 100
            if r["n"] > 3:
                t += 1.0
                continue
        t += 0.5
    return t + rng.laplace(0, 1.5)


@R(RD)
def continue_right(rows, rng):
    t = 0.0
    for r in rows:
        if r["sex"] == "f":
            t += r["age"] / 100
            if r["n"] > 3:
                t += 1.0
                continue
        t += 0.5
    return t + rng.laplace(0, 2.0)


@A(UD, claim="RDP(order=4,epsilon=2)")
def users_rdp(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, math.sqrt(3.0))


@R(UD, claim="RDP(order=4,epsilon=2)")
def users_rdp_right(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, 3.0)


@A(FD, claim="ZCDP(rho=0.5)")
def zcdp_of_laplace(x, rng):
    return x.sum() + rng.laplace(0, 0.99)


@R(FD, claim="ZCDP(rho=0.5)")
def zcdp_of_laplace_right(x, rng):
    return x.sum() + rng.laplace(0, 1.0)


@A(FD, claim="GDP(mu=1)")
def gdp_of_three(x, rng):
    return [(x * k).sum() + rng.normal(0, 2.0) for k in (1.0, 1.0, 1.5)]


@R(FD, claim="GDP(mu=1)")
def gdp_of_three_right(x, rng):
    return [(x * k).sum() + rng.normal(0, 2.0) for k in (1.0, 1.0, 1.4)]
