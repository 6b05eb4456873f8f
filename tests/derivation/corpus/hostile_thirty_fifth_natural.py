"""Attacks of the thirty-fifth reading (natural code, random programs) that were rightly not proved; RIGHT are right functions."""

import functools
import itertools
import math
import operator
import statistics
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np

ATTACKS = {}
RIGHT = {}


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


F = np.array([0.5, 1.0])
L = [0.5, 1.0]
I = [1, 2]
J = np.array([1, 2])
T = ["a", "b", "a"]
B = np.array([True, False])
X2 = np.array([[0.5, 1.0], [0.2, 0.1]])
XY = (X2, np.array([0.5, 1.0]))
ROWS = [{"user": 1, "kwh": 0.5, "region": "n", "peak": True}, {"user": 2, "kwh": 1.0, "region": "s", "peak": False}]
RB = dict(data=ROWS, bounds={"user": (0, 99), "kwh": (0, 1)})
TUP = [(0.5, 1, "a"), (1.0, 2, "b")]
TB = dict(data=TUP, bounds={"[0]": (0, 1), "[1]": (0, 4)})
COL = {"age": np.array([30.0, 40.0]), "inc": np.array([1.0, 2.0]), "w": np.array([1.0, 1.0])}
CB = dict(data=COL, bounds={"age": (0, 100), "inc": (0, 10), "w": (0, 2)})
X3 = np.array([[0.5, 1.0, -0.2], [0.2, 0.1, 0.3]])


@A(**RB)
def peak_and_all(rows, rng):
    peak = sum(r["kwh"] for r in rows if r["peak"])
    total = sum(r["kwh"] for r in rows)
    return peak + rng.laplace(0, 1.0), total + rng.laplace(0, 1.0)


@A(**RB)
def peak_off_total(rows, rng):
    on = off = 0.0
    for r in rows:
        if r["peak"]:
            on += r["kwh"]
        else:
            off += r["kwh"]
    return on + rng.laplace(scale=1.0), off + rng.laplace(scale=1.0), on + off + rng.laplace(scale=1.0)


@A(**RB)
def regions_with_rest(rows, rng):
    out = {"n": 0.0, "s": 0.0, "all": 0.0}
    for r in rows:
        if r["region"] in out:
            out[r["region"]] += r["kwh"]
        out["all"] += r["kwh"]
    return {k: v + rng.laplace(scale=1.0) for k, v in out.items()}


@A(**RB)
def region_named_all(rows, rng):
    out = {"n": 0.0, "s": 0.0, "all": 0.0}
    for r in rows:
        k = r["region"] if r["region"] in ("n", "s") else "all"
        out[k] += r["kwh"]
    out["all"] += out["n"] + out["s"]
    return {k: v + rng.laplace(scale=1.0) for k, v in out.items()}


@A(**RB)
def region_get_default(rows, rng):
    price = {"n": 1.0, "s": 1.5}
    return sum(r["kwh"] * price.get(r["region"], 2.0) for r in rows) + rng.laplace(scale=1.5)


@A(**RB)
def region_price_or(rows, rng):
    price = {"n": 1.0, "s": 0.0}
    return sum(r["kwh"] * (price.get(r["region"], 0) or 3.0) for r in rows) + rng.laplace(scale=1.0)


@A(**RB, unit="user", most_per_unit=3)
def user_clipped_per_record(rows, rng):
    return sum(min(r["kwh"], 1.0) for r in rows) + rng.laplace(scale=1.0)


@A(**RB, unit="user", most_per_unit=2)
def user_two_releases(rows, rng):
    return [sum(r["kwh"] for r in rows) + rng.laplace(scale=2.0), len(rows) + rng.laplace(scale=2.0)]


