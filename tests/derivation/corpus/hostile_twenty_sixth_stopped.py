"""Attacks of the twenty-sixth reading (kernel and seam) that stop, or are above the claim, or whose proofs are true (`TRUE`).

Beside them random programs were read, each derived cost held against runs of the code (numbers: the reading's report).
"""

import math

import numpy as np

ATTACKS = {}
TRUE = ("nan_clip_2", "norm_0", "factor_6")
INF = math.inf
NAN = math.nan
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
FN = dict(data=F, d0=np.array([]), d1=np.array([NAN]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
LN = dict(data=[0.5, 1.0], d0=[], d1=[NAN])
ID = dict(data=[1, 2], bounds="0:3", d0=[], d1=[3])
IN = dict(data=[1, 2], d0=[], d1=[10**400])
KD = dict(data=np.array([1, 2]), bounds="0:3", d0=np.array([], dtype=int), d1=np.array([3]))
KN = dict(data=np.array([1, 2]), d0=np.array([], dtype=int), d1=np.array([2**63 - 1]))
XD = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
XN = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), d0=np.zeros((0, 2)), d1=np.array([[NAN, 1.0]]))
RD = dict(data=F, bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
XR = dict(
    data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", relation="replace", d0=np.zeros((1, 2)), d1=np.ones((1, 2))
)
CD = dict(
    data={"x": F, "k": np.array([1, 2])},
    bounds={"x": (0.0, 1.0), "k": (0, 3)},
    d0={"x": np.array([]), "k": np.array([], dtype=int)},
    d1={"x": np.array([1.0]), "k": np.array([3])},
)
TD = dict(data=[(0.5, "a"), (1.0, "b")], d0=[], d1=[(1.0, "a")])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


@A(**LN)
def nan_clip_0(x, rng):
    t = 0.0
    for v in x:
        t += min(max(v, 0.0), 1.0)
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_1(x, rng):
    t = 0.0
    for v in x:
        t += max(min(v, 1.0), 0.0)
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_2(x, rng):
    t = 0.0
    for v in x:
        t += max(0.0, v) if v < 1.0 else 1.0
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_3(x, rng):
    t = 0.0
    for v in x:
        t += v if not v > 1.0 else 1.0
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_4(x, rng):
    t = 0.0
    for v in x:
        t += 0.0 if v < 0.0 else 1.0 if v > 1.0 else v
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_5(x, rng):
    t = 0.0
    for v in x:
        t += min(v, 1.0) if not v < 0.0 else 0.0
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_6(x, rng):
    t = 0.0
    for v in x:
        t += abs(math.tanh(v))
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_7(x, rng):
    t = 0.0
    for v in x:
        t += v * (0.0 <= v <= 1.0)
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_8(x, rng):
    t = 0.0
    for v in x:
        t += v if v == v else 0.0
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_9(x, rng):
    t = 0.0
    for v in x:
        t += v if math.isfinite(v) else 0.0
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_10(x, rng):
    t = 0.0
    for v in x:
        t += v - v
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_11(x, rng):
    t = 0.0
    for v in x:
        t += v / v if v != 0 else 0.0
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_12(x, rng):
    t = 0.0
    for v in x:
        t += math.exp(-v) if v > 0.0 else v
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_13(x, rng):
    t = 0.0
    for v in x:
        t += max(0.0, min(v, 1.0)) - min(v, 0.0)
    return t + rng.laplace(0, 1.0)


@A(**LN)
def nan_clip_14(x, rng):
    t = 0.0
    for v in x:
        t += min(1.0, max(v, 0.0)) * 2.0
    return t + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_0(x, rng):
    return np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_1(x, rng):
    return np.sum(np.fmin(x, 1.0)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_2(x, rng):
    return np.sum(np.minimum(np.fmax(x, 0.0), INF)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_3(x, rng):
    return np.sum(np.where(x > 1.0, 1.0, x)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_4(x, rng):
    return np.sum(np.where(x < 1.0, x, 1.0)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_5(x, rng):
    return np.sum(np.nan_to_num(x)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_6(x, rng):
    return np.sum(np.clip(x, 0.0, INF)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_7(x, rng):
    return np.sum(np.where(np.isnan(x), 0.0, x)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_8(x, rng):
    return np.sum(np.where(np.isfinite(x), x, 0.0)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_9(x, rng):
    return np.sum(np.where(x * 0.0 == 0.0, np.clip(x, 0.0, 1.0), 0.0)) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_10(x, rng):
    return np.sum(np.fmax(np.clip(x, 0.0, 1.0), -1.0) * 1.5) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_11(x, rng):
    return np.sum(np.abs(np.fmin(np.fmax(x, -2.0), 1.0))) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_12(x, rng):
    return np.sum(x[x < 1.0]) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_13(x, rng):
    return np.sum(x[(x > 0.0) | (x <= 0.0)]) + rng.laplace(0, 1.0)


@A(**FN)
def nan_array_14(x, rng):
    return np.sum(np.tanh(np.where(x > 0.0, x, -x))) + rng.laplace(0, 1.0)


@A(**IN)
def integers_0(x, rng):
    t = 0
    for v in x:
        t += min(v, 3)
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_1(x, rng):
    t = 0
    for v in x:
        t += max(min(v, 3), -1)
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_2(x, rng):
    t = 0
    for v in x:
        t += abs(v) % 5
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_3(x, rng):
    t = 0
    for v in x:
        t += v % 3 - 2
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_4(x, rng):
    t = 0
    for v in x:
        t += v // 2**70
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_5(x, rng):
    t = 0
    for v in x:
        t += (v > 3) + (v > 4)
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_6(x, rng):
    t = 0
    for v in x:
        t += min(max(v, -1), 1) * 2
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_7(x, rng):
    t = 0
    for v in x:
        t += v if -2 < v < 2 else 2
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_8(x, rng):
    t = 0
    for v in x:
        t += int(float(min(max(v, -9), 9))) // 5
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_9(x, rng):
    t = 0
    for v in x:
        t += v - v // 2 * 2 + 0.5
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_10(x, rng):
    t = 0
    for v in x:
        t += min(v * v, 2)
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_11(x, rng):
    t = 0
    for v in x:
        t += (v % 2) * (v % 3)
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_12(x, rng):
    t = 0
    for v in x:
        t += -(v % 3)
    return float(t) + rng.laplace(0, 1.0)


@A(**IN)
def integers_13(x, rng):
    t = 0
    for v in x:
        t += v % 2**60 // 2**58
    return float(t) + rng.laplace(0, 1.0)


@A(**KN)
def whole_0(x, rng):
    return float(np.sum(np.abs(x))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_1(x, rng):
    return float(np.sum(np.minimum(x, 1))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_2(x, rng):
    return float(np.sum(np.clip(x, -1, 2))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_3(x, rng):
    return float(np.sum(-np.minimum(np.maximum(x, -2), 1))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_4(x, rng):
    return float(np.sum(x * 0 + np.minimum(x, 1))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_5(x, rng):
    return float(np.sum(np.square(np.clip(x, -2, 2)))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_6(x, rng):
    return float(np.sum(np.clip(x, -(2**62), 2**62))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_7(x, rng):
    return float(np.sum(np.where(x == -(2**63), -x, 0))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_8(x, rng):
    return float(np.sum(np.clip(x.astype(float), -1.0, 1.5))) + rng.laplace(0, 1.0)


@A(**KN)
def whole_9(x, rng):
    return float(np.sum((x - 1 < x) * 2)) + rng.laplace(0, 1.0)


@A(claim="GDP(mu=1)", **XD)
def norm_0(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(n, 0.5)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_1(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v * min(1.0, 2.0 / max(n, 0.1))
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_2(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / n if n > 1.0 else v * 1.5
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_3(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v if n < 1.2 else v / n
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_4(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / (n + 0.1) + v / (n + 0.1)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_5(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / (n * n + 1.0) * 3.0
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_6(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v * np.minimum(1.0, 1.1 / np.maximum(n, 1e-9))
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_7(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(1.0, n / 1.5)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_8(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / np.maximum(1.0, n * n) * 1.5
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_9(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / math.sqrt(n + 0.01)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_10(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += (v - v[0]) / max(n, 1.0) * 2.0
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_11(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v[:1] / max(n, 1.0) * np.ones(2) * 1.1
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_12(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(n / 2.0**-100, 2.0**-399) * 2.0**101
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_13(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(n / 1e-30, 1e-100) * 1.1e30
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_14(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v * v / max(n, 0.4)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_15(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(np.linalg.norm(v[:1]), 0.9) * 1.0
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_16(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(np.linalg.norm(v * 0.5), 1.0) * 1.2
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_17(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(np.sqrt(np.sum(v * v)) - 0.2, 0.7)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_18(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(np.sqrt(np.sum(v**2) / 2), 1.0) * 1.1
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_19(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v @ np.array([[1.0, 0.1], [0.1, 1.0]]) / max(n, 1.0)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_20(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v / max(n, 1.0) if v[0] > 0.3 else v * 1.2
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_21(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += np.maximum(v / max(n, 1.0), 0.8)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def norm_22(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += np.where(v > 0.5, v, 1.0) / max(n, 1.0)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XN)
def norm_nan_0(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), -1e9, 1e9)
        n = np.linalg.norm(w)
        t += w / max(n, 1.0) * 1.1
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XN)
def norm_nan_1(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), -1e9, 1e9)
        n = np.linalg.norm(w)
        t += w / max(1.0, n) if n < 1e9 else w
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XN)
def norm_nan_2(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), -1e9, 1e9)
        n = np.linalg.norm(w)
        t += w * min(1.0, 1.0 / n) if n > 0.0 else w + 0.9
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XN)
def norm_nan_3(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), -1e9, 1e9)
        n = np.linalg.norm(w)
        t += w / max(np.linalg.norm(np.nan_to_num(v)), 1.0)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XN)
def norm_nan_4(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), -1e9, 1e9)
        n = np.linalg.norm(w)
        t += w / (n + 1e-9) * (1.2 if n > 0.5 else 0.1)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **XN)
def norm_nan_5(X, rng):
    t = np.zeros(2)
    for v in X:
        w = np.clip(np.nan_to_num(v), -1e9, 1e9)
        n = np.linalg.norm(w)
        t += w * (n <= 1.0) + w / max(n, 1.0)
    return t + rng.normal(0, 1.0, size=2)


@A(**FD)
def factor_0(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = max(1.0, min(2.0, y))
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_1(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = min(2.0, max(1.0, y))
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_2(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = np.fmax(1.0, np.fmin(2.0, y))
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_3(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = np.maximum(1.0, np.minimum(2.0, y))
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_4(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = max(y, 1.0)
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_5(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = 1.0 if y < 2.0 else y
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_6(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = 1.0 / max(1.0, y)
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_7(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = np.fmin(1.0, np.fmax(y, 0.5)) + y * 0.0
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_8(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = max(min(y, 1.0), 0.5)
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def factor_9(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    f = min(1.0, max(0.5, y)) * 1.1
    return np.sum(x * f) + rng.laplace(0, 1.0), r


@A(**FD)
def scale_0(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(0.5, min(2.0, y)))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_0(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(0.5, min(2.0, y)))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_1(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(np.maximum(1.0, np.minimum(2.0, y)))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_1(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(np.maximum(1.0, np.minimum(2.0, y)))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_2(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(0.1, np.maximum(1.0, np.minimum(2.0, y))))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_2(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(0.1, np.maximum(1.0, np.minimum(2.0, y))))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_3(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(np.fmax(0.9, y))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_3(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(np.fmax(0.9, y))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_4(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(1.0 if not y > 0.5 else y)
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_4(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(1.0 if not y > 0.5 else y)
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_5(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(min(1.0, np.exp(y)))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_5(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(min(1.0, np.exp(y)))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_6(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(1.0, y) - 0.5)
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_6(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(1.0, y) - 0.5)
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_7(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(np.abs(y))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_7(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(np.abs(y))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_8(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(math.fabs(r) + 0.1)
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_8(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(math.fabs(r) + 0.1)
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def scale_9(x, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(1.0, r * 0.0))
    return np.sum(x) + rng.laplace(0, s), r


@A(**XD)
def divisor_9(X, rng):
    r = 0.0 + rng.laplace(0, 1.0)
    y = np.log(np.float64(r))
    s = float(max(1.0, r * 0.0))
    t = np.zeros(2)
    for v in X:
        t += v / s
    return t + rng.laplace(0, 1.9, size=2), r


@A(**FD)
def paths_sum(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if r > 0.5:
        return r, np.sum(x) + rng.laplace(0, 1.9)
    return r, 0.0


@A(**FD)
def paths_late(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    for _ in range(3):
        if r < 1.0:
            r = np.sum(x) + rng.laplace(0, 2.0)
    return r


@A(**FD)
def ties(x, rng):
    a = np.sum(x <= 0.5) + rng.laplace(0, 1.0)
    b = np.sum(x >= 0.5) + rng.laplace(0, 1.0)
    return a + 0.0, b + 0.0


@A(**FD)
def almost_disjoint(x, rng):
    a = np.sum(x < 0.5000000000000001) + rng.laplace(0, 1.0)
    b = np.sum(x >= 0.5) + rng.laplace(0, 1.0)
    return a + 0.0, b + 0.0


@A(**FD)
def disjoint_by_released(x, rng):
    c = 0.0 + rng.laplace(0, 1.0)
    a = np.sum(x < c) + rng.laplace(0, 1.0)
    b = np.sum(x >= c - 1e-9) + rng.laplace(0, 1.0)
    return a + 0.0, b + 0.0


@A(**FD)
def disjoint_of_two(x, rng):
    a = np.sum((x < 0.5) * 1.0) + rng.laplace(0, 1.0)
    b = np.sum((x * x < 0.3) * 1.0) + rng.laplace(0, 1.0)
    return a, b


@A(**FD)
def minus_zero(x, rng):
    a = np.sum((x == 0.0) * 1.0) + rng.laplace(0, 1.0)
    b = np.sum((-x == 0.0) * 1.0) + rng.laplace(0, 1.0)
    return a, b


@A(**FD)
def denormal(x, rng):
    return np.sum((x > 5e-324) * 1.0) + np.sum((x <= 1e-323) * 1.0) + rng.laplace(0, 1.0)


@A(**FD)
def noise_shared(x, rng):
    z = rng.laplace(0, 1.0)
    return np.sum(x) + z, np.sum(x) * 2.0 - z


@A(**FD)
def noise_scaled(x, rng):
    z = rng.laplace(0, 1.0)
    return np.sum(x) * 1.1 + z * 1.0


@A(**FD)
def noise_of_product(x, rng):
    f = max(0.1, min(float(rng.laplace(0, 1.0)), 2.0))
    return np.sum(x) + f * rng.laplace(0, 1.0)


@A(**FD)
def noise_minus(x, rng):
    z = rng.laplace(0, 1.0, size=2)
    s = np.sum(x)
    return s + z[0], s + z[1] * 1.0


@A(**FD)
def geometric_half(x, rng):
    return int(np.sum(x > 0.5)) * 2 + rng.geometric(0.5) - rng.geometric(0.5)


@A(**FD)
def geometric_p(x, rng):
    return int(np.sum(x > 0.5)) + rng.geometric(0.65) - rng.geometric(0.65)


@A(**FD)
def geometric_two_p(x, rng):
    return int(np.sum(x > 0.5)) + rng.geometric(0.5) - rng.geometric(0.6)


@A(**FD)
def bins_overlap(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0] + rng.laplace(0, 1.0, size=2)
    k = np.histogram(x, bins=[0.0, 0.3, 1.0])[0] + rng.laplace(0, 3.0, size=2)
    return h, k


@A(**FD)
def bins_closed(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5])[0] + rng.laplace(0, 1.0, size=1)
    k = np.histogram(x, bins=[0.5, 1.0])[0] + rng.laplace(0, 1.0, size=1)
    return h, k


@A(**FD)
def bins_and_count(x, rng):
    h = np.histogram(x, bins=4, range=(0.0, 1.0))[0] + rng.laplace(0, 1.0, size=4)
    return h, np.sum(x == 1.0) + rng.laplace(0, 9.0)


@A(**KD)
def bincount_vector(x, rng):
    s = np.array([1.0, 2.0, 1.0, 0.9])
    return np.bincount(x, minlength=4) + rng.laplace(0, s)


@A(**KD)
def bincount_weighted(x, rng):
    return np.bincount(x, minlength=4) * np.array([1.0, 1.0, 1.0, 1.1]) + rng.laplace(0, 1.0, size=4)


@A(**KD)
def cumulated(x, rng):
    M = np.ones((4, 4))
    return (np.bincount(x, minlength=4) * 1.0) @ M + rng.laplace(0, 3.9, size=4)


@A(**RD)
def replace_sum(x, rng):
    return np.sum(x * 2.0 - 1.0) + rng.laplace(0, 1.9)


@A(**RD)
def replace_mean(x, rng):
    return np.mean(x) + rng.laplace(0, 0.9 / len(x))


@A(**RD)
def replace_mean_n(x, rng):
    n = len(x)
    return np.sum(x) / n * n + rng.laplace(0, 1.0) / n


@A(**RD)
def replace_square(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, 1.0 / (n * n))


@A(**RD)
def replace_sizes(x, rng):
    n = len(x)
    return np.sum(x) * (n / (n + 0.0)) + rng.laplace(0, 0.99)


@A(**RD)
def replace_branch(x, rng):
    n = len(x)
    if n > 7:
        return np.sum(x) + rng.laplace(0, 0.9)
    return np.sum(x) + rng.laplace(0, 1.0)


@A(**RD)
def replace_bins(x, rng):
    return np.histogram(x, bins=[0.0, 0.5, 1.0])[0] + rng.laplace(0, 1.9, size=2)


@A(claim="GDP(mu=1)", **RD)
def replace_gauss(x, rng):
    return np.histogram(x, bins=[0.0, 0.5, 1.0])[0] + rng.normal(0, 1.4, size=2)


@A(**RD)
def replace_two(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0), np.sum(1.0 - x) + rng.laplace(0, 9.0)


@A(**RD)
def replace_power(x, rng):
    n = len(x)
    m = n * n * n
    return np.sum(x * m) / m + rng.laplace(0, 0.9)


@A(**RD)
def replace_int(x, rng):
    n = len(x)
    return np.sum(x) * float(n // 2) + rng.laplace(0, 1.0 * n)


@A(claim="ZCDP(rho=0.5)", **FD)
def gaussian_0(x, rng):
    return np.sum(x) + rng.normal(0, 0.99)


@A(claim="ZCDP(rho=0.5)", **FD)
def gaussian_pair_0(x, rng):
    return np.sum(x) + rng.normal(0, 0.99 * 1.2), np.sum(x) + rng.normal(0, 0.99 * 1.2)


@A(claim="ApproxDP(epsilon=1, delta=1e-5)", **FD)
def gaussian_1(x, rng):
    return np.sum(x) + rng.normal(0, 3.7)


@A(claim="ApproxDP(epsilon=1, delta=1e-5)", **FD)
def gaussian_pair_1(x, rng):
    return np.sum(x) + rng.normal(0, 3.7 * 1.2), np.sum(x) + rng.normal(0, 3.7 * 1.2)


@A(claim="RDP(epsilon=1, order=2)", **FD)
def gaussian_2(x, rng):
    return np.sum(x) + rng.normal(0, 0.99)


@A(claim="RDP(epsilon=1, order=2)", **FD)
def gaussian_pair_2(x, rng):
    return np.sum(x) + rng.normal(0, 0.99 * 1.2), np.sum(x) + rng.normal(0, 0.99 * 1.2)


@A(claim="GDP(mu=1)", **FD)
def gaussian_3(x, rng):
    return np.sum(x) + rng.normal(0, 0.999999999)


@A(claim="GDP(mu=1)", **FD)
def gaussian_pair_3(x, rng):
    return np.sum(x) + rng.normal(0, 0.999999999 * 1.2), np.sum(x) + rng.normal(0, 0.999999999 * 1.2)


@A(claim="ApproxDP(epsilon=0.5, delta=1e-6)", **FD)
def gaussian_4(x, rng):
    return np.sum(x) + rng.normal(0, 7.0)


@A(claim="ApproxDP(epsilon=0.5, delta=1e-6)", **FD)
def gaussian_pair_4(x, rng):
    return np.sum(x) + rng.normal(0, 7.0 * 1.2), np.sum(x) + rng.normal(0, 7.0 * 1.2)


@A(claim="RDP(epsilon=2, order=64)", **FD)
def gaussian_5(x, rng):
    return np.sum(x) + rng.normal(0, 3.99)


@A(claim="RDP(epsilon=2, order=64)", **FD)
def gaussian_pair_5(x, rng):
    return np.sum(x) + rng.normal(0, 3.99 * 1.2), np.sum(x) + rng.normal(0, 3.99 * 1.2)


@A(claim="ZCDP(rho=1e-6)", **FD)
def gaussian_6(x, rng):
    return np.sum(x) + rng.normal(0, 700.0)


@A(claim="ZCDP(rho=1e-6)", **FD)
def gaussian_pair_6(x, rng):
    return np.sum(x) + rng.normal(0, 700.0 * 1.2), np.sum(x) + rng.normal(0, 700.0 * 1.2)


@A(**CD)
def columns_0(data, rng):
    return np.sum(data["x"] * data["k"]) + rng.laplace(0, 1.0)


@A(**CD)
def columns_1(data, rng):
    return np.sum(np.where(data["k"] == 3, data["x"] * 1.1, data["x"])) + rng.laplace(0, 1.0)


@A(**CD)
def columns_2(data, rng):
    return np.sum(data["x"] + (data["k"] > 2) * 0.5) + rng.laplace(0, 1.0)


@A(**CD)
def columns_3(data, rng):
    return np.sum(np.where(data["x"] > 0.5, data["k"], 0) * 1.0) + rng.laplace(0, 1.0)


@A(**CD)
def columns_4(data, rng):
    return np.sum(data["x"] ** 2 + data["x"]) + rng.laplace(0, 1.0)


@A(**CD)
def columns_5(data, rng):
    return np.sum(np.exp(data["x"]) / 2.0) + rng.laplace(0, 1.0)


@A(**CD)
def columns_6(data, rng):
    return np.sum(data["x"] / (data["x"] + 0.5) * 1.6) + rng.laplace(0, 1.0)


@A(**CD)
def columns_7(data, rng):
    return np.sum(np.sqrt(data["x"] + 0.21)) + rng.laplace(0, 1.0)


@A(**CD)
def columns_8(data, rng):
    return np.sum(data["x"][data["k"] > 0] * 1.2) + rng.laplace(0, 1.0)


@A(**CD)
def columns_9(data, rng):
    return np.sum(np.minimum(data["x"] * 3.0, data["k"])) + rng.laplace(0, 1.0)


@A(**CD)
def columns_10(data, rng):
    return np.sum(np.abs(data["x"] - data["k"])) + rng.laplace(0, 1.0)


@A(**CD)
def columns_11(data, rng):
    return np.sum(np.maximum(data["x"], data["k"] % 2 * 2)) + rng.laplace(0, 1.0)


@A(**TD)
def texts_0(data, rng):
    t = 0.0
    for v, s in data:
        t += 1.0 if s == "a" else v * 0.0 + 2.0
    return t + rng.laplace(0, 1.0)


@A(**TD)
def texts_1(data, rng):
    t = 0.0
    for v, s in data:
        t += v if s == "a" and 0.0 < v < 1.0 else 1.1 if s == "b" else 0.0
    return t + rng.laplace(0, 1.0)


@A(**TD)
def texts_2(data, rng):
    t = 0.0
    for v, s in data:
        t += 1.0 if s != "a" else 1.5
    return t + rng.laplace(0, 1.0)


@A(**TD)
def texts_3(data, rng):
    t = 0.0
    for v, s in data:
        t += (1.0 if s in ("a", "b") else 0.0) + (1.0 if s == "b" else 0.0)
    return t + rng.laplace(0, 1.0)


@A(**TD)
def texts_4(data, rng):
    t = 0.0
    for v, s in data:
        t += min(1.0, max(0.0, v)) if s == "a" else v
    return t + rng.laplace(0, 1.0)