@A("GDP(mu=1)", **RB, unit="user", most_per_unit=4)
def user_gauss_sqrt(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.normal(scale=2.0)


@A("ZCDP(rho=0.5)", **RB, unit="user", most_per_unit=4)
def user_zcdp_linear(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.normal(scale=2.0)


@A("ApproxDP(epsilon=2, delta=1e-6)", **RB, unit="user", most_per_unit=2)
def user_group_delta(rows, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-6)) / 1.0
    return sum(r["kwh"] for r in rows) + rng.normal(scale=s * 0.9)


@A(**RB)
def xor_flags(rows, rng):
    a = b = 0
    for r in rows:
        hi = r["kwh"] > 0.5
        if hi != r["peak"]:
            a += 1
        if hi and r["peak"]:
            b += 1
        if not hi and not r["peak"]:
            b += 1
        if r["peak"]:
            a += 1
    return [a + rng.laplace(scale=1.0), b + rng.laplace(scale=1.0)]


@A(**RB)
def flag_as_factor(rows, rng):
    return sum(r["kwh"] + r["peak"] for r in rows) + rng.laplace(scale=1.0)


@A(**RB)
def flag_minus(rows, rng):
    return sum((r["peak"] - 1) * 2 for r in rows) + rng.laplace(scale=1.0)


@A(**RB)
def user_modulo(rows, rng):
    counts = [0] * 7
    for r in rows:
        counts[r["user"] % 7] += 1
        counts[(r["user"] + 1) % 7] += 1
    return [c + rng.laplace(scale=1.0) for c in counts]


@A(**RB)
def user_modulo_signed(rows, rng):
    counts = [0] * 3
    for r in rows:
        counts[r["user"] % 3] += 1 if r["peak"] else -2
    return [c + rng.laplace(scale=1.0) for c in counts]


@A(**RB)
def tuple_key(rows, rng):
    c = {(g, p): 0 for g in ("n", "s") for p in (0, 1)}
    for r in rows:
        k = (r["region"], int(r["peak"]))
        if k in c:
            c[k] += 2
    return {k: v + rng.laplace(scale=1.0) for k, v in c.items()}


@A(**CB)
def bmi_mean(d, rng):
    n = len(d["age"]) + rng.laplace(scale=2.0)
    return d["age"].sum() / 100 / max(n, 1) + rng.laplace(scale=2.0)


@A(**CB)
def weighted_mean_noisy(d, rng):
    sw = d["w"].sum() + rng.laplace(scale=2.0)
    sx = (d["w"] * d["inc"]).sum() + rng.laplace(scale=20.0)
    return sx / max(sw, 1.0), sw


@A(**CB)
def weighted_right_but_square(d, rng):
    return (d["w"] ** 2 * d["inc"]).sum() + rng.laplace(scale=20.0)


@A(**CB)
def ages_scaled_after(d, rng):
    x = np.clip(d["age"], 0, 50) / 50
    return (x * 2 - 0.5).sum() + rng.laplace(scale=1.0)


@A(**CB)
def variance_second_moment(d, rng):
    x = d["age"] / 100
    n = len(x) + rng.laplace(scale=3.0)
    s = x.sum() + rng.laplace(scale=3.0)
    q = (x**2).sum() + rng.laplace(scale=1.5)
    return q / max(n, 1) - (s / max(n, 1)) ** 2


@A(**CB)
def covariance(d, rng):
    x, y = d["age"] / 100, d["inc"] / 10
    return [x.sum() + rng.laplace(scale=3), y.sum() + rng.laplace(scale=3), (x * y).sum() + rng.laplace(scale=2.9)]


@A(**CB)
def centred_by_noisy(d, rng):
    m = np.clip(d["age"].sum() / 100 + rng.laplace(scale=2.0), 0, 2)
    x = d["age"] / 100
    return m, ((x - m) ** 2).sum() + rng.laplace(scale=2.0)


@R("PureDP(epsilon=3)", **CB)
def centred_by_noisy_right(d, rng):
    m = np.clip(d["age"].sum() / 100 + rng.laplace(scale=1.0), 0, 1)
    x = d["age"] / 100
    return m, ((x - m) ** 2).sum() + rng.laplace(scale=0.5)


@A(**CB)
def masked_other_column(d, rng):
    m = d["age"] > 65
    return (
        d["inc"][m].sum() / 10 + rng.laplace(scale=1.0),
        d["inc"][~m].sum() / 10 + rng.laplace(scale=1.0),
        m.sum() + rng.laplace(scale=1.0),
    )


@A(**CB)
def mask_overlap(d, rng):
    a = d["age"]
    return [np.sum((a >= lo) & (a <= hi)) + rng.laplace(scale=1.0) for lo, hi in ((0, 18), (18, 65), (65, 100))]


@R(**CB)
def mask_disjoint(d, rng):
    a = d["age"]
    return [np.sum((a >= lo) & (a < hi)) + rng.laplace(scale=1.0) for lo, hi in ((0, 18), (18, 65), (65, 100.5))]


@A(**CB)
def bands_from_public_edges(d, rng):
    edges = [0, 18, 40, 65, 101]
    out = []
    for lo, hi in zip(edges[:-1], edges[1:]):
        m = (d["age"] >= lo) & (d["age"] < hi)
        out.append(d["inc"][m].sum() / 10 + rng.laplace(scale=1.0))
        out.append(m.sum() + rng.laplace(scale=2.0))
    return out


@A(**CB)
def cumulative_bands(d, rng):
    return [np.sum(d["age"] < t) + rng.laplace(scale=1.0) for t in (18, 40, 65)]


@A(**CB)
def lag_bands_late_binding(d, rng):
    fs = [lambda a: (a >= lo) * 1.0 for lo in (0, 50)]
    return [fs[0](d["age"]).sum() + rng.laplace(scale=1.0), fs[1](d["age"]).sum() + rng.laplace(scale=1.0)]


@A(**CB)
def default_binding(d, rng):
    fs = [lambda a, lo=lo: (a >= lo) * 1.0 for lo in (0, 50)]
    return [f(d["age"]).sum() + rng.laplace(scale=1.0) for f in fs]


@A(**CB)
def clip_wrong_side(d, rng):
    return np.maximum(d["age"], 1.0).sum() + rng.laplace(scale=1.0)


@A(**CB)
def clip_min_arg_only(d, rng):
    return d["inc"].clip(max=1.0, min=-5.0).sum() + d["w"].clip(min=1.0).sum() + rng.laplace(scale=2.0)


@A(**CB)
def clip_before_scale(d, rng):
    return (np.clip(d["inc"], 0, 1) * d["w"]).sum() + rng.laplace(scale=1.0)


@A(**CB)
def log_income(d, rng):
    return np.log1p(d["inc"]).sum() + rng.laplace(scale=2.0)


@A(**CB)
def log_income_small(d, rng):
    return np.log(np.maximum(d["inc"], 1e-3)).sum() + rng.laplace(scale=math.log(10))


@A(**CB)
def ratio_of_columns(d, rng):
    return np.minimum(d["inc"] / np.maximum(d["w"], 0.5), 25).sum() + rng.laplace(scale=10.0)


@A(**CB)
def interaction(d, rng):
    return np.sum(np.where(d["age"] > 50, d["inc"], -d["inc"])) / 10 + np.sum(d["w"]) + rng.laplace(scale=1.0)


@A(**CB)
def tied_where(d, rng):
    a = np.where(d["age"] > 50, 1.0, 0.0)
    b = np.where(d["age"] >= 50, 0.0, 1.0)
    c = np.where(d["age"] == 50, 1.0, 0.0)
    return [v.sum() + rng.laplace(scale=1.0) for v in (a, b + c, c)]


@R(**CB)
def tied_where_right(d, rng):
    a = np.where(d["age"] > 50, 1.0, 0.0)
    b = np.where(d["age"] < 50, 1.0, 0.0)
    c = np.where(d["age"] == 50, 1.0, 0.0)
    return [v.sum() + rng.laplace(scale=1.0) for v in (a, b, c)]


@A(**TB)
def ab_lift(data, rng):
    a = [x for x, k, t in data if t == "a"]
    b = [x for x, k, t in data if t == "b"]
    return sum(a) / max(len(a), 1) - sum(b) / max(len(b), 1) + rng.laplace(scale=2.0)


@A(**TB)
def ab_counts_and_sums(data, rng):
    out = []
    for g in ("a", "b"):
        v = [x for x, k, t in data if t == g]
        out.append((sum(v) + rng.laplace(scale=1.0), len(v) + rng.laplace(scale=1.0)))
    return out


@R("PureDP(epsilon=2)", **TB)
def ab_counts_and_sums_right(data, rng):
    out = []
    for g in ("a", "b"):
        v = [x for x, k, t in data if t == g]
        out.append((sum(v) + rng.laplace(scale=1.0), len(v) + rng.laplace(scale=1.0)))
    return out


@A(**TB)
def ab_not_a(data, rng):
    return [
        sum(1 for x, k, t in data if t != "a") + rng.laplace(scale=1.0),
        sum(1 for x, k, t in data if t != "b") + rng.laplace(scale=1.0),
    ]


@A(**TB)
def ab_elif_chain(data, rng):
    a = b = c = 0
    for x, k, t in data:
        if t == "a":
            a += 1
        if t == "b":
            b += 1
        elif x > 0.5:
            c += 1
    return [v + rng.laplace(scale=1.0) for v in (a, b, c)]


@A(**TB)
def ab_early_continue(data, rng):
    a = b = 0
    for x, k, t in data:
        a += 1
        if t == "a":
            continue
        b += 1
    return [v + rng.laplace(scale=1.0) for v in (a, b)]


@A(**TB)
def visits_times_value(data, rng):
    return sum(k * x for x, k, t in data) + rng.laplace(scale=1.0)


@A(**TB)
def visits_range(data, rng):
    s = 0.0
    for x, k, t in data:
        for _ in range(4):
            if _ < k:
                s += x
    return s + rng.laplace(scale=3.0)


@A(**TB)
def visits_list_index(data, rng):
    h = [0, 0, 0, 0, 0]
    for x, k, t in data:
        h[k] += 1
        h[-1] += 1
    return [v + rng.laplace(scale=1.0) for v in h]


@A(**TB)
def visits_negative_index(data, rng):
    h = [0.0] * 5
    for x, k, t in data:
        h[k - 1] += 1.0
        h[k] -= 1.0
    return [v + rng.laplace(scale=1.0) for v in h]


@A(**TB)
def tuple_item_access(data, rng):
    return sum(r[0] + (r[1] >= 2) for r in data) + rng.laplace(scale=1.0)


@A(**TB)
def tuple_star(data, rng):
    return sum(r[0] * r[-2] for r in data) + rng.laplace(scale=1.0)


@A(**TB)
def comprehension_shadow(data, rng):
    x = 5.0
    y = [x for x, k, t in data if k > 1]
    return sum(v * x for v in y) + rng.laplace(scale=1.0)


@R("PureDP(epsilon=5)", **TB)
def comprehension_shadow_right(data, rng):
    x = 5.0
    y = [x for x, k, t in data if k > 1]
    return sum(v * x for v in y) + rng.laplace(scale=1.0)


@A(**TB)
def loop_variable_after(data, rng):
    w = 1.0
    s = 0.0
    for x, k, t in data:
        s += w * x
    for w in (1.0, 3.0):
        pass
    return s * w + rng.laplace(scale=1.0)


@A(data=T)
def log_counter(data, rng):
    c = Counter(data)
    return {k: c[k] + rng.laplace(scale=0.5) for k in ("a", "b")}


@A(data=T)
def log_twice_keys(data, rng):
    c = Counter(data)
    return [c[k] + rng.laplace(scale=1.0) for k in ("a", "b", "a")]


@A(data=T)
def log_total_and_parts(data, rng):
    c = Counter(data)
    n = len(data) + rng.laplace(scale=1.0)
    return n, [c[k] + rng.laplace(scale=1.0) for k in ("a", "b")]


@A(data=T)
def log_present_keys(data, rng):
    c = Counter(data)
    return {k: v + rng.laplace(scale=1.0) for k, v in c.items()}


@A(data=T)
def log_defaultdict(data, rng):
    c = defaultdict(int)
    for t in data:
        c[t] += 1
    return {k: c[k] + rng.laplace(scale=1.0) for k in ("a", "b")}


@A(data=T)
def log_len_text(data, rng):
    return sum(len(t) for t in data) + rng.laplace(scale=1.0)


@A(data=T)
def log_ordering(data, rng):
    return sum(1 if t < "b" else 2 for t in data) + rng.laplace(scale=1.0)


@A(data=T)
def log_text_in_text(data, rng):
    return sum(2 for t in data if t in "ab") + rng.laplace(scale=1.0)


@A(data=T)
def log_nested_dict(data, rng):
    c = {"a": {"n": 0}, "b": {"n": 0}}
    for t in data:
        if t in c:
            c[t]["n"] += 2
    return [c[k]["n"] + rng.laplace(scale=1.0) for k in c]


@A(data=T)
def log_code_map(data, rng):
    code = {"a": 0, "b": 1}
    h = np.zeros(3)
    for t in data:
        h[code.get(t, 2)] += 1
        h[2] += 1
    return h + rng.laplace(scale=1.0, size=3)


@R("PureDP(epsilon=1)", data=T)
def log_code_map_right(data, rng):
    code = {"a": 0, "b": 1}
    h = np.zeros(3)
    for t in data:
        h[code.get(t, 2)] += 1
    return h + rng.laplace(scale=1.0, size=3)


@A(data=T)
def log_weights_default(data, rng):
    w = {"a": 1.0, "b": -1.0}
    return sum(w.get(t, 0.0) for t in data) + sum(1 for t in data if t not in w) * 2 + rng.laplace(scale=1.0)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_l2_columns(X, rng):
    n = np.linalg.norm(X, axis=0)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_linf(X, rng):
    m = np.abs(X).max(axis=1, keepdims=True)
    return (X / np.maximum(m, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_elementwise_only(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("PureDP(epsilon=1)", data=X3, bounds="-1:1")
def clip_l2_laplace(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.laplace(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_norm_min_wrong(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.minimum(np.maximum(n, 1e-6), 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_norm_max_wrong(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.maximum(1.0, 1.0 / np.maximum(n, 0.1))).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_norm_of_clipped(X, rng):
    n = np.linalg.norm(np.clip(X, -0.5, 0.5), axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_then_centre(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    C = X / np.maximum(n, 1.0)
    return (C - 0.5).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_then_scale(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    C = X / np.maximum(n, 1.0)
    return (C * np.array([1.0, 2.0, 1.0])).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_threshold_and_noise_mismatch(X, rng):
    C = 2.0
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.minimum(1.0, C / np.maximum(n, 1e-12))).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_half_columns(X, rng):
    n = np.linalg.norm(X[:, :2], axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_square_missing_root(X, rng):
    n = np.sum(X**2, axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_root_of_sum(X, rng):
    n = np.sqrt(np.abs(np.sum(X, axis=1, keepdims=True)))
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@R("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_root_right(X, rng):
    n = np.sqrt(np.sum(X**2, axis=1, keepdims=True))
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", data=X3, bounds="-1:1")
def clip_and_count(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    s = (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.0, size=3)
    return s, len(X) + rng.normal(scale=10.0)


@A("ZCDP(rho=0.5)", data=X3, bounds="-1:1", relation="replace")
def clip_replace(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) / len(X) + rng.normal(scale=1.0 / len(X), size=3)


@A("ApproxDP(epsilon=1, delta=1e-5)", data=F, bounds="0:1")
def classical_gaussian_125(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(2 * math.log(1.25)) / 1.0)


@A("ApproxDP(epsilon=4, delta=1e-5)", data=F, bounds="0:1")
def classical_large_eps(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(2 * math.log(1.25 / 1e-5)) / 8.0)


@A("ApproxDP(epsilon=1, delta=1e-5)", data=F, bounds="0:1")
def gaussian_log10(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(2 * math.log10(1.25 / 1e-5)))


@A("ApproxDP(epsilon=1, delta=1e-5)", data=F, bounds="0:1")
def gaussian_variance_as_scale(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(math.sqrt(2 * math.log(1.25 / 1e-5))))


@A("ZCDP(rho=0.1)", data=F, bounds="0:1")
def zcdp_wrong(data, rng):
    return data.sum() + rng.normal(scale=1 / math.sqrt(4 * 0.1))


@A("ZCDP(rho=0.1)", data=F, bounds="0:1")
def zcdp_laplace(data, rng):
    return data.sum() + rng.laplace(scale=1 / math.sqrt(3 * 0.1))


@A("RDP(order=8, epsilon=0.5)", data=F, bounds="0:1")
def rdp_wrong(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(8 / (2 * 0.6)))


@A("RDP(order=8, epsilon=0.5)", data=F, bounds="0:1")
def rdp_three(data, rng):
    return [data.sum() + rng.normal(scale=math.sqrt(16)) for _ in range(3)]


@A("GDP(mu=1)", data=F, bounds="0:1")
def gdp_sum_of_mus(data, rng):
    return [data.sum() + rng.normal(scale=math.sqrt(2) * 0.99) for _ in range(2)]


@A("GDP(mu=1)", data=F, bounds="0:1")
def gdp_with_laplace(data, rng):
    return data.sum() + rng.normal(scale=2.0), len(data) + rng.laplace(scale=100.0)


@A("ApproxDP(epsilon=1, delta=1e-5)", data=F, bounds="0:1")
def mixed(data, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.9
    return data.sum() + rng.normal(scale=s * 0.85), len(data) + rng.laplace(scale=5.0)


@A(data=F, bounds="0:1")
def percentile_by_hist(data, rng):
    h, e = np.histogram(data, bins=10, range=(0, 1))
    c = np.cumsum(h) + rng.laplace(scale=1.0, size=10)
    return e[np.searchsorted(c, c[-1] / 2)]


@R(data=F, bounds="0:1")
def percentile_by_hist_right(data, rng):
    h, e = np.histogram(data, bins=10, range=(0, 1))
    c = np.cumsum(h + rng.laplace(scale=1.0, size=10))
    return float(c[-1])


@A(data=F, bounds="0:1")
def two_granularities(data, rng):
    a = np.histogram(data, bins=2, range=(0, 1))[0] + rng.laplace(scale=1.0, size=2)
    b = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(scale=2.0, size=4)
    return a, b


@A(data=F, bounds="0:1")
def hist_of_pairs(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return (h[:-1] + h[1:]) + rng.laplace(scale=1.0, size=3)


@A(data=F, bounds="0:1")
def hist_tree(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    l1 = h.reshape(2, 2).sum(axis=1)
    return np.concatenate([h, l1]) + rng.laplace(scale=1.5, size=6)


@A(data=F, bounds="0:1")
def hist_tree_list(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return [x + rng.laplace(scale=2.0) for x in (*h, h[:2].sum(), h[2:].sum(), h.sum())]


@R("PureDP(epsilon=1.5)", data=F, bounds="0:1")
def hist_tree_list_right(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return [x + rng.laplace(scale=2.0) for x in (*h, h[:2].sum(), h[2:].sum(), h.sum())]


@A(data=F, bounds="0:1")
def hist_one_draw(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    z = rng.laplace(scale=1.0, size=4)
    return h + z, h[::-1] + z


@A(data=F, bounds="0:1")
def hist_broadcast(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h.reshape(2, 2) + rng.laplace(scale=1.0, size=(1, 2))


@A(data=F, bounds="0:1")
def hist_broadcast_two(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h[None, :] + rng.laplace(scale=1.0, size=(2, 4))


@A(data=F, bounds="0:1")
def hist_weights(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1), weights=data * 5)[0]
    return h + rng.laplace(scale=1.0, size=4)


@A(data=F, bounds="0:1")
def hist_max_bin(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    n = h + rng.laplace(scale=1.0, size=4)
    return int(np.argmax(n)), h[int(np.argmax(n))] + rng.laplace(scale=1.0)


@A(data=J, bounds="0:9")
def bincount_weights(data, rng):
    return np.bincount(data, minlength=10) * np.arange(10) + rng.laplace(scale=1.0, size=10)


@A(data=J, bounds="0:9")
def bincount_clip_last(data, rng):
    h = np.bincount(np.minimum(data, 4), minlength=5)
    return h + rng.laplace(scale=1.0, size=5), h[4] + rng.laplace(scale=1.0)


FD = dict(data=F, bounds="0:1")
LD = dict(data=L, bounds="0:1")
FR = dict(data=F, bounds="0:1", relation="replace")
LR = dict(data=L, bounds="0:1", relation="replace")
XYB = dict(data=XY, bounds="-1:1")
X2B = dict(data=X2, bounds="0:1")


class Budget:
    eps = 1.0

    def __init__(self, total):
        self.total = total
        self.used = 0.0

    def take(self, e):
        return self.total / e

    @property
    def half(self):
        return self.total / 2

    @staticmethod
    def scale(e):
        return 1.0 / e


BUD = Budget(1.0)


class Big(Budget):
    eps = 4.0


BIG = Big(1.0)


@dataclass
class Cfg:
    eps: float = 1.0
    lo: float = 0.0
    hi: float = 1.0
    weights: tuple = (1.0, 2.0)

    def clip(self, v):
        return min(max(v, self.lo), self.hi)


CFG = Cfg()
CFG3 = Cfg(hi=3.0)


@dataclass(frozen=True)
class FCfg:
    eps: float = 1.0
    names: tuple = ("a", "b")


FC = FCfg(eps=2.0)
P = namedtuple("P", "eps lo hi")
PP = P(1.0, 0.0, 2.0)


@A(**FD)
def budget_half_twice_over(data, rng):
    return [data.sum() + rng.laplace(scale=BUD.half) for _ in range(2)]


@A(**FD)
def budget_class_attribute(data, rng):
    return data.sum() + rng.laplace(scale=BUD.scale(BIG.eps))


@A(**FD)
def budget_inherited(data, rng):
    return data.sum() + rng.laplace(scale=1.0 / BIG.eps)


@A(**FD)
def budget_take(data, rng):
    return data.sum() + rng.laplace(scale=BUD.take(2))


@A(data=L, bounds="0:5")
def cfg_clip(data, rng):
    return sum(CFG3.clip(x) for x in data) + rng.laplace(scale=1 / CFG.eps)


@R(data=L, bounds="0:5")
def cfg_clip_right(data, rng):
    return sum(CFG3.clip(x) for x in data) + rng.laplace(scale=3 / CFG.eps)


@A(**FD)
def cfg_frozen(data, rng):
    return data.sum() + rng.laplace(scale=1 / FC.eps)


@A(data=T)
def cfg_names(data, rng):
    return [sum(1 for t in data if t == n or t == "c") + rng.laplace(scale=1.0) for n in FC.names]


@A(data=L, bounds="0:5")
def named_tuple(data, rng):
    return sum(min(max(x, PP.lo), PP.hi) for x in data) + rng.laplace(scale=1 / PP.eps)


@A(**FD)
def weights_dot(data, rng):
    return [w * data.sum() + rng.laplace(scale=2.0) for w in CFG.weights]


@A(**FD)
def partial_noise(data, rng):
    f = partial(rng.laplace, scale=0.5)
    return data.sum() + f()


@A(**FD)
def reduce_sum(data, rng):
    return reduce(operator.add, [data.sum(), data.sum()]) + rng.laplace(scale=1.0)


@A(**FD)
def itertools_chain(data, rng):
    return sum(itertools.chain(data, data)) + rng.laplace(scale=1.0)


@A(**LD)
def concat_lists(data, rng):
    return sum(data + data) + rng.laplace(scale=1.0)


@A(**LD)
def star_lists(data, rng):
    return sum([*data, *data]) + rng.laplace(scale=1.0)


@A(**LD)
def times_list(data, rng):
    return sum(data * 2) + rng.laplace(scale=1.0)


@A(**LD)
def zip_self(data, rng):
    return sum(a + b for a, b in zip(data, data)) + rng.laplace(scale=1.0)


@A(**LD)
def zip_shifted(data, rng):
    return sum(abs(a - b) for a, b in zip(data, data[1:])) + rng.laplace(scale=1.0)


@A(**LD)
def zip_sorted(data, rng):
    return sum(abs(a - b) for a, b in zip(data, sorted(data))) + rng.laplace(scale=1.0)


@A(**LD)
def zip_flags(data, rng):
    flags = [x > 0.5 for x in data]
    big = [2.0 if f else 0.0 for f in flags]
    return sum(x + b for x, b in zip(data, big)) + rng.laplace(scale=1.0)


@R("PureDP(epsilon=3)", **LD)
def zip_flags_right(data, rng):
    flags = [x > 0.5 for x in data]
    big = [2.0 if f else 0.0 for f in flags]
    return sum(x + b for x, b in zip(data, big)) + rng.laplace(scale=1.0)


@A(**LD)
def zip_filtered(data, rng):
    big = [x for x in data if x > 0.5]
    return sum(x * b for x, b in zip(data, big)) + rng.laplace(scale=1.0)


@A(**LD)
def zip_twice_once(data, rng):
    z = zip(data, data)
    s = sum(a for a, b in z)
    return s + sum(b for a, b in z) + rng.laplace(scale=1.0)


@A(**LD)
def enumerate_weight(data, rng):
    return sum(x for i, x in enumerate(data) if i % 2 == 0) + rng.laplace(scale=1.0)


@A(**LD)
def dedupe(data, rng):
    return len(set(data)) + rng.laplace(scale=1.0) + 0 * sum(data)


@A(**LD)
def map_filter(data, rng):
    return sum(map(lambda x: 2 * x, filter(lambda x: x > 0, data))) + rng.laplace(scale=1.0)


@A(**LD)
def max_key(data, rng):
    return max(data, key=lambda x: x) + rng.laplace(scale=1.0)


@A(**LD)
def max_default(data, rng):
    return max(data, default=0.0) + rng.laplace(scale=1.0)


@A(**LD)
def min_of_sum(data, rng):
    return min(sum(data), 10.0) + sum(data) + rng.laplace(scale=1.0)


@A(**LD)
def abs_of_sum(data, rng):
    return abs(sum(data) - 5) + sum(data) + rng.laplace(scale=1.0)


@A(**LD)
def sum_generator_twice(data, rng):
    g = (x for x in data)
    return sum(g) + sum(g) + rng.laplace(scale=0.5)


@A(**LD)
def running_max(data, rng):
    m = 0.0
    s = 0.0
    for x in data:
        m = max(m, x)
        s += m
    return s + rng.laplace(scale=1.0)


@A(**LD)
def previous_value(data, rng):
    prev = 0.0
    s = 0.0
    for x in data:
        s += abs(x - prev)
        prev = x
    return s + rng.laplace(scale=1.0)


@A(**LD)
def first_seen(data, rng):
    first = None
    s = 0.0
    for x in data:
        if first is None:
            first = x
        s += x
    return s + first + rng.laplace(scale=1.0)


@A(**LD)
def counter_position(data, rng):
    n = 0
    s = 0.0
    for x in data:
        n += 1
        if n <= 10:
            s += x
    return s + rng.laplace(scale=1.0)


@A(**LD)
def weight_decay(data, rng):
    w = 1.0
    s = 0.0
    for x in data:
        s += w * x
        w *= 0.5
    return s + rng.laplace(scale=1.0)


@A(**LD)
def accumulate_into_total(data, rng):
    t = 0.0
    u = 0.0
    for x in data:
        t += x
    for x in data:
        u += x
    t += u
    return t + rng.laplace(scale=1.0)


@A(**LD)
def reset_inside(data, rng):
    t = 0.0
    for x in data:
        y = 0.0
        y += x
        y += x
        t += y
    return t + rng.laplace(scale=1.0)


@A(**LD)
def swapped_accumulators(data, rng):
    a, b = 0.0, 0.0
    for x in data:
        a, b = a + x, b + 2 * x
    return a + rng.laplace(scale=2.0), b + rng.laplace(scale=2.0)


@A(**LD)
def tuple_assign_cross(data, rng):
    a, b = 0.0, 0.0
    for x in data:
        a, b = b + x, a + x
    return a + rng.laplace(scale=1.0)


@A(**LD)
def aug_order(data, rng):
    a = 0.0
    for x in data:
        y = x
        x += 1.0
        a += x * y
    return a + rng.laplace(scale=1.0)


@A(**LD)
def loop_var_reassigned(data, rng):
    a = 0.0
    for x in data:
        x = x * 2
        if x > 1:
            x = 1.0 + x
        a += x
    return a + rng.laplace(scale=2.0)


@A(**LD)
def inner_known_loop(data, rng):
    c = [0.0] * 4
    for x in data:
        for j, t in enumerate((0.0, 0.25, 0.5, 0.75)):
            if x >= t:
                c[j] += 1
    return [v + rng.laplace(scale=1.0) for v in c]


@A(**LD)
def inner_break(data, rng):
    c = [0.0] * 4
    for x in data:
        for j, t in enumerate((0.75, 0.5, 0.25, 0.0)):
            if x >= t:
                c[j] += 1
                if x > 0.9:
                    break
    return [v + rng.laplace(scale=1.0) for v in c]


@R(**LD)
def inner_break_right(data, rng):
    c = [0.0] * 4
    for x in data:
        for j, t in enumerate((0.75, 0.5, 0.25, 0.0)):
            if x >= t:
                c[j] += 1
                break
    return [v + rng.laplace(scale=1.0) for v in c]


@A(**LD)
def inner_while(data, rng):
    s = 0.0
    for x in data:
        k = 0
        while k < 3:
            s += x
            k += 1
    return s + rng.laplace(scale=2.0)


@A(**LD)
def inner_helper(data, rng):
    def bucket(x):
        if x < 0.3:
            return 0
        if x < 0.6:
            return 1
        return 2

    h = [0, 0, 0]
    for x in data:
        h[bucket(x)] += 1
        h[bucket(1 - x)] += 1
    return [v + rng.laplace(scale=1.0) for v in h]


@R("PureDP(epsilon=2)", **LD)
def inner_helper_right(data, rng):
    def bucket(x):
        if x < 0.3:
            return 0
        if x < 0.6:
            return 1
        return 2

    h = [0, 0, 0]
    for x in data:
        h[bucket(x)] += 1
        h[bucket(1 - x)] += 1
    return [v + rng.laplace(scale=1.0) for v in h]


@A(**LD)
def helper_default_mutable(data, rng):
    def add(x, acc=[0.0]):
        acc[0] += x
        return acc[0]

    return sum(add(x) for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def helper_closure_var(data, rng):
    scale = 1.0

    def noisy(v):
        return v + rng.laplace(scale=scale)

    scale = 0.1
    return noisy(sum(data))


@A(**LD)
def helper_closure_loop(data, rng):
    out = []
    for w in (1.0, 2.0, 3.0):

        def f(x):
            return w * x

        out.append(f)
    return [sum(f(x) for x in data) + rng.laplace(scale=6.0) for f in out]


@A(**LD)
def lambda_dict(data, rng):
    fs = {"a": lambda x: x, "b": lambda x: x * x, "c": lambda x: 2 - x}
    return {k: sum(f(x) for x in data) + rng.laplace(scale=3.0) for k, f in fs.items()}


@A(**LD)
def recursion(data, rng):
    def go(k):
        return 0.0 if k == 0 else sum(data) + go(k - 1)

    return go(3) + rng.laplace(scale=2.0)


@A(**LD)
def decorated_twice(data, rng):
    def twice(f):
        return lambda v: f(f(v))

    return twice(lambda v: v * 2)(sum(data)) + rng.laplace(scale=2.0)


@A(**LD)
def kwargs_override(data, rng):
    def noise(v, scale=1.0, **kw):
        return v + rng.laplace(scale=kw.get("s", scale))

    return noise(sum(data), scale=1.0, s=0.1)


@A(**LD)
def args_star(data, rng):
    def noise(*a):
        return a[0] + rng.laplace(0, *a[1:])

    return noise(sum(data), 0.5)


@A(**LD)
def bool_or_default(data, rng, eps=None):
    eps = eps or 2.0
    return sum(data) + rng.laplace(scale=1 / eps)


@A(**LD)
def and_or_value(data, rng):
    return sum((x > 0.5 and 3.0) or x for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def and_or_zero(data, rng):
    return sum((x or 2.0) for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def or_chain_value(data, rng):
    return sum((x and 1 - x) or 2 for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def not_value(data, rng):
    return sum(x + (not x) * 1.5 for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def nested_ternary(data, rng):
    return sum(0 if x < 0.2 else 1 if x < 0.4 else 0 if x < 0.6 else 2 for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def chained_compare(data, rng):
    return sum(1 + (0.2 < x < 0.4) + (0.3 < x <= 1) for x in data) + rng.laplace(scale=2.0)


@A(**LD)
def in_tuple_floats(data, rng):
    return sum(3 if x in (0.5, 1.0) else 0 for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="0:5")
def in_range(data, rng):
    return sum(3 if x in range(2, 4) else 0 for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="0:5")
def in_dict_keys(data, rng):
    w = {1: 1.0, 2: 5.0}
    return sum(w[x] if x in w else 0.0 for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="0:5")
def list_lookup(data, rng):
    w = [0.0, 1.0, 0.5, 0.2, 0.1, 3.0]
    return sum(w[x] for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="0:5")
def array_lookup(data, rng):
    w = np.array([0.0, 1.0, 0.5, 0.2, 0.1, 3.0])
    return sum(w[x] for x in data) + rng.laplace(scale=1.0)


@A(data=J, bounds="0:5")
def fancy_lookup(data, rng):
    w = np.array([0.0, 1.0, 0.5, 0.2, 0.1, 3.0])
    return w[data].sum() + rng.laplace(scale=1.0)


@A(data=I, bounds="-5:5")
def negative_lookup(data, rng):
    w = [0.0, 1.0, 1.0, 1.0, 1.0, 9.0]
    return sum(w[x] for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="-5:5")
def int_division(data, rng):
    return sum(x // 3 for x in data) + rng.laplace(scale=1.0)


@R("PureDP(epsilon=2)", data=I, bounds="-5:5")
def int_division_right(data, rng):
    return sum(x // 3 for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="-5:5")
def trunc_division(data, rng):
    return sum(int(x / 3) - x // 3 for x in data) + sum(x // 5 for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="-5:5")
def modulo_negative(data, rng):
    return sum(x % 4 for x in data) + rng.laplace(scale=2.0)


@A(data=I, bounds="0:5")
def bit_and(data, rng):
    return sum(x & 4 for x in data) + rng.laplace(scale=1.0)


@A(data=I, bounds="0:5")
def power_int(data, rng):
    return sum(2**x for x in data) + rng.laplace(scale=16.0)


@A(data=I, bounds="0:5")
def float_power(data, rng):
    return sum(x**0.5 for x in data) + rng.laplace(scale=2.0)


@A(data=J, bounds="0:5")
def bool_arithmetic(data, rng):
    return ((data > 2) + (data > 3)).sum() + (data > 4).sum() + rng.laplace(scale=1.0)


@A(data=J, bounds="0:5")
def bool_times(data, rng):
    return ((data > 2) * 1 + (data > 3) * 1).sum() + rng.laplace(scale=1.0)


@A(data=J, bounds="0:5")
def bool_subtract(data, rng):
    return ((data > 2) * 1 - (data <= 2) * 2).sum() + rng.laplace(scale=1.0)


@A(data=J, bounds="0:5")
def int_square(data, rng):
    return (data * data).sum() + rng.laplace(scale=5.0)


@A(data=B)
def bool_sum_twice(data, rng):
    return data.sum() + (~data).sum() * 2 + rng.laplace(scale=1.0)


@A(data=B)
def bool_where(data, rng):
    return np.where(data, 1, -2).sum() + rng.laplace(scale=1.0)


@R("PureDP(epsilon=1)", data=B)
def bool_parts(data, rng):
    return data.sum() + rng.laplace(scale=1.0), (~data).sum() + rng.laplace(scale=1.0)


@A(**FR)
def replace_mean(data, rng):
    return data.mean() + rng.laplace(scale=0.5 / len(data))


@A(**FR)
def replace_count_private(data, rng):
    return (data > 0.5).sum() + rng.laplace(scale=0.5)


@A(**FR)
def replace_hist(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(scale=1.0, size=4)


@A("GDP(mu=1)", **FR)
def replace_hist_gauss(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.normal(scale=1.4, size=4)


@A("GDP(mu=1)", **FR)
def replace_hist_gauss_one(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.normal(scale=1.0, size=4)


@A(**FR)
def replace_ratio_masks(data, rng):
    return np.mean(data[data > 0.5]) + rng.laplace(scale=1.0)


@A(**FR)
def replace_noise_over_n_plus(data, rng):
    return data.sum() / len(data) + rng.laplace(scale=1 / (len(data) + 1))


@A(**FR)
def replace_noise_over_n2(data, rng):
    return data.sum() / len(data) + rng.laplace(scale=1 / len(data) ** 2)


@A(**FR)
def replace_scale_by_n(data, rng):
    return data.sum() / len(data) + rng.laplace() / (len(data) * 2)


@A(**FR)
def replace_centred(data, rng):
    n = len(data)
    return (data - 0.5).sum() * 2 / n + rng.laplace(scale=1 / n)


@R(**FR)
def replace_centred_right(data, rng):
    n = len(data)
    return (data - 0.5).sum() * 2 / n + rng.laplace(scale=2 / n)


@A(**FR)
def replace_small_n(data, rng):
    n = len(data)
    if n < 3:
        return data.sum() / n + rng.laplace(scale=0.4)
    return data.sum() / n + rng.laplace(scale=0.4)


@A(**FR)
def replace_large_n(data, rng):
    n = len(data)
    if n > 1000:
        return data.sum() / n + rng.laplace(scale=1e-4)
    return data.sum() / n + rng.laplace(scale=1.0)


@A(**FR)
def replace_n_parity(data, rng):
    n = len(data)
    s = 1.0 if n % 977 else 0.5
    return data.sum() + rng.laplace(scale=s)


@A(**FR)
def replace_max_n(data, rng):
    n = max(len(data), 10)
    return data.sum() / n + rng.laplace(scale=1 / max(n, 50))


@A(**FR)
def replace_min_n(data, rng):
    n = min(len(data), 10)
    return data.sum() / n + rng.laplace(scale=1 / n)


@A(**LR)
def replace_filter_len(data, rng):
    k = [x for x in data if x > 0.5]
    return sum(k) / max(len(k), 1) + rng.laplace(scale=0.5)


@A(**dict(X2B, relation="replace"))
def replace_column_means(X, rng):
    return X.mean(axis=0) + rng.laplace(scale=1 / len(X), size=2)


@A(**dict(X2B, relation="replace"))
def replace_all_mean(X, rng):
    return X.sum() / (len(X) * 2) + rng.laplace(scale=0.5 / len(X))


@A(**dict(X2B, relation="replace"))
def replace_shape(X, rng):
    n, d = X.shape
    return X.sum(axis=0) / n + rng.laplace(scale=1 / n, size=d)


@A(**dict(X2B, relation="replace"))
def replace_size(X, rng):
    return X.sum() / X.size + rng.laplace(scale=1 / X.size)


W = np.array([0.5, -0.5])


@A(**XYB)
def gradient_unclipped(d, rng):
    X, y = d
    e = X @ W - y
    return X.T @ e + rng.laplace(scale=2.0, size=2)


@A("GDP(mu=1)", **XYB)
def gradient_per_sample_scalar_clip(d, rng):
    X, y = d
    e = np.clip(X @ W - y, -1, 1)
    return X.T @ e + rng.normal(scale=1.0, size=2)


@R("GDP(mu=1)", **XYB)
def gradient_per_sample_right(d, rng):
    X, y = d
    e = np.clip(X @ W - y, -1, 1)
    return X.T @ e + rng.normal(scale=math.sqrt(2), size=2)


@A("GDP(mu=1)", **XYB)
def gradient_sum_clip(d, rng):
    X, y = d
    g = X.T @ (X @ W - y)
    return g / max(1.0, np.linalg.norm(g)) + rng.normal(scale=1.0, size=2)


@A("GDP(mu=1)", **XYB)
def gradient_steps(d, rng):
    X, y = d
    w = np.zeros(2)
    for _ in range(3):
        G = X * np.clip(X @ W - y, -1, 1)[:, None]
        n = np.linalg.norm(G, axis=1, keepdims=True)
        w = w - 0.1 * ((G / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.5, size=2))
    return w


@R("GDP(mu=1.1547006)", **XYB)
def gradient_steps_right(d, rng):
    X, y = d
    w = np.zeros(2)
    for _ in range(3):
        G = X * np.clip(X @ W - y, -1, 1)[:, None]
        n = np.linalg.norm(G, axis=1, keepdims=True)
        w = w - 0.1 * ((G / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=1.5, size=2))
    return w


@A("GDP(mu=1)", **XYB)
def gradient_noise_scaled_by_rate(d, rng):
    X, y = d
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return 0.1 * (X / np.maximum(n, 1.0)).sum(axis=0) + 0.01 * rng.normal(scale=1.0, size=2)


@A("GDP(mu=1)", **XYB)
def momentum_reuse(d, rng):
    X, y = d
    n = np.linalg.norm(X, axis=1, keepdims=True)
    g = (X / np.maximum(n, 1.0)).sum(axis=0)
    z = rng.normal(scale=1.0, size=2)
    m = 0.9 * g + z
    return m + g


@A("GDP(mu=1)", **XYB)
def gram_and_xty(d, rng):
    X, y = d
    return X.T @ X + rng.normal(scale=2.0, size=(2, 2)), X.T @ y + rng.normal(scale=2.0, size=2)


@A("GDP(mu=1)", **XYB)
def gram_symmetric_noise(d, rng):
    X, y = d
    Z = rng.normal(scale=2.0, size=(2, 2))
    Z = (Z + Z.T) / 2
    return X.T @ X + Z


@R("GDP(mu=1)", **XYB)
def gram_right(d, rng):
    X, y = d
    return X.T @ X + rng.normal(scale=2.0, size=(2, 2))


FD = dict(data=F, bounds="0:1")
LD = dict(data=L, bounds="0:1")
FN = dict(data=F)
LN = dict(data=L)
X2B = dict(data=X2, bounds="0:1")
X3B = dict(data=X3, bounds="-1:1")


@A(**FD)
def adaptive_threshold(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    return t, (data > t).sum() + rng.laplace(scale=1.0)


@R("PureDP(epsilon=1.5)", **FD)
def adaptive_threshold_right(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    return t, (data > t).sum() + rng.laplace(scale=1.0)


@A(**FD)
def adaptive_clip(data, rng):
    t = np.clip(data.sum() + rng.laplace(scale=2.0), 0.0, 1.0)
    return np.minimum(data, t).sum() + rng.laplace(scale=1.0)


@A(**FD)
def adaptive_clip_scale(data, rng):
    t = np.clip(data.sum() + rng.laplace(scale=2.0), 0.1, 1.0)
    return t, np.minimum(data, t).sum() + rng.laplace(scale=t)


@R("PureDP(epsilon=10.5)", **FD)
def adaptive_clip_scale_right(data, rng):
    t = np.clip(data.sum() + rng.laplace(scale=2.0), 0.1, 1.0)
    return t, np.minimum(data, t).sum() + rng.laplace(scale=t)


@A(**FD)
def adaptive_skip(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    if n < 100:
        return n, 0.0
    return n, data.sum() + rng.laplace(scale=10.0)


@A(**FD)
def adaptive_retry(data, rng):
    for _ in range(3):
        v = data.sum() + rng.laplace(scale=1.0)
        if v > 0:
            return v
    return 0.0


@A(**FD)
def adaptive_two_branches(data, rng):
    n = len(data) + rng.laplace(scale=2.0)
    if n > 10:
        return n, data.sum() + rng.laplace(scale=2.0)
    return n, data.sum() + rng.laplace(scale=1.5)


@A(**FD)
def adaptive_scale_from_n(data, rng):
    n = max(len(data) + rng.laplace(scale=2.0), 1.0)
    return data.sum() / n + rng.laplace(scale=2.0 / n)


@A(**FD)
def adaptive_scale_from_n_wrong(data, rng):
    n = max(len(data) + rng.laplace(scale=2.0), 1.0)
    return data.sum() / n + rng.laplace(scale=1.0 / n)


@A(**FD)
def adaptive_normalised_noise(data, rng):
    n = max(len(data) + rng.laplace(scale=2.0), 1.0)
    return (data.sum() + rng.laplace(scale=1.0)) / n


@A(**FD)
def adaptive_sign(data, rng):
    v = data.sum() - 3 + rng.laplace(scale=2.0)
    return np.sign(v) * (data.sum() - 3) + rng.laplace(scale=1.5)


@A(**FD)
def adaptive_bins(data, rng):
    top = np.clip(data.sum() + rng.laplace(scale=2.0), 0.5, 1.0)
    h = [((data >= top * j / 2) & (data <= top * (j + 1) / 2)).sum() + rng.laplace(scale=2.0) for j in range(2)]
    return h


@A(**FD)
def adaptive_max_bin_sum(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0] + rng.laplace(scale=2.0, size=2)
    k = np.argmax(h)
    return data[(data >= k / 2)].sum() + rng.laplace(scale=1.5)


@A(**FD)
def adaptive_while(data, rng):
    t = 0.0
    k = 0
    while k < 3:
        v = (data > t).sum() + rng.laplace(scale=2.0)
        t = np.clip(v / 10, 0, 1)
        k += 1
    return t


@A(**FD)
def adaptive_list_of_scales(data, rng):
    s = [2.0, 2.0, 4.0]
    out = []
    for j, each in enumerate(s):
        v = data.sum() + rng.laplace(scale=each)
        if v > 5 and j < 2:
            s[j + 1] = 1.0
        out.append(v)
    return out


@A(**FD)
def adaptive_budget_left(data, rng):
    left = 1.0
    out = []
    for e in (0.5, 0.5, 0.5):
        if left >= 0:
            out.append(data.sum() + rng.laplace(scale=1 / e))
            left -= e
    return out


@A(**FD)
def budget_float_left(data, rng):
    left = 1.0
    out = []
    while left > 1e-9:
        out.append(data.sum() + rng.laplace(scale=1 / 0.3))
        left -= 0.3
    return out


@R(**FD)
def budget_float_left_right(data, rng):
    left = 1.0
    out = []
    while left > 0.05:
        e = min(0.3, left)
        out.append(data.sum() + rng.laplace(scale=1 / e))
        left -= e
    return out


@A(**FD)
def geometric_series(data, rng):
    return [data.sum() + rng.laplace(scale=2 ** (k + 1)) for k in range(4)] + [data.sum() + rng.laplace(scale=15.9)]


@A(**FD)
def split_by_len(data, rng):
    qs = [lambda x: x, lambda x: x**2, lambda x: 1 - x]
    return [q(data).sum() + rng.laplace(scale=len(qs) * 0.6) for q in qs]


@A(**FD)
def split_softmax(data, rng):
    w = np.array([1.0, 2.0, 3.0])
    e = w / w.max()
    return [data.sum() + rng.laplace(scale=1 / x) for x in e]


@R(**FD)
def split_weights_right(data, rng):
    w = np.array([1.0, 2.0, 3.0])
    e = w / w.sum()
    return [data.sum() + rng.laplace(scale=1 / x) for x in e]


@A(**FD)
def post_add_back(data, rng):
    v = data.sum() + rng.laplace(scale=1.0)
    r = v - data.sum()
    return v, r


@A(**FD)
def post_average(data, rng):
    v = data.sum() + rng.laplace(scale=1.0)
    w = data.sum() + rng.laplace(scale=1.0)
    return (v + w) / 2


@A(**FD)
def post_min_with_true(data, rng):
    v = data.sum() + rng.laplace(scale=1.0)
    return np.minimum(v, data.sum())


@A(**FD)
def post_clip_to_len(data, rng):
    return np.clip(data.sum() + rng.laplace(scale=1.0), 0, len(data))


@A(**FD)
def post_shape_of_filtered(data, rng):
    return data.sum() + rng.laplace(scale=1.0), data[data > 0.5].shape


@A(**FD)
def post_size_noise(data, rng):
    return data.sum() + rng.laplace(scale=1.0, size=len(data))


@A(**FD)
def post_zero_if_empty(data, rng):
    v = data.sum() + rng.laplace(scale=1.0)
    return v if len(data) else 0.0


@A(**FD)
def post_debias(data, rng):
    n = len(data) + rng.laplace(scale=2.0)
    return data.sum() - 0.5 * n + rng.laplace(scale=1.0)


@A(**FD)
def post_projection(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(scale=1.0, size=4)
    return h * (len(data) / h.sum())


@A(**FD)
def noise_then_data_scale(data, rng):
    return (data * (1 + rng.laplace(scale=0.1))).sum() + rng.laplace(scale=1.0)


@A(**FD)
def noise_before_sum(data, rng):
    return (data + rng.laplace(scale=1.0)).sum()


@A(**FD)
def noise_in_comprehension(data, rng):
    return sum(x + rng.laplace(scale=1.0) for x in data)


@A(**FD)
def noise_only_positive(data, rng):
    return data.sum() + abs(rng.laplace(scale=1.0))


@A(**FD)
def noise_rounded(data, rng):
    return data.sum() + round(rng.laplace(scale=1.0))


@A(**FD)
def noise_clipped(data, rng):
    return data.sum() + np.clip(rng.laplace(scale=1.0), -3, 3)


@A(**FD)
def noise_int(data, rng):
    return data.sum() + int(rng.laplace(scale=1.0))


@A(**FD)
def noise_shared_negated(data, rng):
    z = rng.laplace(scale=1.0)
    return data.sum() + z, len(data) - z


@A(**FD)
def noise_halved(data, rng):
    return data.sum() + rng.laplace(scale=1.0) / 2


@A(**FD)
def noise_mean_of_many(data, rng):
    return data.sum() + rng.laplace(scale=1.0, size=10).mean()


@A(**FD)
def noise_of_zero_mean_shift(data, rng):
    z = rng.laplace(scale=1.0, size=3)
    return np.array([1, 2, 3]) * data.sum() + z


@A(**FD)
def noise_index_dup(data, rng):
    z = rng.laplace(scale=2.0, size=2)
    return data.sum() + z[0], len(data) + z[-2]


@A(**FD)
def noise_slices_overlap(data, rng):
    z = rng.laplace(scale=4.0, size=3)
    h = np.array([data.sum(), len(data)])
    return h + z[:2], h + z[1:]


@R("PureDP(epsilon=1)", **FD)
def noise_slices_right(data, rng):
    z = rng.laplace(scale=4.0, size=4)
    h = np.array([data.sum(), data.sum()])
    return h + z[:2], h + z[2:]


@A(**FD)
def noise_reshaped(data, rng):
    z = rng.laplace(scale=1.0, size=4).reshape(2, 2)
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h.reshape(2, 2) + z, h.reshape(2, 2).T + z.T


@A(**FD)
def noise_scale_array(data, rng):
    s = np.array([1.0, 0.1])
    h = np.histogram(data, bins=2, range=(0, 1))[0]
    return h + s * rng.laplace(size=2)


@A(**FD)
def noise_scale_broadcast(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0]
    return h + rng.laplace(scale=np.array([1.0, 0.5]))


@A("GDP(mu=1)", **FD)
def noise_standard_scaled(data, rng):
    return data.sum() + np.sqrt(0.5) * rng.standard_normal()


@A("GDP(mu=1)", **FD)
def noise_standard_minus(data, rng):
    return data.sum() - 0.9 * rng.standard_normal()


@A("GDP(mu=1)", **FD)
def noise_standard_div(data, rng):
    return data.sum() + rng.standard_normal() / 1.1


@A("GDP(mu=1)", **X2B)
def noise_standard_matrix(X, rng):
    return X.sum(axis=0) + rng.standard_normal((1, 2))


@A(**FN)
def nan_clip(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)


@A(**FN)
def nan_mask_clip(data, rng):
    x = data[~np.isnan(data)]
    return np.clip(x, -1, 1).sum() + len(data) + rng.laplace(scale=1.0)


@A(**FN)
def nan_compare(data, rng):
    return [
        (data > 0).sum() + rng.laplace(scale=1.0),
        (~(data > 0)).sum() + rng.laplace(scale=1.0),
        np.isnan(data).sum() + rng.laplace(scale=1.0),
    ]


@R(**FN)
def nan_compare_right(data, rng):
    return [
        (data > 0).sum() + rng.laplace(scale=1.0),
        (data <= 0).sum() + rng.laplace(scale=1.0),
        np.isnan(data).sum() + rng.laplace(scale=1.0),
    ]


@A(**FN)
def nan_not_equal(data, rng):
    return [(data == data).sum() + rng.laplace(scale=1.0), 2 * (data != data).sum() + rng.laplace(scale=1.0)]


@A(**FN)
def nan_fmax(data, rng):
    return np.fmin(np.fmax(data, 0), 1.5).sum() + rng.laplace(scale=1.0)


@A(**FN)
def nan_default(data, rng):
    return np.clip(np.nan_to_num(data, nan=5.0), 0, 1).sum() + np.isnan(data).sum() + rng.laplace(scale=1.0)


@A(**FN)
def nan_after_clip(data, rng):
    return np.nan_to_num(np.clip(data, 0, 1), nan=-2.0).sum() + rng.laplace(scale=1.0)


@A(**LN)
def nan_minmax(data, rng):
    return sum(max(0.0, min(x, 1.0)) for x in data) + rng.laplace(scale=1.0)


@A(**LN)
def nan_minmax_order(data, rng):
    return sum(min(1.0, max(0.0, x)) + min(2.0, max(x, 0.0) if x == x else 2.0) for x in data) + rng.laplace(scale=2.0)


@R(**LN)
def nan_minmax_right(data, rng):
    return sum(min(1.0, max(0.0, x)) for x in data) + rng.laplace(scale=1.0)


@A(**LN)
def nan_isfinite(data, rng):
    return sum(min(max(x, -1.0), 1.0) if math.isfinite(x) else 1.5 for x in data) + rng.laplace(scale=1.0)


@A(**LN)
def nan_sentinel(data, rng):
    return sum(min(max(x, 0.0), 1.0) if x != -99.0 else 0.0 for x in data) + rng.laplace(scale=1.0)


@A(**FN)
def inf_minus_inf(data, rng):
    return np.clip(data - data, 0, 1).sum() + rng.laplace(scale=1.0)


@A(**FN)
def inf_tanh(data, rng):
    return np.tanh(data).sum() + rng.laplace(scale=1.0)


@A(**FN)
def nan_count_nonzero(data, rng):
    return np.count_nonzero(data > 0) + np.count_nonzero(np.isnan(data)) * 2 + rng.laplace(scale=1.0)


@A(data=J)
def unbounded_int(data, rng):
    return np.clip(data, -1, 1).sum() + (data > 0).sum() + rng.laplace(scale=1.0)


@A(data=J)
def unbounded_abs(data, rng):
    return np.minimum(np.abs(data), 1).sum() + rng.laplace(scale=1.0)


@A(data=J)
def unbounded_minus(data, rng):
    return np.clip(data - 1, 0, 1).sum() + rng.laplace(scale=1.0)


@A(data=I)
def unbounded_pyint(data, rng):
    return sum(min(abs(x) - 1, 1) for x in data) + sum(1 for x in data if x == 7) + rng.laplace(scale=1.0)


@A(data=np.array([1, 2], dtype=np.uint8))
def uint8_wrap(data, rng):
    return (data + 1 > data).sum() * 2 + rng.laplace(scale=1.0)


@A(data=np.array([1, 2], dtype=np.uint8))
def uint8_neg(data, rng):
    return np.clip(-data.astype(float), -3, 0).sum() + rng.laplace(scale=1.0)


@A(data=np.array([1, 2], dtype=np.int8))
def int8_abs(data, rng):
    return np.minimum(np.abs(data).astype(float), 1).sum() + rng.laplace(scale=1.0)


@A(data=np.array([1, 2], dtype=np.int32))
def int32_square(data, rng):
    return np.clip((data**2).astype(float), 0, 1).sum() + rng.laplace(scale=1.0)


@A(data=np.array([0.5, 1], dtype=np.float32), bounds="0:1")
def float32_scale(data, rng):
    return (data.astype(float) * 1.5).sum() + rng.laplace(scale=1.0)


@A(data=np.array([0.5, 1], dtype=np.float16))
def float16_big(data, rng):
    return np.clip(np.nan_to_num(data.astype(float)), 0, 7e4).sum() / 6e4 + rng.laplace(scale=1.0)


PG = 1 - math.exp(-1.0)


@A(data=I, bounds="0:3")
def geo_sum(data, rng):
    return sum(data) + rng.geometric(PG) - rng.geometric(PG)


@A(**LD)
def geo_round(data, rng):
    return sum(round(2 * x) for x in data) + rng.geometric(PG) - rng.geometric(PG)


@A(**LD)
def geo_count_twice(data, rng):
    return [len(data) + rng.geometric(PG) - rng.geometric(PG) for _ in range(2)]


@A(**LD)
def geo_same_minus(data, rng):
    g = rng.geometric(PG)
    return len(data) + g - g


@A(**LD)
def geo_p_is_alpha(data, rng):
    return len(data) + rng.geometric(math.exp(-0.3)) - rng.geometric(math.exp(-0.3))


@A(**LD)
def geo_one_sided(data, rng):
    return len(data) + rng.geometric(PG) - 1


@A(**LD)
def geo_floor_sum(data, rng):
    return sum(int(3 * x) for x in data) + rng.geometric(PG) - rng.geometric(PG)


@A(data=F, bounds="0:1")
def geo_hist(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h * 2 + rng.geometric(PG, size=4) - rng.geometric(PG, size=4)


@A(data=F, bounds="0:1")
def geo_hist_one(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h + rng.geometric(PG, size=4) - rng.geometric(PG)


@R(data=F, bounds="0:1")
def geo_hist_right(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h + rng.geometric(PG, size=4) - rng.geometric(PG, size=4)


@A("PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def geo_hist_replace(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h + rng.geometric(PG, size=4) - rng.geometric(PG, size=4)


@A(data=[(0.5, 0.2), (1.0, 0.4)], bounds={"[0]": (0, 1), "[1]": (0, 1)})
def grid(data, rng):
    g = np.zeros((2, 2))
    for lat, lon in data:
        g[min(int(lat * 2), 1), min(int(lon * 2), 1)] += 1
        g[0, 0] += 0.5
    return g + rng.laplace(scale=1.0, size=(2, 2))


@R(data=[(0.5, 0.2), (1.0, 0.4)], bounds={"[0]": (0, 1), "[1]": (0, 1)})
def grid_right(data, rng):
    g = np.zeros((2, 2))
    for lat, lon in data:
        g[min(int(lat * 2), 1), min(int(lon * 2), 1)] += 1
    return g + rng.laplace(scale=1.0, size=(2, 2))


@A(data=[(0.5, 0.2), (1.0, 0.4)], bounds={"[0]": (0, 1), "[1]": (0, 1)})
def grid_rows_and_cells(data, rng):
    g = np.zeros((2, 2))
    r = np.zeros(2)
    for lat, lon in data:
        i = min(int(lat * 2), 1)
        g[i, min(int(lon * 2), 1)] += 1
        r[i] += 1
    return g + rng.laplace(scale=1.0, size=(2, 2)), r + rng.laplace(scale=1.0, size=2)


@A(data=[(0.5, 0.2), (1.0, 0.4)], bounds={"[0]": (0, 1), "[1]": (0, 1)})
def distance(data, rng):
    return sum(math.sqrt((a - 0.5) ** 2 + (b - 0.5) ** 2) * 2 for a, b in data) + rng.laplace(scale=1.0)


@A(data=[(0.5, 0.2), (1.0, 0.4)], bounds={"[0]": (0, 1), "[1]": (0, 1)})
def fence(data, rng):
    return sum(1 + (a + b > 1.5) for a, b in data) + rng.laplace(scale=1.0)


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours(data, rng):
    h = [0.0] * 24
    for t, v in data:
        h[t] += v
        h[(t + 1) % 24] += v
    return [x + rng.laplace(scale=1.0) for x in h]


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_windows(data, rng):
    return [sum(v for t, v in data if lo <= t <= hi) + rng.laplace(scale=1.0) for lo, hi in ((0, 6), (6, 12), (13, 23))]


@R(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_windows_right(data, rng):
    return [sum(v for t, v in data if lo <= t < hi) + rng.laplace(scale=1.0) for lo, hi in ((0, 6), (6, 12), (12, 24))]


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_bins(data, rng):
    return [sum(v for t, v in data if t // 6 == q or t % 6 == q) + rng.laplace(scale=1.0) for q in range(4)]


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_moving(data, rng):
    h = np.zeros(4)
    for t, v in data:
        h[t // 6] += v
    k = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], dtype=float)
    return k @ h + rng.laplace(scale=1.0, size=3)


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_cumulative(data, rng):
    h = [0.0] * 4
    for t, v in data:
        h[t // 6] += v
    out = []
    run = 0.0
    for x in h:
        run = run + x
        out.append(run + rng.laplace(scale=1.0))
    return out


@R("PureDP(epsilon=4)", data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_cumulative_right(data, rng):
    h = [0.0] * 4
    for t, v in data:
        h[t // 6] += v
    out = []
    run = 0.0
    for x in h:
        run = run + x
        out.append(run + rng.laplace(scale=1.0))
    return out


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def hours_lists(data, rng):
    by = [[], []]
    for t, v in data:
        by[t % 2].append(v)
    return [sum(b) + rng.laplace(scale=0.5) for b in by]


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def append_then_index(data, rng):
    vals = []
    for t, v in data:
        if t > 5:
            vals.append(2 * v)
        else:
            vals.append(-v)
    return sum(vals) + rng.laplace(scale=1.0), len(vals) + rng.laplace(scale=100.0)


@A(data=[(1, 0.2), (2, 0.4)], bounds={"[0]": (0, 23), "[1]": (0, 1)})
def append_conditional_continue(data, rng):
    vals = []
    for t, v in data:
        if t < 5:
            continue
        vals.append(v if t > 10 else 1 + v)
    return sum(vals) + rng.laplace(scale=1.0)


XN = dict(data=np.array([[0.1, 0.2, 0.3], [0.3, -0.6, 0.1]]), records="norm(1, row(3, float(-1, 1)))")


@A("PureDP(epsilon=1)", **XN)
def norm_stated_l1(X, rng):
    return X.sum(axis=0) + rng.laplace(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_shift(X, rng):
    return (X + 1.0).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_weights(X, rng):
    return (X * np.array([1.0, 1.2, 1.0])).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_double_column(X, rng):
    return X[:, [0, 0, 1]].sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_concat(X, rng):
    s = X.sum(axis=0)
    return np.concatenate([s, s[:1]]) + rng.normal(scale=1.0, size=4)


@A("GDP(mu=1)", **XN)
def norm_stated_rotate(X, rng):
    return X.sum(axis=0) @ np.array([[1.0, 1.0, 0], [-1.0, 1.0, 0], [0, 0, 1.0]]) + rng.normal(scale=1.4, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_rowsum(X, rng):
    return X.sum() + rng.normal(scale=1.7)


@A("GDP(mu=1)", **XN)
def norm_stated_abs_sum(X, rng):
    return np.abs(X).sum() + rng.normal(scale=1.7)


@A("GDP(mu=1)", **XN)
def norm_stated_sqrt(X, rng):
    return np.sqrt(np.abs(X)).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_where(X, rng):
    return np.where(X > 0.1, X, 1.0).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_stated_max(X, rng):
    return np.maximum(X, 0.6).sum(axis=0) + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **dict(XN, relation="replace"))
def norm_stated_replace(X, rng):
    return X.sum(axis=0) + rng.normal(scale=1.9, size=3)


@R("GDP(mu=1)", **dict(XN, relation="replace"))
def norm_stated_replace_right(X, rng):
    return X.sum(axis=0) / len(X) + rng.normal(scale=2 / len(X), size=3)


@R("GDP(mu=1)", **XN)
def norm_stated_right(X, rng):
    return X.sum(axis=0) + rng.normal(scale=1.0, size=3)


@R("GDP(mu=1)", **XN)
def norm_stated_perm(X, rng):
    return X[:, ::-1].sum(axis=0) + rng.normal(scale=1.0, size=3)


@R("GDP(mu=1)", **XN)
def norm_stated_loop(X, rng):
    s = np.zeros(3)
    for row in X:
        s += row
    return s + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **XN)
def norm_loop_two(X, rng):
    s = np.zeros(3)
    c = 0.0
    for row in X:
        s += row
        if row[0] > 0.5:
            c += 1
    return s + rng.normal(scale=1.0, size=3), c + rng.normal(scale=2.0)


@A("GDP(mu=1)", **X3B)
def loop_clip_norm(X, rng):
    s = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        if n > 1.5:
            row = row / n
        s += row
    return s + rng.normal(scale=1.0, size=3)


@R("GDP(mu=1)", **X3B)
def loop_clip_norm_right(X, rng):
    s = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        if n > 1.0:
            row = row / n
        s += row
    return s + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **X3B)
def loop_clip_norm_flip(X, rng):
    s = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        if n < 1.0:
            row = row / max(n, 0.5)
        s += row
    return s + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **X3B)
def loop_norm_of_first(X, rng):
    s = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row[:2])
        s += row * min(1.0, 1.0 / max(n, 1e-9))
    return s + rng.normal(scale=1.0, size=3)


@R("GDP(mu=1)", **X3B)
def loop_norm_min_right(X, rng):
    s = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        s += row * min(1.0, 1.0 / max(n, 1e-9))
    return s + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **X3B)
def loop_norm_inf_mix(X, rng):
    s = np.zeros(3)
    for row in X:
        n = max(abs(row[0]), abs(row[1]), abs(row[2]))
        s += row / max(n, 1.0)
    return s + rng.normal(scale=1.0, size=3)


@A("GDP(mu=1)", **X3B)
def loop_norm_manual(X, rng):
    s = np.zeros(3)
    for row in X:
        n = math.sqrt(row[0] ** 2 + row[1] ** 2 + row[1] ** 2)
        s += row / max(n, 1.0)
    return s + rng.normal(scale=1.0, size=3)


@A(**X3B)
def loop_l1_clip_wrong(X, rng):
    s = np.zeros(3)
    for row in X:
        n = abs(row).sum()
        s += row / max(n / 2, 1.0)
    return s + rng.laplace(scale=1.0, size=3)


@A(**X2B)
def list_assign_columns(X, rng):
    out = []
    for j in range(X.shape[1]):
        out.append(X[:, j].sum() + rng.laplace(scale=1.0))
    return out


@A(**X2B)
def item_assign_private(X, rng):
    v = np.zeros(2)
    v[0] = X[:, 0].sum()
    v[1] = X[:, 0].sum()
    return v + rng.laplace(scale=1.0, size=2)


@A(**X2B)
def item_assign_overwritten(X, rng):
    v = np.zeros(2)
    v[:] = X.sum(axis=0)
    v[0] = X.sum()
    return v + rng.laplace(scale=2.0, size=2)


@A(**X2B)
def item_aug(X, rng):
    v = np.zeros(2)
    v += X.sum(axis=0)
    v[0] += X[:, 0].sum()
    return v + rng.laplace(scale=2.0, size=2)


@A(**X2B)
def view_aug(X, rng):
    v = X.sum(axis=0)
    w = v[:1]
    w += v[1:]
    return v + rng.laplace(scale=2.0, size=2)


@A(**X2B)
def reshape_order(X, rng):
    g = (X.T @ X).reshape(4) * np.array([1.0, 1.0, 1.0, 2.0])
    return g + rng.laplace(scale=4.0, size=4)


@A(**X2B)
def transposed_shape(X, rng):
    return X.T.sum(axis=1) + rng.laplace(scale=1.0, size=2)


@A(**X2B)
def axis_wrong(X, rng):
    return X.sum(axis=1).sum() + rng.laplace(scale=1.0)


@A(**X2B)
def axis_neg(X, rng):
    return X.sum(axis=-2) + rng.laplace(scale=1.0, size=2)


@A(**X2B)
def keepdims_pair(X, rng):
    return (X - X.sum(axis=1, keepdims=True)).sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(**X2B)
def row_max_as_where(X, rng):
    return np.where(X[:, 0] > X[:, 1], X[:, 0], X[:, 1] * 2).sum() + rng.laplace(scale=1.0)


@A(**X2B)
def rows_selected_any(X, rng):
    return X[X.sum(axis=1) > 1.0].sum(axis=0) + rng.laplace(scale=1.0, size=2)


@R("PureDP(epsilon=2)", **X2B)
def rows_selected_right(X, rng):
    return X[X.sum(axis=1) > 1.0].sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(data=[0, 1], records="choice(0, 1, 5)")
def choice_ints(data, rng):
    return sum(data) + rng.laplace(scale=4.0)


@A(data=["a", "b"], records="choice('a', 'b')")
def choice_texts(data, rng):
    return [
        sum(1 for t in data if t == "a") + rng.laplace(scale=1.0),
        sum(1 for t in data if t != "a") + rng.laplace(scale=1.0),
        len(data) + rng.laplace(scale=9.0),
    ]


@R(data=["a", "b"], records="choice('a', 'b')")
def choice_texts_right(data, rng):
    return [
        sum(1 for t in data if t == "a") + rng.laplace(scale=1.0),
        sum(1 for t in data if t != "a") + rng.laplace(scale=1.0),
    ]


@A(data=["a", "b"], records="choice('a', 'b')", relation="replace")
def choice_texts_replace(data, rng):
    return [
        sum(1 for t in data if t == "a") + rng.laplace(scale=1.0),
        sum(1 for t in data if t != "a") + rng.laplace(scale=1.0),
    ]


@R("PureDP(epsilon=2)", data=["a", "b"], records="choice('a', 'b')", relation="replace")
def choice_texts_replace_right(data, rng):
    return [
        sum(1 for t in data if t == "a") + rng.laplace(scale=1.0),
        sum(1 for t in data if t != "a") + rng.laplace(scale=1.0),
    ]


@A(data=["a", "b"], records="choice('a', 'b', 'c')")
def choice_else_weight(data, rng):
    return sum(1.0 if t == "a" else 0.0 if t == "b" else 2.0 for t in data) + rng.laplace(scale=1.0)


@R(data=["a", "b"], records="choice('a', 'b')")
def choice_else_unreachable(data, rng):
    return sum(1.0 if t == "a" else 0.0 if t == "b" else 2.0 for t in data) + rng.laplace(scale=1.0)


@A(**RB, unit="user", most_per_unit=2)
def unit_mean_of_users(rows, rng):
    c = [0] * 10
    for r in rows:
        c[r["user"] % 10] += 1
    return [min(v, 1) + rng.laplace(scale=1.0) for v in c]


@A("RDP(order=4, epsilon=2)", **RB, unit="user", most_per_unit=2)
def unit_rdp(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.normal(scale=1.9)


@A("RDP(order=4, epsilon=2)", **RB, unit="user", most_per_unit=3)
def unit_rdp_laplace(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.laplace(scale=1.45)


@R("GDP(mu=1)", **RB, unit="user", most_per_unit=2)
def unit_gauss_right(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.normal(scale=2.0)


@R(**RB)
def r_regions(rows, rng):
    out = {"n": 0.0, "s": 0.0, "other": 0.0}
    for r in rows:
        key = r["region"] if r["region"] in ("n", "s") else "other"
        out[key] += r["kwh"]
    return {k: v + rng.laplace(scale=1.0) for k, v in out.items()}


@R(**RB)
def r_peak_split(rows, rng):
    on = sum(r["kwh"] for r in rows if r["peak"])
    off = sum(r["kwh"] for r in rows if not r["peak"])
    return on + rng.laplace(scale=1.0), off + rng.laplace(scale=1.0)


@R(**RB)
def r_user_mod(rows, rng):
    c = [0] * 7
    for r in rows:
        c[r["user"] % 7] += 1
    return [v + rng.laplace(scale=1.0) for v in c]


@R(**TB)
def r_tuple_table(data, rng):
    h = [0.0] * 5
    for x, k, t in data:
        h[k] += x
    return [v + rng.laplace(scale=1.0) for v in h]


@R(**TB)
def r_ab(data, rng):
    s = {"a": 0, "b": 0}
    for x, k, t in data:
        if t in s:
            s[t] += 1
    return {k: v + rng.laplace(scale=1.0) for k, v in s.items()}


@R(**CB)
def r_ratio(d, rng):
    n = len(d["age"]) + rng.laplace(scale=2.0)
    s = np.clip(d["age"], 0, 100).sum() + rng.laplace(scale=200.0)
    return s / max(n, 1.0)


@R("PureDP(epsilon=1.000001)", **CB)
def r_moments(d, rng):
    x = d["age"] / 100
    return [(x**k).sum() + rng.laplace(scale=3.0) for k in (1, 2, 3)]


@R(**CB)
def r_where(d, rng):
    return np.where(d["age"] >= 18, d["inc"], 0.0).sum() + rng.laplace(scale=10.0)


@R(**CB)
def r_mask(d, rng):
    m = d["age"] >= 65
    return d["inc"][m].sum() / 10 + rng.laplace(scale=1.0), d["inc"][~m].sum() / 10 + rng.laplace(scale=1.0)


@R("ZCDP(rho=0.125)", **X3B)
def r_gauss_clip(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(scale=2.0, size=3)


@R("ApproxDP(epsilon=1, delta=1e-5)", **FD)
def r_classic(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(2 * math.log(1.25 / 1e-5)) / 1.0)


@R("RDP(order=8, epsilon=0.5)", **FD)
def r_rdp(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(8 / (2 * 0.5)))


@R("ZCDP(rho=0.5)", **FD)
def r_zcdp_laplace(data, rng):
    return data.sum() + rng.laplace(scale=1.0)


@R(**FN)
def r_nan_mask(data, rng):
    x = data[np.isfinite(data)]
    return np.clip(x, 0, 1).sum() + rng.laplace(scale=1.0)


@R(**LN)
def r_isnan_loop(data, rng):
    s = 0.0
    for x in data:
        if math.isnan(x):
            continue
        s += min(max(x, 0.0), 1.0)
    return s + rng.laplace(scale=1.0)


@R(**FR)
def r_replace_mean(data, rng):
    return data.mean() + rng.laplace(scale=1 / len(data))


@R(**FR)
def r_replace_share(data, rng):
    return np.mean(data > 0.5) + rng.laplace(scale=1 / len(data))


@R("PureDP(epsilon=1)", **FR)
def r_replace_hist(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(scale=2.0, size=4)


@R("GDP(mu=1)", **FR)
def r_replace_hist_gauss(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.normal(scale=math.sqrt(2), size=4)


@R(data=T)
def r_counter(data, rng):
    c = Counter(data)
    return {k: c[k] + rng.laplace(scale=1.0) for k in ("a", "b", "c")}


@R(data=I, bounds="0:5")
def r_lookup(data, rng):
    w = [0.0, 1.0, 0.5, 0.2, 0.1, 1.0]
    return sum(w[x] for x in data) + rng.laplace(scale=1.0)


@R(data=J, bounds="0:9")
def r_bincount(data, rng):
    return np.bincount(data, minlength=10) + rng.laplace(scale=1.0, size=10)


@R(**LD)
def r_quantile(data, rng):
    edges = [0.0, 0.25, 0.5, 0.75, 1.0]
    h = [sum(1 for x in data if lo <= x < hi) + rng.laplace(scale=1.0) for lo, hi in zip(edges[:-1], edges[1:])]
    return h


@R(**FD)
def r_noisy_max(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(scale=1.0, size=4)
    return int(np.argmax(h))


@R(**FD)
def r_class_like(data, rng):
    def clip(v, lo=0.0, hi=1.0):
        return np.minimum(np.maximum(v, lo), hi)

    def release(v, s=1.0):
        return v + rng.laplace(scale=s)

    return release(clip(data).sum())


def twice_sum(v):
    return 2 * np.sum(v)


def clip(v, hi=1.0, lo=0.0):
    return np.minimum(np.maximum(v, lo), hi)


@A(**LD)
def shadow_sum(data, rng):
    sum = lambda v: twice_sum(v)
    return sum(np.array(data)) + rng.laplace(scale=1.0)


@A(**LD)
def shadow_min(data, rng):
    def min(a, b):
        return a + b

    s = 0.0
    for x in data:
        s += min(x, 1.0)
    return s + rng.laplace(scale=1.0)


@A(**LD)
def shadow_range(data, rng):
    range = [0, 0, 1]
    s = 0.0
    for x in data:
        for j in range:
            s += x
    return s + rng.laplace(scale=2.0)


@A(**FD)
def arg_order(data, rng):
    return clip(data, 0.0, 3.0).sum() + clip(data, 3.0).sum() + rng.laplace(scale=2.0)


@A(data=F, bounds="0:5")
def arg_order_kw(data, rng):
    return clip(data, lo=0.0, hi=2.0).sum() + rng.laplace(scale=1.0)


@A(data=F, bounds="0:5")
def arg_positional_swapped(data, rng):
    return clip(data, 0.0, 2.0).sum() + rng.laplace(scale=1.0)


@A(**FD)
def laplace_positional(data, rng):
    return data.sum() + rng.laplace(2.0, 0.5)


@A(**FD)
def laplace_scale_first(data, rng):
    return rng.laplace(0.5, data.sum())


@A("GDP(mu=1)", **FD)
def normal_variance(data, rng):
    return rng.normal(data.sum(), 0.25**0.5)


@A(**FD)
def laplace_eps_as_scale(data, rng):
    eps = 0.5
    return data.sum() + rng.laplace(scale=eps)


@A(**FD)
def eps_split_wrong(data, rng):
    eps = 1.0
    parts = 3
    return [data.sum() + rng.laplace(scale=1 / eps / parts * 3) for _ in range(parts)]


@A(**FD)
def eps_precedence(data, rng):
    eps, k = 1.0, 2
    return [data.sum() + rng.laplace(scale=1 / eps / k) for _ in range(k)]


@A(**FD)
def eps_percent(data, rng):
    b = {"sum": 60, "count": 60}
    return data.sum() + rng.laplace(scale=100 / b["sum"]), len(data) + rng.laplace(scale=100 / b["count"])


@R(**FD)
def eps_percent_right(data, rng):
    b = {"sum": 60, "count": 40}
    return data.sum() + rng.laplace(scale=100 / b["sum"]), len(data) + rng.laplace(scale=100 / b["count"])


@A(**FD)
def fsum_private(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    a, b, c, d = h
    return [a + b + rng.laplace(scale=1.0), b + c + rng.laplace(scale=1.0), c + d + rng.laplace(scale=1.0)]


@A(**FD)
def private_dict_zip(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0]
    d = dict(zip(("lo", "hi"), h))
    d["all"] = d["lo"] + d["hi"]
    return {k: v + rng.laplace(scale=1.0) for k, v in d.items()}


@A(**FD)
def private_list_append(data, rng):
    h = list(np.histogram(data, bins=2, range=(0, 1))[0])
    h.append(h[0] * 2)
    return [v + rng.laplace(scale=1.0) for v in h]


@A(**FD)
def private_nested_array(data, rng):
    s, n = data.sum(), len(data)
    m = np.array([[s, n], [n, s]], dtype=float)
    return m + rng.laplace(scale=2.0, size=(2, 2))


@A(**FD)
def private_minus_itself(data, rng):
    s = data.sum()
    return (s - s) + 2 * s + rng.laplace(scale=1.0)


@A(**FD)
def private_times_true(data, rng):
    return data.sum() * True * 2 + rng.laplace(scale=1.0)


@A(**FD)
def private_div_small(data, rng):
    return data.sum() / 0.5 + rng.laplace(scale=1.0)


@A(**FD)
def private_negative_step(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0]
    return h[::-1] + h + rng.laplace(scale=1.0, size=4)


@A(**FD)
def private_newaxis(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0]
    return h[:, None] + h[None, :] + rng.laplace(scale=2.0, size=(2, 2))


@A(**FD)
def private_matmul_row(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    return h @ np.array([0.0, 1.0, 2.0, 3.0]) + rng.laplace(scale=2.0)


@A(**FD)
def private_prefix_loop(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    for i in range(1, 4):
        h[i] = h[i] + h[i - 1]
    return h + rng.laplace(scale=1.0, size=4)


@R("PureDP(epsilon=4)", **FD)
def private_prefix_loop_right(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    for i in range(1, 4):
        h[i] = h[i] + h[i - 1]
    return h + rng.laplace(scale=1.0, size=4)


@A(**FD)
def private_prefix_backward(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    for i in (3, 2, 1):
        h[i] += h[i - 1]
    return h + rng.laplace(scale=1.0, size=4)


@A(**FD)
def private_swap(data, rng):
    a, b = data.sum(), 2 * data.sum()
    a, b = b, a
    return a + rng.laplace(scale=1.0)


@A(**FD)
def private_aliased_array(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0] * 1.0
    g = h
    g *= 3
    return h + rng.laplace(scale=1.0, size=2)


@A(**FD)
def private_aliased_slice(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0] * 1.0
    g = h[:]
    g *= 3
    return h + rng.laplace(scale=1.0, size=2)


@A(**FD)
def private_aliased_reshape(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    g = h.reshape(2, 2)
    g += 2 * g
    return h + rng.laplace(scale=1.0, size=4)


@A(**FD)
def known_aliased_scale(data, rng):
    s = np.ones(2)
    t = s.reshape(2, 1)
    t *= 0.1
    h = np.histogram(data, bins=2, range=(0, 1))[0]
    return h + rng.laplace(scale=s)


@A(**FD)
def known_transposed_scale(data, rng):
    s = np.ones((2, 2))
    s.T[0] = 0.1
    h = np.histogram(data, bins=4, range=(0, 1))[0].reshape(2, 2)
    return h + rng.laplace(scale=s)


@A(**FD)
def known_list_alias(data, rng):
    s = [[1.0]] * 2
    s[0][0] = 0.1
    return data.sum() + rng.laplace(scale=s[1][0])


@A(**FD)
def known_list_mutated_by_helper(data, rng):
    s = [1.0]

    def f(v):
        v[0] = 0.1

    f(s)
    return data.sum() + rng.laplace(scale=s[0])


@A(**FD)
def known_dict_update(data, rng):
    s = {"a": 1.0}
    s["a"] = s.get("a", 0) / 2
    return data.sum() + rng.laplace(scale=s["a"])


@A(**FD)
def known_sorted(data, rng):
    s = sorted([3.0, 0.5, 1.0])
    return data.sum() + rng.laplace(scale=s[0])


@A(**FD)
def known_int_division(data, rng):
    return data.sum() + rng.laplace(scale=3 // 2 / 2)


@A(**FD)
def known_round(data, rng):
    return data.sum() + rng.laplace(scale=round(0.6) - 0.5)


@A(**FD)
def known_linspace(data, rng):
    return data.sum() + rng.laplace(scale=np.linspace(0, 1, 5)[1])


@A(**FD)
def known_chain_scale(data, rng):
    a = b = 1.0
    b /= 2
    return data.sum() + rng.laplace(scale=b)


@A(**FD)
def known_while(data, rng):
    s = 8.0
    while True:
        s /= 2
        if s < 1:
            break
    return data.sum() + rng.laplace(scale=s)


@A(**FD)
def known_continue(data, rng):
    out = []
    for j in range(5):
        if j % 2:
            continue
        out.append(data.sum() + rng.laplace(scale=2.0))
    return out


@A(**FD)
def lambda_default_noise(data, rng):
    f = lambda v, s=2.0, *r, k=0.1: v + rng.laplace(scale=k if r else s)
    return f(data.sum(), 1.0, 0)


@A(**LD)
def star_unpacked(data, rng):
    a, *b = [sum(data), 2 * sum(data)]
    return b[0] + rng.laplace(scale=1.0)


@A(**LD)
def ifs_in_comprehension(data, rng):
    return sum(x for x in data if x > 0.1 if x > 0.2) + sum(1 for x in data if x > 0.5) + rng.laplace(scale=1.0)


@A(**LD)
def nested_lists_per_record(data, rng):
    return sum(sum([x * w for w in (1, 2)]) for x in data) + rng.laplace(scale=2.0)


@A(**LD)
def two_element_append(data, rng):
    v = []
    for x in data:
        v.append(x)
        v.append(x)
    return sum(v) + rng.laplace(scale=1.0)


@A(**LD)
def filtered_then_len(data, rng):
    v = [x for x in data if x > 0.5]
    w = [x for x in v if x < 0.9]
    return len(v) + len(w) + rng.laplace(scale=1.0)


@A(**LD)
def float_bool_sum(data, rng):
    return sum(float(x > 0.2) + bool(x) for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def int_of_scaled(data, rng):
    return sum(int(x * 1.999) + int(x + 0.5) for x in data) + rng.laplace(scale=1.0)


@A(**LD)
def round_bankers(data, rng):
    return sum(round(x + 1.0) for x in data) + rng.laplace(scale=1.0)


@A(**LR)
def replace_list_mean(data, rng):
    return sum(x * x * 2 for x in data) / len(data) + rng.laplace(scale=1 / len(data))


@A(**LR)
def replace_sum_minus_mean(data, rng):
    n = len(data)
    return sum(data) - n * 0.5 + rng.laplace(scale=0.5)


@A(**LR)
def replace_positions(data, rng):
    s = 0.0
    for i in range(len(data)):
        s += data[i] * (1 if data[i] > 0.5 else -1)
    return s / len(data) + rng.laplace(scale=1 / len(data))


FD = dict(data=F, bounds="0:1")
LD = dict(data=L, bounds="0:1")
FR = dict(data=F, bounds="0:1", relation="replace")


@A(**FD)
def default_rng_none_cheaper(data, rng=None):
    if rng is None:
        return data.sum() + np.random.default_rng().laplace(scale=0.1)
    return data.sum() + rng.laplace(scale=1.0)


@A(**FD)
def default_rng_seeded_if_none(data, rng=None):
    rng = rng if rng is not None else np.random.default_rng(7)
    return data.sum() + rng.laplace(scale=1.0)


@R(**FD)
def default_rng_right(data, rng=None):
    if rng is None:
        rng = np.random.default_rng()
    return data.sum() + rng.laplace(scale=1.0)


@A(**FD)
def draw_chosen_later(data, rng):
    z = rng.laplace(scale=1.0, size=2)
    r = data.sum() + z[0]
    return r, len(data) + (z[1] if r > 0 else z[0])


@R("PureDP(epsilon=2)", **FD)
def draw_chosen_later_right(data, rng):
    z = rng.laplace(scale=1.0, size=2)
    r = data.sum() + z[0]
    return r, (len(data) if r > 0 else data.sum()) + z[1]


@A(**FD)
def draw_scaled_by_release(data, rng):
    z = rng.laplace(scale=2.0, size=2)
    r = data.sum() + z[0]
    return r, data.sum() + z[1] * np.clip(r, 0.5, 1.0)


@R("PureDP(epsilon=1.5)", **FD)
def draw_scaled_by_release_right(data, rng):
    z = rng.laplace(scale=2.0, size=2)
    r = data.sum() + z[0]
    return r, data.sum() + z[1] * np.clip(r, 0.5, 1.0)


@A(**FD)
def draw_printed(data, rng):
    z = rng.laplace(scale=1.0)
    return {"value": data.sum() + z, "noise": z}


@A(**FD)
def draw_threshold(data, rng):
    z = rng.laplace(scale=1.0)
    return data.sum() + z if z > 0 else data.sum() + 2 * z


@A(**FD)
def draw_abs_scale(data, rng):
    z = abs(rng.laplace(scale=1.0)) + 0.5
    return data.sum() + rng.laplace(scale=z)


@A(**FD)
def draw_scale_random(data, rng):
    s = 0.5 if rng.random() < 0.1 else 2.0
    return data.sum() + rng.laplace(scale=s)


@A(**FD)
def draw_uniform(data, rng):
    return data.sum() + rng.uniform(-5, 5)


@A(**FD)
def draw_mixture(data, rng):
    return data.sum() + (rng.laplace(scale=2.0) if rng.random() < 0.5 else 0.0)


@A(**FD)
def random_response(data, rng):
    return np.where(rng.random(2) < 0.5, data.sum(), 0.0)


@A(**FD)
def subsample_claim(data, rng):
    k = rng.random(len(data)) < 0.1
    return data[k].sum() + rng.laplace(scale=0.2)


@A(**FD)
def weights_random(data, rng):
    w = rng.uniform(0, 2)
    return data.sum() * w + rng.laplace(scale=1.0)


@A(**FD)
def choice_of_query(data, rng):
    k = int(rng.choice(np.array([0, 1])))
    h = np.array([data.sum(), 3 * data.sum()])
    return h[k] + rng.laplace(scale=1.0)


@R("PureDP(epsilon=3)", **FD)
def choice_of_query_right(data, rng):
    k = int(rng.choice(np.array([0, 1])))
    h = np.array([data.sum(), 3 * data.sum()])
    return h[k] + rng.laplace(scale=1.0)


@A(**FD)
def sparse_vector_reuse(data, rng):
    t = 1.0 + rng.laplace(scale=4.0)
    for q in (0.2, 0.5, 0.8):
        v = (data > q).sum()
        if v + rng.laplace(scale=4.0) > t:
            return q, v
    return None


@A(**FD)
def above_threshold_no_noise(data, rng):
    for q in (0.2, 0.5, 0.8):
        if (data > q).sum() + rng.laplace(scale=2.0) > 3:
            return q
    return 0.0


@A("ApproxDP(epsilon=0.5, delta=1e-5)", **RB, unit="user", most_per_unit=2)
def unit_classic(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.normal(scale=math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.5)


@R("ApproxDP(epsilon=0.5, delta=1e-5)", **RB, unit="user", most_per_unit=2)
def unit_classic_right(rows, rng):
    return sum(r["kwh"] for r in rows) + rng.normal(scale=2 * math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.5)


@A("ApproxDP(epsilon=1, delta=1e-9)", **FR)
def replace_classic(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.normal(scale=math.sqrt(2 * math.log(1.25 / 1e-9)), size=4)


@A("ZCDP(rho=0.5)", **FD)
def zcdp_mixed(data, rng):
    return data.sum() + rng.normal(scale=1.2), len(data) + rng.laplace(scale=1.3)


@A("RDP(order=2, epsilon=1)", **FD)
def rdp_mixed(data, rng):
    return data.sum() + rng.normal(scale=1.2), len(data) + rng.laplace(scale=1.5)


@A("GDP(mu=1)", **FD)
def gdp_adaptive_branch(data, rng):
    r = data.sum() + rng.normal(scale=math.sqrt(2))
    return r, data.sum() + rng.normal(scale=1.0 if r > 50 else math.sqrt(2))


@R("GDP(mu=1)", **FD)
def gdp_adaptive_branch_right(data, rng):
    r = data.sum() + rng.normal(scale=math.sqrt(2))
    return r, data.sum() + rng.normal(scale=3.0 if r > 50 else math.sqrt(2))


FD = dict(data=F, bounds="0:1")


@R(**FD)
def choice_shown(data, rng):
    k = rng.choice(np.array([0.0, 1.0]))
    return k, data.sum() + rng.laplace(scale=1.0)


@R(**FD)
def choice_shown_p(data, rng):
    k = rng.choice(np.array([0.0, 1.0]), p=np.array([0.5, 0.5]))
    return k, data.sum() + rng.laplace(scale=1.0)


@R(**FD)
def choice_of_arange(data, rng):
    k = rng.choice(np.arange(3))
    q = [0.25, 0.5, 0.75]
    return data.sum() + rng.laplace(scale=1.0), k


@R(**FD)
def choice_of_p(data, rng):
    k = int(rng.choice(np.array([0, 1]), p=[0.5, 0.5]))
    h = np.array([data.sum(), data.sum() / 2])
    return h[k] + rng.laplace(scale=1.0)


@A(**FD)
def choice_scale(data, rng):
    k = int(rng.choice(np.array([0, 1])))
    return data.sum() + rng.laplace(scale=[1.0, 0.1][k])


@A(**FD)
def choice_weight(data, rng):
    w = rng.choice(np.array([1.0, 3.0]))
    return data.sum() * w + rng.laplace(scale=1.0)


@A(**FD)
def choice_threshold(data, rng):
    t = rng.choice(np.array([0.25, 0.5]))
    return (data > t).sum() + (data > 0.25).sum() + rng.laplace(scale=1.0)


# These four were wrongly thought to be wrong: they are right, and are proved.
for _each in ["user_group_delta", "mixed", "arg_order", "arg_positional_swapped"]:
    RIGHT[_each] = ATTACKS.pop(_each)
