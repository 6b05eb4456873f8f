"""Natural mistakes of the thirty-first reading, rightly not proved (or above the claim), and right functions beside them.

RIGHT that are not proved stand in STOPPED.
"""

import functools
import itertools
import math
import operator
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np

NAN = float("nan")
N0 = np.array([])
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=N0, d1=np.array([1.0]))
FW = dict(data=F, bounds="-5:5", d0=N0, d1=np.array([5.0]))
FA = dict(data=F, d0=np.array([0.5]), d1=np.array([0.5, np.nan]))
FM = dict(data=F, bounds="0:24", d0=N0, d1=np.array([24.0]))
FRP = dict(data=F, bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
FWRP = dict(data=F, bounds="-5:5", relation="replace", d0=np.array([-5.0]), d1=np.array([5.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
LW = dict(data=[0.5, 1.0], bounds="-5:5", d0=[], d1=[5.0])
LA = dict(data=[0.5, 1.0], d0=[0.5], d1=[0.5, float("nan")])
LRP = dict(data=[0.5, 1.0], bounds="0:1", relation="replace", d0=[0.0], d1=[1.0])
ID = dict(data=[1, 2], bounds="0:3", d0=[], d1=[3])
IW = dict(data=[1, 2], bounds="-100:100", d0=[], d1=[100])
KD = dict(data=np.array([1, 2]), bounds="0:3", d0=np.array([], dtype=int), d1=np.array([3]))
KRP = dict(data=np.array([1, 2]), bounds="0:3", relation="replace", d0=np.array([0]), d1=np.array([3]))
K8 = dict(data=np.array([1, 2], dtype=np.int8), d0=np.array([], dtype=np.int8), d1=np.array([-128], dtype=np.int8))
U8 = dict(data=np.array([1, 2], dtype=np.uint8), d0=np.array([], dtype=np.uint8), d1=np.array([255], dtype=np.uint8))
F32 = dict(
    data=np.array([0.5, 1.0], dtype=np.float32),
    bounds="0:1",
    d0=np.array([], dtype=np.float32),
    d1=np.array([1.0], dtype=np.float32),
)
BD = dict(data=np.array([True, False]), d0=np.array([], dtype=bool), d1=np.array([True]))
X2 = np.array([[0.5, 1.0], [0.25, 0.5]])
XD = dict(data=X2, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
XW = dict(data=X2, bounds="-5:5", d0=np.zeros((0, 2)), d1=np.array([[5.0, 5.0]]))
XRP = dict(data=X2, bounds="0:1", relation="replace", d0=np.zeros((1, 2)), d1=np.ones((1, 2)))
XWRP = dict(data=X2, bounds="-5:5", relation="replace", d0=np.full((1, 2), -5.0), d1=np.full((1, 2), 5.0))
X3 = np.array([[0.5, 1.0, 0.25], [0.25, 0.5, 0.5]])
X3D = dict(data=X3, bounds="-1:1", d0=np.zeros((0, 3)), d1=np.ones((1, 3)))
XYD = dict(data=(X2, np.array([0.5, 1.0])), bounds="-1:1", d0=(np.zeros((0, 2)), N0), d1=(np.ones((1, 2)), np.ones(1)))
RD = dict(
    data=[{"age": 30.0, "sex": "f", "n": 1}, {"age": 40.0, "sex": "m", "n": 2}],
    records="{'age': float(0, 100), 'sex': choice('f', 'm', 'x'), 'n': int(0, 9)}",
    d0=[],
    d1=[{"age": 100.0, "sex": "x", "n": 9}],
)
RRP = dict(RD, relation="replace", d0=[{"age": 0.0, "sex": "f", "n": 0}], d1=[{"age": 100.0, "sex": "x", "n": 9}])
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
UR = dict(
    data=[{"user": "u", "spent": 0.5, "shop": "a"}, {"user": "v", "spent": 1.0, "shop": "b"}],
    records="{'user': text, 'spent': float(0, 1), 'shop': choice('a', 'b', 'c')}",
    unit="user",
    most_per_unit=3,
    d0=[],
    d1=[{"user": "w", "spent": 1.0, "shop": "c"}] * 3,
)


def kept(found):
    def A(base=None, claim="PureDP(epsilon=1)", **k):
        def d(g):
            found[g.__name__] = dict(claim=claim, **{**(base or {}), **k})
            return g

        return d

    return A


ATTACKS, RIGHT = {}, {}
STOPPED = (
    "mean_noise_scaled_by_noisy_n_right",
    "mean_replace_n_plus_one_right",
    "replace_hist_l2_right",
    "int_bits_right",
    "bool_and_not_right",
    "nan_count_or_sum_disjoint",
    "positive_negative_parts",
    "best_bin_neighbours_right",
    "mean_within_best_bin_right",
    "tree_of_counts_right",
    "table_row_picked_right",
    "weights_from_noisy_right",
    "not_equal_counts_right",
    "columns_bincount_matrix_right",
    "gd_three_steps_right",
    "matrix_power_of_noise_right",
    "dict_of_lambdas_right",
    "int_clip_abs_right",
    "int_shift_then_mod_right",
    "count_of_large_as_weight_right",
    "rounded_release_as_index_into_weights_right",
    "sum_in_place_twice_right",
    "released_scale_of_clip",
    "random_projection_right",
)
A, R = kept(ATTACKS), kept(RIGHT)


# ---------- Natural mistakes, one: sums, clips, means, variances, integers.


@A(FM)
def meter_daily_sum_minmax_scaled(x, rng):
    lo, hi = 0.0, 12.0
    z = (np.clip(x, lo, hi) - lo) / (hi - lo)
    return (z.sum() * (hi - lo) + lo) + rng.laplace(0, 1.0)


@A(FM)
def meter_clip_after_scaling(x, rng):
    return (np.clip(x / 24.0, 0, 1) * 24.0).sum() + rng.laplace(0, 1.0)


@A(FM)
def meter_scale_then_clip_wrong_unit(x, rng):
    return np.clip(x * 1000.0, 0, 24.0).sum() / 1.0 + rng.laplace(0, 1.0)


@A(FM)
def meter_peak_hours(x, rng):
    peak = np.where((x >= 7) & (x < 19), x, 0.0)
    return peak.sum() + rng.laplace(0, 12.0)


@A(FM)
def meter_hourly_two_ways(x, rng):
    day = np.histogram(x, bins=4, range=(0, 24))[0]
    hour = np.histogram(x, bins=24, range=(0, 24))[0]
    return day + rng.laplace(0, 1.0, 4), hour + rng.laplace(0, 1.0, 24)


@A(FW)
def centred_by_public_mean(x, rng):
    mu = 1.0
    return (np.clip(x, -1, 1) - mu).sum() + rng.laplace(0, 1.0)


@A(FW)
def absolute_before_clip_side(x, rng):
    return np.minimum(np.abs(x), 1.0).sum() + rng.laplace(0, 1.0 / 2)


@A(FW)
def clip_lower_only(x, rng):
    return np.maximum(x, 0.0).sum() + rng.laplace(0, 1.0)


@A(FW)
def clip_swapped(x, rng):
    return np.clip(x, 1, 0).sum() + np.sum(x > 0) + rng.laplace(0, 1.0 / 2)


@A(FW)
def nested_minmax_swapped(x, rng):
    t = 0.0
    for v in x:
        t += min(max(v, 1.0), 3.0)
    return t + rng.laplace(0, 1.0)


@A(FW)
def signed_sqrt(x, rng):
    return (np.sqrt(np.clip(x, 0, 4)) - np.sqrt(np.clip(-x, 0, 4))).sum() + rng.laplace(0, 1.0)


@A(FW)
def second_moment_of_clip(x, rng):
    z = np.clip(x, -2, 1)
    return (z**2).sum() + rng.laplace(0, 2.0)


@A(FW)
def both_moments_share_budget_wrong(x, rng):
    z = np.clip(x, -1, 1)
    return z.sum() + rng.laplace(0, 1.0), (z * z).sum() + rng.laplace(0, 1.0)


@A(FW)
def variance_from_noisy_n(x, rng):
    z = np.clip(x, 0, 1)
    n = max(len(x) + rng.laplace(0, 3.0), 1.0)
    m1 = (z.sum() + rng.laplace(0, 3.0)) / n
    m2 = ((z - m1) ** 2).sum() + rng.laplace(0, 3.0)
    return n, m1, m2 / n


@A(FD)
def centred_second_moment_no_clip_of_mean(x, rng):
    m = x.sum() + rng.laplace(0, 2.0)
    return m, ((x - np.clip(m, 0, 2)) ** 2).sum() + rng.laplace(0, 2.0)


@R(FD)
def centred_second_moment(x, rng):
    m = x.sum() + rng.laplace(0, 2.0)
    c = min(max(m, 0.0), 1.0)
    return m, ((x - c) ** 2).sum() + rng.laplace(0, 2.0)


@A(FD)
def mean_dividing_inside(x, rng):
    n = len(x)
    return sum(v / n for v in x) + rng.laplace(0, 1.0)


@A(FD)
def mean_noise_scaled_by_noisy_n(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    return n, x.sum() / max(n, 1.0) + rng.laplace(0, 2.0 / max(n, 1.0) / 2)


@R(FD)
def mean_noise_scaled_by_noisy_n_right(x, rng):
    n = max(len(x) + rng.laplace(0, 2.0), 1.0)
    return n, x.sum() / n + rng.laplace(0, 2.0) / n


@A(FD)
def mean_plus_inverse_n(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    return x.sum() + rng.laplace(0, 2.0), 1.0 / max(n, 1.0), len(x) + rng.laplace(0, 2.0)


@A(FRP)
def mean_replace_half_n(x, rng):
    n = len(x)
    return x.mean() + rng.laplace(0, 1.0 / (2 * n))


@A(FRP)
def mean_replace_n_plus_one(x, rng):
    return x.sum() / len(x) + rng.laplace(0, 1.0 / (len(x) + 1))


@R(FRP)
def mean_replace_n_plus_one_right(x, rng):
    return x.sum() / (len(x) + 1) + rng.laplace(0, 1.0 / (len(x) + 1))


@A(FRP)
def mean_replace_unbiased_var(x, rng):
    n = len(x)
    s = x.sum()
    q = (x**2).sum()
    return (q + rng.laplace(0, 1.0)) / n, (s + rng.laplace(0, 1.0)) / n


@A(FRP)
def scale_by_n_squared(x, rng):
    n = len(x)
    return x.sum() / n + rng.laplace(0, 1.0 / n**2)


@A(FRP)
def scale_by_sqrt_n(x, rng):
    n = len(x)
    return x.sum() / n + rng.laplace(0, 1.0 / n / math.sqrt(n))


@R(FRP)
def scale_by_sqrt_n_larger(x, rng):
    n = len(x)
    return x.sum() / n + rng.laplace(0, 1.0)


@A(FRP, claim="GDP(mu=1)")
def gauss_mean_replace_n(x, rng):
    n = len(x)
    return x.mean() + rng.normal(0, 0.5 / n)


@A(FWRP)
def replace_width_of_asymmetric(x, rng):
    z = np.clip(x, -1, 4)
    return z.sum() + rng.laplace(0, 4.0)


@A(FRP)
def replace_count_of_two(x, rng):
    hi = np.sum(x > 0.5)
    lo = np.sum(x <= 0.5)
    return hi + rng.laplace(0, 1.0), lo + rng.laplace(0, 1.0)


@A(FRP)
def replace_hist_l1(x, rng):
    return np.histogram(x, bins=5, range=(0, 1))[0] + rng.laplace(0, 1.0, 5)


@A(FRP, claim="GDP(mu=1)")
def replace_hist_l2(x, rng):
    return np.histogram(x, bins=5, range=(0, 1))[0] + rng.normal(0, 1.0, 5)


@R(FRP, claim="GDP(mu=1)")
def replace_hist_l2_right(x, rng):
    return np.histogram(x, bins=5, range=(0, 1))[0] + rng.normal(0, math.sqrt(2) * 1.0000001, 5)


@A(IW)
def int_abs_sum(x, rng):
    return sum(abs(v) for v in x) + rng.laplace(0, 99.0)


@A(IW)
def int_mod_negative(x, rng):
    return sum(v % 10 for v in x) + rng.laplace(0, 8.0)


@A(IW)
def int_floor_negative(x, rng):
    return sum(v // 10 for v in x) + rng.laplace(0, 9.0)


@A(IW)
def int_floor_of_negation(x, rng):
    return sum(-v // 7 for v in x) + rng.laplace(0, 14.0)


@R(IW)
def int_floor_of_negation_right(x, rng):
    return sum(-v // 7 for v in x) + rng.laplace(0, 15.0)


@A(IW)
def int_truncated(x, rng):
    return sum(int(v / 7) for v in x) + rng.laplace(0, 13.0)


@A(IW)
def int_bits(x, rng):
    c = [0, 0, 0, 0]
    for v in x:
        c[abs(v) % 4] += 1
        c[v % 4] += 1
    return [k + rng.laplace(0, 1.0) for k in c]


@R(IW)
def int_bits_right(x, rng):
    c = [0, 0, 0, 0]
    for v in x:
        c[abs(v) % 4] += 1
        c[v % 4] += 1
    return [k + rng.laplace(0, 2.0) for k in c]


@A(KD)
def int_array_square(x, rng):
    return (x * x).sum() + rng.laplace(0, 8.0)


@A(KD)
def int_array_true_divide(x, rng):
    return (x / 2).sum() + rng.laplace(0, 1.0)


@A(KD)
def int_array_minus(x, rng):
    return (1 - x).sum() + rng.laplace(0, 1.0)


@A(KD)
def int_array_shifted(x, rng):
    return (x - 1).sum() + rng.laplace(0, 1.5)


@A(K8)
def int8_abs(x, rng):
    return np.abs(x).sum() / 128 + rng.laplace(0, 0.99)


@A(K8)
def int8_negative_product(x, rng):
    return np.clip(x * 2, -100, 100).astype(float).sum() + rng.laplace(0, 50.0)


@A(K8)
def int8_float_sum(x, rng):
    return x.astype(float).sum() + rng.laplace(0, 127.0)


@R(K8)
def int8_float_sum_right(x, rng):
    return x.astype(float).sum() + rng.laplace(0, 128.0)


@A(U8)
def uint8_pixel_mean(x, rng):
    return (255 - x).astype(float).sum() + rng.laplace(0, 128.0)


@A(U8)
def uint8_pixel_sum_scaled(x, rng):
    return (x.astype(float) / 255 * 2 - 1).sum() + rng.laplace(0, 0.9)


@R(U8)
def uint8_pixel_sum_scaled_right(x, rng):
    return (x.astype(float) / 255 * 2 - 1).sum() + rng.laplace(0, 1.0000001)


@A(F32)
def float32_plus_one(x, rng):
    return (x.astype(float) + 1).sum() + rng.laplace(0, 1.0)


@A(BD)
def bool_weighted(x, rng):
    return (x * 3.0).sum() + rng.laplace(0, 2.0)


@A(BD)
def bool_and_not(x, rng):
    return x.sum() + rng.laplace(0, 1.0), (~x).sum() + rng.laplace(0, 0.9)


@R(BD)
def bool_and_not_right(x, rng):
    return x.sum() + rng.laplace(0, 1.0), (~x).sum() + rng.laplace(0, 1.0)


@A(BD)
def bool_plus_minus(x, rng):
    return (2 * x.astype(int) - 1).sum() + 2 * x.sum() + rng.laplace(0, 2.9)


@A(FA)
def nan_where_both(x, rng):
    z = np.where(x > 1, 1.0, x)
    z = np.where(z < 0, 0.0, z)
    return z.sum() + rng.laplace(0, 1.0)


@A(FA)
def nan_to_num_five(x, rng):
    return np.nan_to_num(np.clip(x, 0, 1), nan=5.0).sum() + rng.laplace(0, 1.0)


@R(FA)
def nan_to_num_five_right(x, rng):
    return np.nan_to_num(np.clip(x, 0, 1), nan=5.0).sum() + rng.laplace(0, 5.0)


@A(FA)
def nan_mean_imputed(x, rng):
    z = np.where(np.isnan(x), 10.0, np.clip(x, 0, 1))
    return z.sum() + rng.laplace(0, 1.0)


@A(FA)
def nan_count_and_sum(x, rng):
    k = np.isnan(x).sum() + rng.laplace(0, 1.0)
    z = np.clip(np.nan_to_num(x, nan=1.0), 0, 1)
    return k, z.sum() + rng.laplace(0, 1.0)


@A(FA)
def nan_count_or_sum_disjoint_wrong(x, rng):
    k = np.isnan(x).sum() + rng.laplace(0, 1.0)
    ok = x[~np.isnan(x)]
    return k, np.clip(ok, 0, 1).sum() + rng.laplace(0, 0.5)


@R(FA)
def nan_count_or_sum_disjoint(x, rng):
    k = np.isnan(x).sum() + rng.laplace(0, 1.0)
    ok = x[~np.isnan(x)]
    return k, np.clip(ok, 0, 1).sum() + rng.laplace(0, 1.0)


@A(FA)
def inf_minus_inf(x, rng):
    z = np.nan_to_num(x)
    return np.clip(z - z.clip(0, 1), 0, 1).sum() + rng.laplace(0, 0.5)


@A(LA)
def python_min_of_nan(data, rng):
    return sum(min(1.0, max(0.0, v)) for v in data) + rng.laplace(0, 0.9)


@A(LA)
def python_max_of_nan_order(data, rng):
    return sum(max(min(v, 1.0), 0.0) for v in data) + rng.laplace(0, 1.0)


@A(LA)
def not_greater_is_not_less(data, rng):
    t = 0.0
    for v in data:
        if not v > 1.0:
            if not v < 0.0:
                t += v
    return t + rng.laplace(0, 1.0)


@A(LA)
def equal_to_itself_first(data, rng):
    t = 0.0
    for v in data:
        if v == v or v > 1.0:
            t += v
    return t + rng.laplace(0, 1.0)


@A(LA)
def rounded_first(data, rng):
    return sum(min(max(round(v), 0), 1) for v in data if v == v) + rng.laplace(0, 1.0)


@A(LA)
def log_transform_no_floor(data, rng):
    return sum(math.log1p(v) for v in data if 0 <= v <= 9) + rng.laplace(0, 2.0)


@A(LA)
def log_transform_floor_only(data, rng):
    return sum(math.log(max(v, 1.0)) for v in data if v == v) + rng.laplace(0, 5.0)


@R(LA)
def log_transform_right(data, rng):
    return sum(math.log1p(v) for v in data if 0 <= v <= 9) + rng.laplace(0, 2.3026)


@A(LA)
def reciprocal_guarded_wrong(data, rng):
    return sum(1.0 / v for v in data if v >= 0.5) + rng.laplace(0, 1.9)


@A(LA)
def huge_outlier_kept(data, rng):
    return sum(v if v < 100 else 100.0 for v in data if v > 0) + rng.laplace(0, 99.0)


@R(LA)
def huge_outlier_kept_right(data, rng):
    return sum(v if v < 100 else 100.0 for v in data if v > 0) + rng.laplace(0, 100.0)


@A(FW)
def winsor_both_then_sum_of_abs(x, rng):
    z = np.clip(x, -2, 2)
    return np.abs(z).sum() + rng.laplace(0, 2.0), z.sum() + rng.laplace(0, 2.0)


@A(FW)
def positive_negative_parts_wrong(x, rng):
    p = np.clip(x, 0, 2).sum() + rng.laplace(0, 2.0)
    q = np.clip(-x, 0, 2).sum() + rng.laplace(0, 1.0)
    return p, q, p - q


@R(FW)
def positive_negative_parts(x, rng):
    p = np.clip(x, 0, 2).sum() + rng.laplace(0, 2.0)
    q = np.clip(-x, 0, 2).sum() + rng.laplace(0, 2.0)
    return p, q, p - q


@A(FW)
def parts_by_threshold_and_whole(x, rng):
    z = np.clip(x, 0, 2)
    return z[z > 1].sum() + rng.laplace(0, 2.0), z[z <= 1].sum() + rng.laplace(0, 2.0), len(x) + rng.laplace(0, 10.0)


@A(FW)
def parts_by_threshold_open(x, rng):
    z = np.clip(x, 0, 2)
    return z[z > 1].sum() + rng.laplace(0, 2.0), z[z <= 1].sum() + rng.laplace(0, 0.9)


@R(FW)
def parts_by_threshold(x, rng):
    z = np.clip(x, 0, 2)
    return z[z > 1].sum() + rng.laplace(0, 2.0), z[z <= 1].sum() + rng.laplace(0, 1.0)


@A(FW)
def exp_of_clip(x, rng):
    return np.exp(np.clip(x, -1, 1)).sum() + rng.laplace(0, 2.7)


@A(FW)
def sigmoid_sum(x, rng):
    return (1 / (1 + np.exp(-np.clip(x, -5, 5)))).sum() + rng.laplace(0, 0.99)


@R(FW)
def sigmoid_sum_right(x, rng):
    return (1 / (1 + np.exp(-np.clip(x, -5, 5)))).sum() + rng.laplace(0, 1.0)


@A(FW)
def softplus(x, rng):
    return np.log1p(np.exp(np.clip(x, -1, 1))).sum() + rng.laplace(0, 1.3)


@A(FW)
def tanh_scaled(x, rng):
    return (2 * np.tanh(x)).sum() + rng.laplace(0, 1.9)


@A(FW)
def floor_of_scaled(x, rng):
    return np.floor(np.clip(x, 0, 1) * 10).sum() + rng.laplace(0, 9.0)


@A(FW)
def ceil_of_scaled(x, rng):
    return np.ceil(np.clip(x, 0, 0.95) * 10).sum() + rng.laplace(0, 9.5)


@A(FW)
def rint_halves(x, rng):
    return np.rint(np.clip(x, 0, 1.5)).sum() + rng.laplace(0, 1.5)


# ---------- Natural mistakes, two: what is done with released values, and what touches the data again.
LABELS = ["a", "b", "c", "d"]
MIDS = np.array([0.125, 0.375, 0.625, 0.875])


def counts(x):
    return np.histogram(x, bins=4, range=(0, 1))[0]


def noisy(x, rng, s=1.0):
    return counts(x) + rng.laplace(0, s, size=4)


@A(FD)
def share_of_true_total(x, rng):
    return noisy(x, rng) / max(len(x), 1)


@A(FD)
def share_of_true_sum(x, rng):
    h = counts(x)
    return (h + rng.laplace(0, 1.0, 4)) / h.sum()


@A(FD)
def keep_true_zero_bins(x, rng):
    h = counts(x)
    out = h + rng.laplace(0, 1.0, 4)
    return np.where(h == 0, 0.0, out)


@A(FD)
def keep_true_small_bins(x, rng):
    h = counts(x)
    out = noisy(x, rng)
    out[h < 1] = 0.0
    return out


@A(FD)
def clipped_to_n(x, rng):
    return np.clip(noisy(x, rng), 0, len(x))


@A(FD)
def best_bin_true(x, rng):
    h = counts(x)
    b = int(h.argmax())
    return b, h[b] + rng.laplace(0, 1.0)


@A(FD)
def best_bin_exact_count(x, rng):
    out = noisy(x, rng)
    h = counts(x)
    return h[int(np.argmax(out))] * 1.0


@A(FD)
def best_bin_second_look_free(x, rng):
    h = counts(x)
    b = int(np.argmax(h + rng.laplace(0, 1.0, 4)))
    return b, h[b] + rng.laplace(0, 10.0)


@A(FD)
def best_bin_neighbours(x, rng):
    h = counts(x)
    b = int(np.argmax(h + rng.laplace(0, 2.0, 4)))
    return b, (h[b] + h[max(b - 1, 0)]) + rng.laplace(0, 2.0)


@R(FD)
def best_bin_neighbours_right(x, rng):
    h = counts(x)
    b = int(np.argmax(h + rng.laplace(0, 2.0, 4)))
    return b, (h[b] + h[max(b - 1, 0)]) + rng.laplace(0, 4.0)


@A(FD)
def mean_within_best_bin(x, rng):
    b = int(np.argmax(noisy(x, rng, 2.0)))
    lo = b / 4
    inside = x[(x >= lo) & (x < lo + 0.25)]
    return lo, inside.sum() + rng.laplace(0, 0.5)


@R(FD)
def mean_within_best_bin_right(x, rng):
    b = int(np.argmax(noisy(x, rng, 2.0)))
    lo = b / 4
    inside = x[(x >= lo) & (x < lo + 0.25)]
    return lo, inside.sum() + rng.laplace(0, 2.0)


@A(FD)
def zoom_twice(x, rng):
    b = int(np.argmax(noisy(x, rng, 2.0)))
    fine = np.histogram(x, bins=4, range=(b / 4, b / 4 + 0.25))[0]
    return b, fine + rng.laplace(0, 1.0, 4)


@A(FD)
def synthetic_of_true(x, rng):
    h = counts(x)
    p = h / h.sum()
    return rng.choice(MIDS, size=5, p=p)


@A(FD)
def synthetic_of_noisy_true_n(x, rng):
    p = np.clip(noisy(x, rng), 1e-9, None)
    return rng.choice(MIDS, size=len(x), p=p / p.sum())


@A(FD)
def smoothed_before(x, rng):
    h = counts(x) * 1.0
    s = np.convolve(h, [1, 1, 1], mode="same")
    return s + rng.laplace(0, 1.0, 4)


@A(FD)
def smoothed_by_hand(x, rng):
    h = counts(x)
    s = [h[max(i - 1, 0)] + h[i] + h[min(i + 1, 3)] for i in range(4)]
    return [v + rng.laplace(0, 2.9) for v in s]


@R(FD)
def smoothed_by_hand_right(x, rng):
    h = counts(x)
    s = [h[max(i - 1, 0)] + h[i] + h[min(i + 1, 3)] for i in range(4)]
    return [v + rng.laplace(0, 3.0) for v in s]


@A(FD)
def smoothing_matrix_before(x, rng):
    M = np.array([[1, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0.5], [0, 0, 0.5, 1]])
    return M @ counts(x) + rng.laplace(0, 1.5, 4)


@R(FD)
def smoothing_matrix_before_right(x, rng):
    M = np.array([[1, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0.5], [0, 0, 0.5, 1]])
    return M @ counts(x) + rng.laplace(0, 2.0, 4)


@A(FD)
def haar_before(x, rng):
    h = counts(x)
    c = np.array([h[0] + h[1] + h[2] + h[3], h[0] + h[1] - h[2] - h[3], h[0] - h[1], h[2] - h[3]])
    return c + rng.laplace(0, 2.0, 4)


@R(FD)
def haar_before_right(x, rng):
    h = counts(x)
    c = np.array([h[0] + h[1] + h[2] + h[3], h[0] + h[1] - h[2] - h[3], h[0] - h[1], h[2] - h[3]])
    return c + rng.laplace(0, 3.0, 4)


@A(FD)
def prefix_before(x, rng):
    h = counts(x)
    t, out = 0, []
    for v in h:
        t += v
        out.append(t + rng.laplace(0, 2.0))
    return out


@R(FD)
def prefix_before_right(x, rng):
    h = counts(x)
    t, out = 0, []
    for v in h:
        t += v
        out.append(t + rng.laplace(0, 4.0))
    return out


@A(FD)
def tree_of_counts(x, rng):
    h = counts(x)
    leaves = [v + rng.laplace(0, 2.0) for v in h]
    nodes = [h[0] + h[1] + rng.laplace(0, 2.0), h[2] + h[3] + rng.laplace(0, 2.0)]
    root = h.sum() + rng.laplace(0, 2.0)
    return leaves, nodes, root


@R(FD)
def tree_of_counts_right(x, rng):
    h = counts(x)
    leaves = [v + rng.laplace(0, 3.0) for v in h]
    nodes = [h[0] + h[1] + rng.laplace(0, 3.0), h[2] + h[3] + rng.laplace(0, 3.0)]
    root = h.sum() + rng.laplace(0, 3.0)
    return leaves, nodes, root


@A(FD)
def table_margins_extra(x, rng):
    t = counts(x).reshape(2, 2)
    return t + rng.laplace(size=(2, 2)), t.sum(axis=0) + rng.laplace(size=2)


@A(FD)
def table_broadcast_noise(x, rng):
    t = counts(x).reshape(2, 2)
    return t + rng.laplace(size=(2, 1))


@A(FD)
def table_doubled(x, rng):
    t = counts(x).reshape(2, 2)
    return t + t.T + rng.laplace(size=(2, 2))


@R(FD)
def table_doubled_right(x, rng):
    t = counts(x).reshape(2, 2)
    return t + t.T + rng.laplace(scale=2.0, size=(2, 2))


@A(FD)
def table_row_picked(x, rng):
    t = counts(x).reshape(2, 2)
    tot = t.sum(axis=1) + rng.laplace(0, 2.0, 2)
    r = int(np.argmax(tot))
    return r, t[r] + rng.laplace(0, 1.0, 2)


@R(FD)
def table_row_picked_right(x, rng):
    t = counts(x).reshape(2, 2)
    tot = t.sum(axis=1) + rng.laplace(0, 2.0, 2)
    r = int(np.argmax(tot))
    return r, t[r] + rng.laplace(0, 2.0, 2)


@A(FD)
def table_row_tiled(x, rng):
    t = counts(x).reshape(4, 1)
    big = t + np.zeros((4, 3))
    return big + rng.laplace(0, 2.0, (4, 3))


@R(FD)
def table_row_tiled_right(x, rng):
    t = counts(x).reshape(4, 1)
    big = t + np.zeros((4, 3))
    return big + rng.laplace(0, 3.0, (4, 3))


@A(FD)
def ravelled_noise_used_twice(x, rng):
    e = rng.laplace(size=2)
    t = counts(x).reshape(2, 2)
    return t[0] + e, t[1] + e


@A(FD)
def noise_of_noise(x, rng):
    e = rng.laplace(size=4)
    return counts(x) + e, e.sum()


@A(FD)
def noise_removed_later(x, rng):
    e = rng.laplace(0, 1.0)
    v = x.sum() + e
    v -= e
    return v


@A(FD)
def noise_damped(x, rng):
    e = rng.laplace(0, 1.0)
    return x.sum() + 0.5 * e


@A(FD)
def noise_clipped(x, rng):
    return x.sum() + np.clip(rng.laplace(0, 1.0), -3, 3)


@A(FD)
def noise_absolute(x, rng):
    return x.sum() + abs(rng.laplace(0, 1.0))


@A(FD)
def noise_rounded(x, rng):
    return np.sum(x > 0.5) + round(rng.laplace(0, 1.0))


@A(FD)
def noise_averaged(x, rng):
    return x.sum() + rng.laplace(0, 1.0, size=10).mean()


@A(FD)
def noise_max_of_two(x, rng):
    return x.sum() + max(rng.laplace(0, 1.0), rng.laplace(0, 1.0))


@A(FD)
def noise_first_of_vector_for_two(x, rng):
    e = rng.laplace(0, 1.0, size=3)
    return x.sum() + e[0], (x**2).sum() + e[0]


@A(FD)
def noise_slices_overlap(x, rng):
    e = rng.laplace(0, 4.0, size=5)
    h = counts(x)
    return h + e[:4], h + e[1:]


@R(FD)
def noise_slices_apart(x, rng):
    e = rng.laplace(0, 2.0, size=8)
    h = counts(x)
    return h + e[:4], h + e[4:]


@A(FD)
def average_of_two_answers(x, rng):
    return ((x.sum() + rng.laplace(0, 1.0)) + (x.sum() + rng.laplace(0, 1.0))) / 2


@A(FD)
def retry_until_positive(x, rng):
    v = x.sum() + rng.laplace(0, 1.0)
    if v < 0:
        v = x.sum() + rng.laplace(0, 1.0)
    return v


@A(FD)
def retry_until_positive_discards_first(x, rng):
    for _ in range(3):
        v = x.sum() + rng.laplace(0, 2.0)
        if v > 0:
            break
    return max(v, 0.0)


@R(FD)
def retry_until_positive_paid(x, rng):
    for _ in range(3):
        v = x.sum() + rng.laplace(0, 3.0)
        if v > 0:
            break
    return max(v, 0.0)


@A(FD)
def threshold_then_exact(x, rng):
    v = len(x) + rng.laplace(0, 1.0)
    return len(x) if v > 100 else v


@A(FD)
def better_of_noisy_and_true(x, rng):
    s = x.sum()
    v = s + rng.laplace(0, 1.0)
    return min(v, s)


@A(FD)
def noisy_if_large(x, rng):
    s = x.sum()
    return s + rng.laplace(0, 1.0) if s > 1 else rng.laplace(0, 1.0)


@A(FD)
def error_reported(x, rng):
    s = x.sum()
    v = s + rng.laplace(0, 1.0)
    return {"value": v, "error": abs(v - s)}


@A(FD)
def relative_noise(x, rng):
    s = x.sum()
    return s * (1 + rng.laplace(0, 0.1))


@A(FD)
def logged_total(x, rng):
    return math.log1p(x.sum()) + rng.laplace(0, 1.0)


@A(FD)
def scaled_after_release_with_true(x, rng):
    v = x.sum() + rng.laplace(0, 1.0)
    return v * (len(x) / max(len(x), 1))


@A(FD)
def quantile_by_true_total(x, rng):
    c = np.cumsum(noisy(x, rng))
    return int(np.searchsorted(c, 0.5 * len(x)))


@A(FD)
def median_of_data_with_noisy_bins(x, rng):
    return noisy(x, rng), np.median(x)


@A(FD)
def interpolated_at_data(x, rng):
    h = noisy(x, rng)
    return np.interp(x, MIDS, h).sum() + rng.laplace(0, 1.0)


@A(FD)
def lookup_of_record_in_noisy(x, rng):
    h = noisy(x, rng, 2.0)
    t = 0.0
    for v in x:
        t += h[min(int(v * 4), 3)]
    return h, t + rng.laplace(0, 2.0)


@A(FD)
def lookup_of_record_in_clipped_noisy(x, rng):
    h = [min(max(v, 0.0), 3.0) for v in noisy(x, rng, 2.0).tolist()]
    t = 0.0
    for v in x:
        t += h[min(int(v * 4), 3)]
    return h, t + rng.laplace(0, 2.0)


@R(FD)
def lookup_of_record_in_clipped_noisy_right(x, rng):
    h = [min(max(v, 0.0), 3.0) for v in noisy(x, rng, 2.0).tolist()]
    t = 0.0
    for v in x:
        t += h[min(int(v * 4), 3)]
    return h, t + rng.laplace(0, 6.0)


@A(FD)
def weights_from_noisy(x, rng):
    h = np.maximum(noisy(x, rng, 2.0), 1.0)
    w = 4 / h
    t = 0.0
    for v in x:
        t += w[0] if v < 0.5 else w[1]
    return t + rng.laplace(0, 2.0)


@R(FD)
def weights_from_noisy_right(x, rng):
    h = np.maximum(noisy(x, rng, 2.0), 1.0)
    w = 4 / h
    t = 0.0
    for v in x:
        t += w[0] if v < 0.5 else w[1]
    return t + rng.laplace(0, 8.0)


@A(FD)
def labels_with_counts_over_true(x, rng):
    h = counts(x)
    return {k: float(v + rng.laplace()) for k, v in zip(LABELS, h) if v > 0}


@A(FD)
def top_two_labels_true(x, rng):
    h = counts(x)
    order = np.argsort(h)[::-1]
    return [LABELS[i] for i in order[:2]]


@A(FD)
def sorted_counts_noisy(x, rng):
    h = np.sort(counts(x))
    return h + rng.laplace(0, 1.0, 4)


@A(FD)
def text_of_true_count(x, rng):
    v = noisy(x, rng)
    return f"{len(x)} records", v


@A(FD)
def rounding_true_to_five(x, rng):
    return 5 * round(len(x) / 5) + rng.laplace(0, 1.0)


@A(FD)
def suppressed_when_small(x, rng):
    v = len(x) + rng.laplace(0, 1.0)
    return v if len(x) >= 10 else None


@A(FD)
def confidence_interval_true_var(x, rng):
    v = x.sum() + rng.laplace(0, 1.0)
    return v - 2 * x.std(), v + 2 * x.std()


@A(FD)
def two_epsilons_in_loop(x, rng):
    return [x.sum() + rng.laplace(0, 1 / e) for e in (0.1, 0.5, 0.5)]


@R(FD)
def two_epsilons_in_loop_right(x, rng):
    return [x.sum() + rng.laplace(0, 1 / e) for e in (0.1, 0.4, 0.5)]


@A(FD)
def epsilon_divided_once(x, rng):
    eps = 1.0 / 2
    return (
        x.sum() + rng.laplace(0, 1 / eps),
        len(x) + rng.laplace(0, 1 / eps),
        np.sum(x > 0.5) + rng.laplace(0, 1 / eps),
    )


@A(FD)
def sensitivity_times_epsilon(x, rng):
    eps = 0.5
    return x.sum() + rng.laplace(0, 1.0 * eps)


@A(FD)
def int_of_noisy_index_of_table(x, rng):
    h = counts(x)
    v = len(x) + rng.laplace(0, 2.0)
    i = min(max(int(v), 0), 3)
    return i, h[i] + h[3 - i] + rng.laplace(0, 1.0), h[i] + rng.laplace(0, 2.0)


@A(FD)
def flags_and_indices(x, rng):
    h = noisy(x, rng, 2.0)
    big = h > 1.0
    tot = 0.0
    for v in x:
        if big[0]:
            tot += v
        else:
            tot += 2 * v
    return tot + rng.laplace(0, 2.0)


@A(FD)
def masks_of_noise_only(x, rng):
    e = rng.laplace(0, 1.0, 4)
    h = counts(x)
    out = h + e
    return out[0], out[1], e[0] > 0


@A(FD)
def released_added_into_records(x, rng):
    m = np.clip(x.sum() + rng.laplace(0, 2.0), 0, 10)
    return m, (x * m).sum() + rng.laplace(0, 2.0 * 5)


@R(FD)
def released_added_into_records_right(x, rng):
    m = np.clip(x.sum() + rng.laplace(0, 2.0), 0, 10)
    return m, (x * m).sum() + rng.laplace(0, 2.0 * 10)


@A(FD)
def noise_scale_by_released_wrong(x, rng):
    m = np.clip(x.sum() + rng.laplace(0, 2.0), 1, 10)
    return m, (x * m).sum() + rng.laplace(0, 2.0 * m / 2)


@R(FD)
def noise_scale_by_released_right(x, rng):
    m = np.clip(x.sum() + rng.laplace(0, 2.0), 1, 10)
    return m, (x / m).sum() + rng.laplace(0, 2.0)


# ---------- Natural mistakes, three: records, dicts, classes, closures, columns.
SEXES = ("f", "m", "x")
CAPS = {"f": 50.0, "m": 80.0, "x": 100.0}
BANDS = [(0, 18), (18, 40), (40, 65), (65, 101)]
OVERLAP = [(0, 18), (18, 65), (60, 101)]


def band(age):
    for i, (lo, hi) in enumerate(BANDS):
        if lo <= age < hi:
            return i
    return 0


def bands_of(age):
    return [i for i, (lo, hi) in enumerate(OVERLAP) if lo <= age < hi]


@A(RD)
def counter_of_sex(rows, rng):
    c = Counter(r["sex"] for r in rows)
    return {k: c[k] + rng.laplace(0, 1.0) for k in c}


@A(RD)
def defaultdict_of_sex(rows, rng):
    c = defaultdict(int)
    for r in rows:
        c[r["sex"]] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@A(RD)
def setdefault_of_sex(rows, rng):
    c = {}
    for r in rows:
        c[r["sex"]] = c.get(r["sex"], 0) + 1
    return {k: c.get(k, 0) + rng.laplace(0, 1.0) for k in SEXES}


@A(RD)
def known_keys_counts_and_ages(rows, rng):
    c = {k: 0 for k in SEXES}
    s = {k: 0.0 for k in SEXES}
    for r in rows:
        c[r["sex"]] += 1
        s[r["sex"]] += min(r["age"], 100.0)
    return {k: (c[k] + rng.laplace(0, 1.0), s[k] + rng.laplace(0, 100.0)) for k in SEXES}


@R(RD)
def known_keys_counts_and_ages_right(rows, rng):
    c = {k: 0 for k in SEXES}
    s = {k: 0.0 for k in SEXES}
    for r in rows:
        c[r["sex"]] += 1
        s[r["sex"]] += min(r["age"], 100.0)
    return {k: (c[k] + rng.laplace(0, 2.0), s[k] + rng.laplace(0, 200.0)) for k in SEXES}


@A(RD)
def caps_of_the_other(rows, rng):
    s = {k: 0.0 for k in SEXES}
    for r in rows:
        s[r["sex"]] += min(r["age"], 100.0)
    return {k: s[k] + rng.laplace(0, CAPS[k]) for k in SEXES}


@R(RD)
def caps_by_sex(rows, rng):
    s = {k: 0.0 for k in SEXES}
    for r in rows:
        s[r["sex"]] += min(r["age"], CAPS[r["sex"]])
    return {k: s[k] + rng.laplace(0, CAPS[k]) for k in SEXES}


@A(RD)
def bands_with_overlap(rows, rng):
    c = [0, 0, 0]
    for r in rows:
        for i, (lo, hi) in enumerate(OVERLAP):
            if lo <= r["age"] < hi:
                c[i] += 1
    return [v + rng.laplace(0, 1.0) for v in c]


@R(RD)
def bands_with_overlap_right(rows, rng):
    c = [0, 0, 0]
    for r in rows:
        for i, (lo, hi) in enumerate(OVERLAP):
            if lo <= r["age"] < hi:
                c[i] += 1
    return [v + rng.laplace(0, 2.0) for v in c]


@A(RD)
def bands_by_helper_list(rows, rng):
    c = [0, 0, 0]
    for r in rows:
        for i in bands_of(r["age"]):
            c[i] += 1
    return [v + rng.laplace(0, 1.0) for v in c]


@A(RD)
def bands_disjoint_and_n(rows, rng):
    c = [0] * 4
    for r in rows:
        c[band(r["age"])] += r["n"]
    return [v + rng.laplace(0, 8.0) for v in c]


@R(RD)
def bands_disjoint_and_n_right(rows, rng):
    c = [0] * 4
    for r in rows:
        c[band(r["age"])] += r["n"]
    return [v + rng.laplace(0, 9.0) for v in c]


@A(RD)
def cross_of_sex_and_band(rows, rng):
    c = {(s, b): 0 for s in SEXES for b in range(4)}
    for r in rows:
        c[(r["sex"], band(r["age"]))] += 1
    return {f"{s}{b}": c[(s, b)] + rng.laplace(0, 0.5) for s in SEXES for b in range(4)}


@A(RD)
def marginals_from_one_budget(rows, rng):
    a = {k: sum(1 for r in rows if r["sex"] == k) + rng.laplace(0, 1.0) for k in SEXES}
    b = [sum(1 for r in rows if lo <= r["age"] < hi) + rng.laplace(0, 1.0) for lo, hi in BANDS]
    return a, b


@R(RD)
def marginals_from_two_budgets(rows, rng):
    a = {k: sum(1 for r in rows if r["sex"] == k) + rng.laplace(0, 2.0) for k in SEXES}
    b = [sum(1 for r in rows if lo <= r["age"] < hi) + rng.laplace(0, 2.0) for lo, hi in BANDS]
    return a, b


@A(RD)
def not_equal_counts(rows, rng):
    return {k: sum(1 for r in rows if r["sex"] != k) + rng.laplace(0, 1.0) for k in SEXES}


@R(RD)
def not_equal_counts_right(rows, rng):
    return {k: sum(1 for r in rows if r["sex"] != k) + rng.laplace(0, 2.0) for k in SEXES}


@A(RD)
def cumulative_thresholds(rows, rng):
    return [sum(1 for r in rows if r["age"] >= t) + rng.laplace(0, 2.0) for t in (0, 18, 40, 65)]


@R(RD)
def cumulative_thresholds_right(rows, rng):
    return [sum(1 for r in rows if r["age"] >= t) + rng.laplace(0, 4.0) for t in (0, 18, 40, 65)]


@A(RD)
def elif_chain_counts(rows, rng):
    a = b = c = 0
    for r in rows:
        if r["age"] < 18:
            a += 1
        elif r["age"] < 65:
            b += 1
        if r["age"] >= 65 or r["sex"] == "f":
            c += 1
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)


@A(RD)
def late_closures(rows, rng):
    tests = [lambda r: r["age"] >= t for t in (18, 65)]
    return [sum(1 for r in rows if f(r)) + rng.laplace(0, 1.0) for f in tests]


@R(RD)
def late_closures_bound(rows, rng):
    tests = [lambda r, t=t: r["age"] >= t for t in (18, 65)]
    return [sum(1 for r in rows if f(r)) + rng.laplace(0, 2.0) for f in tests]


@A(RD)
def mutable_default(rows, rng, totals=[0.0]):
    for r in rows:
        totals[0] += min(r["age"], 1.0)
    return totals[0] + rng.laplace(0, 1.0)


@A(RD)
def alias_of_totals(rows, rng):
    a = [0, 0]
    b = a
    for r in rows:
        if r["sex"] == "f":
            a[0] += 1
        b[0] += 1
    return a[0] + rng.laplace(0, 1.0), b[1] + rng.laplace(0, 1.0)


@A(RD)
def rows_of_the_same_list(rows, rng):
    t = [[0, 0]] * 2
    for r in rows:
        t[0][0] += 1
        t[1][0] += 1
    return t[0][0] + rng.laplace(0, 1.0)


@A(RD)
def sorted_by_age_first(rows, rng):
    s = sorted(rows, key=lambda r: r["age"])
    return s[0]["age"] + rng.laplace(0, 1.0)


@A(RD)
def max_by_key(rows, rng):
    return max(rows, key=lambda r: r["age"])["n"] + rng.laplace(0, 9.0)


@A(RD)
def oldest_by_loop(rows, rng):
    best = 0.0
    for r in rows:
        if r["age"] > best:
            best = r["age"]
    return best + rng.laplace(0, 1.0)


@A(RD)
def last_value_kept(rows, rng):
    last = 0.0
    for r in rows:
        last = r["age"] / 100
    return last + rng.laplace(0, 1.0)


@A(RD)
def previous_difference(rows, rng):
    t, prev = 0.0, 0.0
    for r in rows:
        t += min(abs(r["age"] - prev), 1.0)
        prev = r["age"]
    return t + rng.laplace(0, 1.0)


@A(RD)
def running_maximum_clip(rows, rng):
    t = 0.0
    for r in rows:
        t = min(t + r["age"], 100.0)
    return t + rng.laplace(0, 50.0)


@A(RD)
def decayed_total(rows, rng):
    t = 0.0
    for r in rows:
        t = 1.1 * t + min(r["age"], 1.0)
    return t + rng.laplace(0, 1.0)


@A(RD)
def doubled_by_later(rows, rng):
    t = 0
    for r in rows:
        t += t + 1
    return t + rng.laplace(0, 1.0)


@A(RD)
def counter_of_counter(rows, rng):
    n = t = 0
    for r in rows:
        n += 1
        t += n
    return t + rng.laplace(0, 1.0)


@A(RD)
def first_ten_only(rows, rng):
    t = 0.0
    for i, r in enumerate(rows):
        if i < 10:
            t += r["age"] / 100
    return t + rng.laplace(0, 1.0)


@A(RD)
def sliced_rows(rows, rng):
    return sum(r["age"] for r in rows[1:]) / 100 + rng.laplace(0, 1.0)


@A(RD)
def distinct_sexes(rows, rng):
    return len({r["sex"] for r in rows}) + rng.laplace(0, 0.5)


@A(RD)
def reduce_sum_of_ages(rows, rng):
    return reduce(lambda t, r: t + r["age"], rows, 0.0) + rng.laplace(0, 50.0)


@A(RD)
def map_sum_of_ages(rows, rng):
    return sum(map(lambda r: r["age"], rows)) + rng.laplace(0, 50.0)


@A(RD)
def filter_count(rows, rng):
    return len(list(filter(lambda r: r["age"] > 18, rows))) + rng.laplace(0, 0.5)


@A(RD)
def nested_comprehension_pairs(rows, rng):
    return sum(1 for r in rows for q in rows if r["age"] > q["age"]) + rng.laplace(0, 1.0)


@A(RD)
def sum_of_two_fields(rows, rng):
    return sum(r["age"] / 100 + r["n"] / 9 for r in rows) + rng.laplace(0, 1.0)


@A(RD)
def product_of_fields(rows, rng):
    return sum(r["age"] * r["n"] for r in rows) + rng.laplace(0, 899.0)


@R(RD)
def product_of_fields_right(rows, rng):
    return sum(r["age"] * r["n"] for r in rows) + rng.laplace(0, 900.0)


@A(RD)
def difference_of_groups(rows, rng):
    f = [r["age"] for r in rows if r["sex"] == "f"]
    m = [r["age"] for r in rows if r["sex"] == "m"]
    return sum(f) - sum(m) + rng.laplace(0, 99.0)


@R(RD)
def difference_of_groups_right(rows, rng):
    f = [r["age"] for r in rows if r["sex"] == "f"]
    m = [r["age"] for r in rows if r["sex"] == "m"]
    return sum(f) - sum(m) + rng.laplace(0, 100.0)


@A(RRP)
def difference_of_groups_replace(rows, rng):
    f = [r["age"] for r in rows if r["sex"] == "f"]
    m = [r["age"] for r in rows if r["sex"] == "m"]
    return sum(f) - sum(m) + rng.laplace(0, 199.0)


@R(RRP)
def difference_of_groups_replace_right(rows, rng):
    f = [r["age"] for r in rows if r["sex"] == "f"]
    m = [r["age"] for r in rows if r["sex"] == "m"]
    return sum(f) - sum(m) + rng.laplace(0, 200.0)


@A(RRP)
def share_of_group_replace(rows, rng):
    f = [r for r in rows if r["sex"] == "f"]
    return len(f) / len(rows) + rng.laplace(0, 0.9 / len(rows))


@R(RRP)
def share_of_group_replace_right(rows, rng):
    f = [r for r in rows if r["sex"] == "f"]
    return len(f) / len(rows) + rng.laplace(0, 1.0 / len(rows))


@A(RRP)
def group_mean_replace(rows, rng):
    f = [r["age"] for r in rows if r["sex"] == "f"]
    return sum(f) / max(len(f), 1) + rng.laplace(0, 100.0 / len(rows))


@A(RRP)
def two_groups_replace(rows, rng):
    c = {k: 0 for k in SEXES}
    for r in rows:
        c[r["sex"]] += 1
    return [c[k] + rng.laplace(0, 1.0) for k in SEXES]


@R(RRP)
def two_groups_replace_right(rows, rng):
    c = {k: 0 for k in SEXES}
    for r in rows:
        c[r["sex"]] += 1
    return [c[k] + rng.laplace(0, 2.0) for k in SEXES]


@dataclass(frozen=True)
class Spec:
    field: str = "age"
    low: float = 0.0
    high: float = 50.0
    epsilon: float = 1.0

    @property
    def width(self):
        return self.high - self.low

    def clipped(self, row):
        return min(max(row[self.field], self.low), self.high)

    def scale(self):
        return self.width / self.epsilon


SPEC = Spec()
SHIFTED = Spec(low=20.0, high=60.0)
COUNTS = Spec(field="n", low=0, high=5)


@A(RD)
def spec_width_of_shifted(rows, rng):
    return sum(SHIFTED.clipped(r) for r in rows) + rng.laplace(0, SHIFTED.scale())


@R(RD)
def spec_width_right(rows, rng):
    return sum(SPEC.clipped(r) for r in rows) + rng.laplace(0, SPEC.scale())


@A(RD)
def spec_twice(rows, rng):
    return [sum(s.clipped(r) for r in rows) + rng.laplace(0, s.scale()) for s in (SPEC, COUNTS)]


class Accountant:
    def __init__(self, total, parts):
        self.total = total
        self.parts = parts

    def share(self):
        return self.total / self.parts

    def release(self, value, sensitivity, rng):
        return value + rng.laplace(scale=sensitivity / self.share())


ACC = Accountant(1.0, 2)


@A(RD)
def accountant_three_of_two(rows, rng):
    n = ACC.release(len(rows), 1.0, rng)
    a = ACC.release(sum(r["age"] for r in rows), 100.0, rng)
    k = ACC.release(sum(r["n"] for r in rows), 9.0, rng)
    return n, a, k


@R(RD)
def accountant_two_of_two(rows, rng):
    n = ACC.release(len(rows), 1.0, rng)
    a = ACC.release(sum(r["age"] for r in rows), 100.0, rng)
    return n, a


@A(RD)
def accountant_wrong_sensitivity(rows, rng):
    return ACC.release(sum(r["age"] * 2 for r in rows), 99.0, rng)


def released(rows, get, cap, eps, rng):
    return sum(min(get(r), cap) for r in rows) + rng.laplace(scale=cap / eps)


@A(RD)
def getter_that_scales(rows, rng):
    return released(rows, lambda r: -r["age"], 1.0, 1.0, rng)


@A(RD)
def getter_twice(rows, rng):
    return released(rows, lambda r: r["age"], 10.0, 0.6, rng), released(rows, lambda r: r["n"], 5, 0.6, rng)


@R(RD)
def getter_twice_right(rows, rng):
    return released(rows, lambda r: r["age"], 10.0, 0.5, rng), released(rows, lambda r: r["n"], 5, 0.5, rng)


half = partial(released, cap=1.0, eps=1.0)


@A(RD)
def partial_with_other_eps(rows, rng):
    return half(rows, lambda r: r["age"], eps=2.0, rng=rng)


@A(TD)
def tuple_fields_wrong_order(rows, rng):
    return sum(n for sex, n, age in rows) + rng.laplace(0, 9.0)


@A(TD)
def tuple_index_wrong(rows, rng):
    return sum(r[1] for r in rows) + rng.laplace(0, 9.0)


@A(TD)
def tuple_unpacked_star(rows, rng):
    return sum(rest[0] for sex, *rest in rows) + rng.laplace(0, 9.0)


@A(TD)
def tuple_zip_star(rows, rng):
    sexes, ages, ns = zip(*rows)
    return sum(ages) + rng.laplace(0, 9.0)


@A(TD)
def tuple_conditional_weight(rows, rng):
    return sum((2 if sex == "f" else 1) * min(age, 50.0) for sex, age, n in rows) + rng.laplace(0, 50.0)


@A(TD)
def tuple_chained_condition(rows, rng):
    return sum(1 for sex, age, n in rows if 18 <= age <= 65 or n > 2) + rng.laplace(0, 0.9)


@A(TD)
def tuple_bool_sum(rows, rng):
    return sum((sex == "f") + (age > 18) for sex, age, n in rows) + rng.laplace(0, 1.0)


@A(TD)
def tuple_and_returns_value(rows, rng):
    return sum(n and age for sex, age, n in rows) + rng.laplace(0, 9.0)


@A(TD)
def tuple_or_returns_value(rows, rng):
    return sum(n or age for sex, age, n in rows) + rng.laplace(0, 9.0)


@A(CD)
def columns_mean_income(d, rng):
    inc = np.clip(d["inc"], 0, 500)
    return inc.sum() + rng.laplace(0, 500.0), len(d["age"]) + rng.laplace(0, 1.0)


@A(CD)
def columns_income_by_k(d, rng):
    out = []
    for k in range(4):
        out.append(d["inc"][d["k"] <= k].sum() + rng.laplace(0, 1000.0))
    return out


@R(CD)
def columns_income_by_k_right(d, rng):
    out = []
    for k in range(4):
        out.append(d["inc"][d["k"] == k].sum() + rng.laplace(0, 1000.0))
    return out


@A(CD)
def columns_covariance(d, rng):
    a = np.clip(d["age"], 0, 100) / 100
    i = np.clip(d["inc"], 0, 1000) / 1000
    return (a * i).sum() + rng.laplace(0, 2.0), a.sum() + rng.laplace(0, 2.0), i.sum() + rng.laplace(0, 2.0)


@R(CD)
def columns_covariance_right(d, rng):
    a = np.clip(d["age"], 0, 100) / 100
    i = np.clip(d["inc"], 0, 1000) / 1000
    return (a * i).sum() + rng.laplace(0, 3.0), a.sum() + rng.laplace(0, 3.0), i.sum() + rng.laplace(0, 3.0)


@A(CD)
def columns_weighted_bincount(d, rng):
    return np.bincount(d["k"], weights=d["age"], minlength=4) + rng.laplace(0, 1.0, 4)


@A(CD)
def columns_bincount_doubled(d, rng):
    b = np.bincount(d["k"], minlength=4)
    return b + b[::-1] + rng.laplace(0, 1.0, 4)


@A(CD)
def columns_bincount_cumulated(d, rng):
    b = np.bincount(d["k"], minlength=4)
    return np.array([b[0], b[0] + b[1], b[0] + b[1] + b[2]]) + rng.laplace(0, 2.0, 3)


@A(CD)
def columns_bincount_matrix(d, rng):
    b = np.bincount(d["k"], minlength=4)
    return b.astype(float) @ np.tril(np.ones((4, 4))) + rng.laplace(0, 3.0, 4)


@R(CD)
def columns_bincount_matrix_right(d, rng):
    b = np.bincount(d["k"], minlength=4)
    return b.astype(float) @ np.tril(np.ones((4, 4))) + rng.laplace(0, 4.0, 4)


@A(CD)
def columns_ratio(d, rng):
    return (d["inc"] / np.maximum(d["age"], 1)).sum() + rng.laplace(0, 500.0)


@A(CD)
def columns_groupby_unique(d, rng):
    return {int(k): (d["k"] == k).sum() + rng.laplace(0, 1.0) for k in np.unique(d["k"])}


@A(CD)
def columns_mask_by_other(d, rng):
    rich = d["inc"] > 500
    return d["age"][rich].sum() + rng.laplace(0, 100.0), rich.sum() + rng.laplace(0, 1.0)


@A(CD)
def columns_rank(d, rng):
    return np.argsort(d["inc"]).sum() + rng.laplace(0, 1.0)


@A(CD)
def columns_zip_weights(d, rng):
    return sum(a * k for a, k in zip(d["age"], d["k"])) + rng.laplace(0, 299.0)


@R(CD)
def columns_zip_weights_right(d, rng):
    return sum(a * k for a, k in zip(d["age"], d["k"])) + rng.laplace(0, 300.0)


@A(UR)
def users_two_shops(rows, rng):
    c = {s: 0 for s in "abc"}
    for r in rows:
        c[r["shop"]] += 1
    return [c[s] + rng.laplace(0, 1.0) for s in "abc"]


@R(UR)
def users_two_shops_right(rows, rng):
    c = {"a": 0, "b": 0, "c": 0}
    for r in rows:
        c[r["shop"]] += 1
    return [c[s] + rng.laplace(0, 3.0) for s in ("a", "b", "c")]


@A(UR)
def users_seen_set(rows, rng):
    seen = set()
    t = 0
    for r in rows:
        if r["user"] not in seen:
            seen.add(r["user"])
            t += 1
    return t + rng.laplace(0, 0.5)


@A(UR, claim="GDP(mu=1)")
def users_gauss_root(rows, rng):
    c = [0.0, 0.0, 0.0]
    for r in rows:
        c[0 if r["shop"] == "a" else 1 if r["shop"] == "b" else 2] += 1
    return [v + rng.normal(0, math.sqrt(3)) for v in c]


@R(UR, claim="GDP(mu=1)")
def users_gauss_three(rows, rng):
    c = [0.0, 0.0, 0.0]
    for r in rows:
        c[0 if r["shop"] == "a" else 1 if r["shop"] == "b" else 2] += 1
    return [v + rng.normal(0, 3.0) for v in c]


@A(UR)
def users_capped_at_one_total(rows, rng):
    return min(sum(r["spent"] for r in rows if r["user"] == "u"), 1.0) + rng.laplace(0, 1.0)


@A(UR)
def users_particular(rows, rng):
    return sum(r["spent"] for r in rows if r["user"] == "u") + rng.laplace(0, 2.0)


# ---------- Natural mistakes, four: norms, gradients, matrices, and claims of each kind.
G1, Z5 = "GDP(mu=1)", "ZCDP(rho=0.5)"
AP = "ApproxDP(epsilon=1, delta=1e-5)"
RDP2 = "RDP(order=2, epsilon=1)"


def l2(v):
    return np.sqrt((v**2).sum(axis=1))[:, None]


def clip_rows(X, c):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.minimum(1.0, c / np.maximum(n, c))


@A(XW, claim=G1)
def norm_clip_no_floor(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / n).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_clip_over_min(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X / np.minimum(n + 1e-9, 1.0)).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_clip_scale_up(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.maximum(1.0, 1.0 / np.maximum(n, 1e-6))).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_of_columns(X, rng):
    n = np.linalg.norm(X, axis=0)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_of_whole(X, rng):
    n = np.linalg.norm(X)
    return (X / max(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_squared_not_rooted(X, rng):
    n = (X**2).sum(axis=1)[:, None]
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 0.99, 2)


@A(XW, claim=G1)
def norm_rooted_twice(X, rng):
    n = np.sqrt(np.linalg.norm(X, axis=1, keepdims=True))
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_of_other_matrix(X, rng):
    n = np.linalg.norm(X - 1, axis=1, keepdims=True)
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_before_shift(X, rng):
    Z = X / np.maximum(l2(X), 1.0) + 0.5
    return Z.sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def norm_then_feature_added(X, rng):
    Z = X / np.maximum(l2(X), 1.0)
    return Z.sum(axis=0) + rng.normal(0, 1.0, 2), len(X) + rng.normal(0, 1.0)


@R(XW, claim=G1)
def norm_then_feature_added_right(X, rng):
    Z = X / np.maximum(l2(X), 1.0)
    return Z.sum(axis=0) + rng.normal(0, math.sqrt(2.0001), 2), len(X) + rng.normal(0, math.sqrt(2.0001))


@A(XW, claim=G1)
def norm_after_scaling_features(X, rng):
    Z = (X / np.maximum(l2(X), 1.0)) @ np.diag([2.0, 0.5])
    return Z.sum(axis=0) + rng.normal(0, 1.9, 2)


@R(XW, claim=G1)
def norm_after_scaling_features_right(X, rng):
    Z = (X / np.maximum(l2(X), 1.0)) @ np.diag([2.0, 0.5])
    return Z.sum(axis=0) + rng.normal(0, 2.0001, 2)


@A(XW, claim=G1)
def norm_after_rotation_by_sum(X, rng):
    Z = (X / np.maximum(l2(X), 1.0)) @ np.array([[1.0, 1.0], [1.0, -1.0]])
    return Z.sum(axis=0) + rng.normal(0, 1.41, 2)


@R(XW, claim=G1)
def norm_after_rotation_by_sum_right(X, rng):
    Z = (X / np.maximum(l2(X), 1.0)) @ np.array([[1.0, 1.0], [1.0, -1.0]])
    return Z.sum(axis=0) + rng.normal(0, 2.0001, 2)


@A(XW)
def l2_clip_with_laplace(X, rng):
    return (X / np.maximum(l2(X), 1.0)).sum(axis=0) + rng.laplace(0, 1.0, 2)


@R(XW)
def l2_clip_with_laplace_right(X, rng):
    return (X / np.maximum(l2(X), 1.0)).sum(axis=0) + rng.laplace(0, 1.4143, 2)


@A(XW)
def linf_clip_laplace_one(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) + rng.laplace(0, 1.0, 2)


@A(XW, claim=G1)
def linf_clip_gauss_one(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW)
def l1_clip_by_l2(X, rng):
    n = np.abs(X).sum(axis=1)[:, None]
    return (X / np.maximum(n, 2.0)).sum(axis=0) + rng.laplace(0, 0.9, 2)


@R(XD)
def l1_clip_right(X, rng):
    n = np.abs(X).sum(axis=1)[:, None]
    return (X / np.maximum(n, 1.0)).sum(axis=0) + rng.laplace(0, 2.0, 2)


@A(XW, claim=G1)
def clip_axis_forgotten(X, rng):
    Z = X * np.minimum(1, 1 / np.maximum(np.abs(X), 1))
    return Z.sum(axis=0) + rng.normal(0, 1.0, 2)


@A(XW, claim=G1)
def mean_gradient_clipped_after(X, rng):
    g = X.sum(axis=0)
    g = g / max(np.linalg.norm(g), 1.0)
    return g + rng.normal(0, 1.0, 2)


@A(XYD, claim=G1)
def logistic_step_residual(d, rng):
    X, y = d
    w = np.array([0.1, -0.2])
    p = 1 / (1 + np.exp(-(X @ w)))
    g = X * (p - y)[:, None]
    return g.sum(axis=0) + rng.normal(0, 1.9, 2)


@A(XYD, claim=G1)
def linear_step_clipped_partly(d, rng):
    X, y = d
    r = np.clip(y - X @ np.array([0.5, 0.5]), -1, 1)
    return (X * r[:, None]).sum(axis=0) + rng.normal(0, 1.0, 2)


@R(XYD, claim=G1)
def linear_step_clipped_right(d, rng):
    X, y = d
    r = np.clip(y - X @ np.array([0.5, 0.5]), -1, 1)
    return (X * r[:, None]).sum(axis=0) + rng.normal(0, 1.4143, 2)


@A(XYD, claim=G1)
def normal_equations_one_budget(d, rng):
    X, y = d
    return X.T @ X + rng.normal(0, 2.0, (2, 2)), X.T @ y + rng.normal(0, math.sqrt(2), 2)


@R(XYD, claim=G1)
def normal_equations_right(d, rng):
    X, y = d
    return X.T @ X + rng.normal(0, 2.83, (2, 2)), X.T @ y + rng.normal(0, 2.001, 2)


@A(XYD, claim=G1)
def normal_equations_with_intercept(d, rng):
    X, y = d
    k = X.T @ X
    return k + rng.normal(0, 2.0, (2, 2)), len(y) + rng.normal(0, 10.0)


@A(XYD, claim=G1)
def normal_equations_upper_noise(d, rng):
    X, y = d
    e = rng.normal(0, 2.0, (2, 2))
    return X.T @ X + (e + e.T) / 2


@A(XYD, claim=Z5)
def gd_three_steps(d, rng):
    X, y = d
    w = np.zeros(2)
    for _ in range(3):
        g = np.clip(X * y[:, None], -1, 1).sum(axis=0) + rng.normal(0, 1.42, 2)
        w = w - 0.1 * g
    return w


@R(XYD, claim=Z5)
def gd_three_steps_right(d, rng):
    X, y = d
    w = np.zeros(2)
    for _ in range(3):
        g = np.clip(X * y[:, None], -1, 1).sum(axis=0) + rng.normal(0, 1.42 * math.sqrt(3), 2)
        w = w - 0.1 * g
    return w


@A(FD, claim=G1)
def gauss_variance_as_sd(x, rng):
    return x.sum() + rng.normal(0, 1.0**2 / 2)


@A(FD, claim=Z5)
def zcdp_sigma_two_rho(x, rng):
    rho = 0.5
    return x.sum() + rng.normal(0, math.sqrt(1 / (4 * rho)))


@R(FD, claim=Z5)
def zcdp_sigma_right(x, rng):
    rho = 0.5
    return x.sum() + rng.normal(0, math.sqrt(1 / (2 * rho)))


@A(FD, claim=Z5)
def zcdp_two_of_full(x, rng):
    return x.sum() + rng.normal(0, 1.0), len(x) + rng.normal(0, 5.0)


@R(FD, claim=Z5)
def zcdp_thirds(x, rng):
    s = math.sqrt(2) * 1.000001
    return x.sum() + rng.normal(0, s), len(x) + rng.normal(0, s)


@A(FD, claim=Z5)
def zcdp_laplace_equal_eps(x, rng):
    return x.sum() + rng.laplace(0, 0.99)


@R(FD, claim=Z5)
def zcdp_laplace_right(x, rng):
    return x.sum() + rng.laplace(0, 1.0)


@A(FD, claim=AP)
def classical_gauss(x, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 1.3
    return x.sum() + rng.normal(0, sigma)


@R(FD, claim=AP)
def classical_gauss_right(x, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 1.0
    return x.sum() + rng.normal(0, sigma)


@A(FD, claim=AP)
def classical_gauss_no_two(x, rng):
    sigma = math.sqrt(math.log(1.25 / 1e-5))
    return x.sum() + rng.normal(0, sigma)


@A(FD, claim=AP)
def classical_gauss_log10(x, rng):
    sigma = math.sqrt(2 * math.log10(1.25 / 1e-5))
    return x.sum() + rng.normal(0, sigma)


@A(XW, claim=AP)
def classical_gauss_l1_forgotten(X, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5))
    return np.clip(X, -1, 1).sum(axis=0) + rng.normal(0, sigma, 2)


@A(FD, claim="ApproxDP(epsilon=4, delta=1e-5)")
def classical_gauss_large_eps(x, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 6.0
    return x.sum() + rng.normal(0, sigma)


@A(FD, claim=AP)
def mixture_of_both(x, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.6
    return x.sum() + rng.normal(0, sigma), len(x) + rng.laplace(0, 1 / 0.5)


@R(FD, claim=AP)
def mixture_of_both_right(x, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.5
    return x.sum() + rng.normal(0, sigma), len(x) + rng.laplace(0, 1 / 0.5)


@A(FD, claim=AP)
def laplace_for_delta(x, rng):
    return x.sum() + rng.laplace(0, 0.9)


@A(FD, claim=RDP2)
def rdp_gauss_half(x, rng):
    return x.sum() + rng.normal(0, 0.99)


@R(FD, claim=RDP2)
def rdp_gauss_right(x, rng):
    return x.sum() + rng.normal(0, 1.0)


@A(FD, claim="RDP(order=8, epsilon=1)")
def rdp_gauss_order_forgotten(x, rng):
    return x.sum() + rng.normal(0, 1.0)


@A(FD, claim="RDP(order=8, epsilon=1)")
def rdp_laplace(x, rng):
    return x.sum() + rng.laplace(0, 0.7)


@A(FRP, claim=G1)
def gauss_replace_clipped_width(x, rng):
    z = np.clip(2 * x - 1, -1, 1)
    return z.sum() + rng.normal(0, 1.0)


@A(XRP, claim=G1)
def gauss_replace_rows_diagonal(X, rng):
    return X.sum(axis=0) + rng.normal(0, 1.0, 2)


@R(XRP, claim=G1)
def gauss_replace_rows_right(X, rng):
    return X.sum(axis=0) + rng.normal(0, 1.41422, 2)


@A(XWRP, claim=G1)
def gauss_replace_norm_clip_one(X, rng):
    return (X / np.maximum(l2(X), 1.0)).sum(axis=0) + rng.normal(0, 1.0, 2)


@R(XWRP, claim=G1)
def gauss_replace_norm_clip_two(X, rng):
    return (X / np.maximum(l2(X), 1.0)).sum(axis=0) + rng.normal(0, 2.0001, 2)


@A(XWRP, claim=G1)
def fed_average_n(X, rng):
    n = len(X)
    return (X / np.maximum(l2(X), 1.0)).mean(axis=0) + rng.normal(0, 1.0, 2) / n


@R(XWRP, claim=G1)
def fed_average_right(X, rng):
    n = len(X)
    return (X / np.maximum(l2(X), 1.0)).sum(axis=0) / n + rng.normal(0, 2.0001 / n, 2)


@A(XW, claim=G1)
def fed_noise_per_round_shared(X, rng):
    e = rng.normal(0, 1.0, 2)
    Z = X / np.maximum(l2(X), 1.0)
    return [Z.sum(axis=0) + e, 2 * Z.sum(axis=0) + e]


@A(XW, claim=G1)
def fed_weighted_by_samples(X, rng):
    Z = X / np.maximum(l2(X), 1.0)
    w = np.clip(X[:, :1], 0, 5)
    return (Z * w).sum(axis=0) + rng.normal(0, 1.0, 2)


@R(XW, claim=G1)
def fed_weighted_by_samples_right(X, rng):
    Z = X / np.maximum(l2(X), 1.0)
    w = np.clip(X[:, :1], 0, 5)
    return (Z * w).sum(axis=0) + rng.normal(0, 5.001, 2)


@A(X3D, claim=G1)
def three_columns_root_two(X, rng):
    return X.sum(axis=0) + rng.normal(0, math.sqrt(2), 3)


@A(X3D)
def three_columns_mean_of_row(X, rng):
    return X.mean(axis=1).sum() + rng.laplace(0, 0.9)


@A(X3D)
def three_columns_row_max(X, rng):
    return X.max(axis=1).sum() + rng.laplace(0, 0.9)


@A(X3D)
def three_columns_outer_trace(X, rng):
    return (X**2).sum() + rng.laplace(0, 2.9)


@R(X3D)
def three_columns_outer_trace_right(X, rng):
    return (X**2).sum() + rng.laplace(0, 3.0)


@A(X3D)
def three_columns_sliced(X, rng):
    return X[:, 1:].sum(axis=0) + rng.laplace(0, 1.0, 2), X[:, :2].sum(axis=0) + rng.laplace(0, 4.0, 2)


@A(X3D)
def three_columns_reversed(X, rng):
    return (X + X[:, ::-1]).sum(axis=0) + rng.laplace(0, 3.0, 3)


@R(X3D)
def three_columns_reversed_right(X, rng):
    return (X + X[:, ::-1]).sum(axis=0) + rng.laplace(0, 6.0, 3)


@A(X3D)
def three_columns_difference(X, rng):
    return (X[:, 1:] - X[:, :-1]).sum(axis=0) + rng.laplace(0, 2.0, 2)


@A(X3D)
def three_columns_per_record_noise(X, rng):
    return (X + rng.laplace(0, 3.0, X.shape)).sum(axis=0)


@A(X3D)
def three_columns_vector_scale(X, rng):
    return X.sum(axis=0) + rng.laplace(0, np.array([3.0, 3.0, 1.0]))


@R(X3D)
def three_columns_vector_scale_right(X, rng):
    return X.sum(axis=0) + rng.laplace(0, np.array([3.0, 3.0, 3.0]))


@R(X3D)
def three_columns_uneven_budget(X, rng):
    return X.sum(axis=0) + rng.laplace(0, np.array([2.0, 4.0, 4.0]))


@A(X3D)
def three_columns_uneven_budget_wrong(X, rng):
    return X.sum(axis=0) + rng.laplace(0, np.array([2.0, 4.0, 3.0]))


@A(X3D)
def three_columns_scaled_before_uneven(X, rng):
    return (X * np.array([1.0, 2.0, 1.0])).sum(axis=0) + rng.laplace(0, np.array([2.0, 4.0, 4.0]))


@A(X3D)
def three_columns_loop_accumulate(X, rng):
    t = np.zeros(3)
    for row in X:
        t += row
        t += row * row
    return t + rng.laplace(0, 3.0, 3)


@R(X3D)
def three_columns_loop_accumulate_right(X, rng):
    t = np.zeros(3)
    for row in X:
        t += row
        t += row * row
    return t + rng.laplace(0, 6.0, 3)


@A(X3D)
def three_columns_loop_norm(X, rng):
    t = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        if n > 1:
            row = row / n
        t += row
    return t + rng.laplace(0, 1.0, 3)


@R(X3D, claim=G1)
def three_columns_loop_norm_right(X, rng):
    t = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        t += row / max(n, 1.0)
    return t + rng.normal(0, 1.0001, 3)


@A(X3D, claim=G1)
def three_columns_loop_norm_of_total(X, rng):
    t = np.zeros(3)
    for row in X:
        t += row
        t /= max(np.linalg.norm(t), 1.0)
    return t + rng.normal(0, 1.0, 3)


@A(XD)
def kmeans_assign_both(X, rng):
    a, b = np.array([0.2, 0.2]), np.array([0.8, 0.8])
    near = ((X - a) ** 2).sum(axis=1) <= ((X - b) ** 2).sum(axis=1)
    far = ((X - a) ** 2).sum(axis=1) >= ((X - b) ** 2).sum(axis=1)
    return near.sum() + rng.laplace(0, 1.0), far.sum() + rng.laplace(0, 1.0)


@A(XD)
def kmeans_sums_one_budget(X, rng):
    a, b = np.array([0.2, 0.2]), np.array([0.8, 0.8])
    near = ((X - a) ** 2).sum(axis=1) < ((X - b) ** 2).sum(axis=1)
    return near.sum() + rng.laplace(0, 1.0), X[near].sum(axis=0) + rng.laplace(0, 2.0, 2)


@A(XD)
def correlation_of_standardised(X, rng):
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    return (z[:, 0] * z[:, 1]).sum() + rng.laplace(0, 1.0)


@A(XD)
def one_release_of_two_columns(X, rng):
    return np.array([X[:, 0].sum() + rng.laplace(0, 1.0), X[:, 1].sum() + rng.laplace(0, 1.0)])


@R(XD)
def one_release_of_two_columns_right(X, rng):
    return np.array([X[:, 0].sum() + rng.laplace(0, 2.0), X[:, 1].sum() + rng.laplace(0, 2.0)])


@A(XD)
def complement_columns(X, rng):
    return X[:, 0].sum() + rng.laplace(0, 1.0), (1 - X[:, 0]).sum() + rng.laplace(0, 0.9)


@R(XD)
def complement_columns_right(X, rng):
    return X[:, 0].sum() + rng.laplace(0, 2.0), (1 - X[:, 0]).sum() + rng.laplace(0, 2.0)


@A(KD)
def geometric_one_sided(x, rng):
    return int(x.sum()) + rng.geometric(0.5)


@A(KD)
def geometric_alpha_wrong(x, rng):
    p = 1 - math.exp(-1 / 2)
    return int(x.sum()) + rng.geometric(p) - rng.geometric(p)


@R(KD)
def geometric_right(x, rng):
    p = 1 - math.exp(-1 / 3)
    return int(x.sum()) + rng.geometric(p) - rng.geometric(p)


@A(KD)
def geometric_after_scaling(x, rng):
    p = 1 - math.exp(-1 / 3)
    return 2 * (int(x.sum()) + rng.geometric(p) - rng.geometric(p)), int((x > 1).sum()) + rng.geometric(
        p
    ) - rng.geometric(p)


@A(KD)
def geometric_of_doubled(x, rng):
    p = 1 - math.exp(-1 / 3)
    return 2 * int(x.sum()) + rng.geometric(p) - rng.geometric(p)


@A(KD)
def geometric_different_p(x, rng):
    return int(x.sum()) + rng.geometric(1 - math.exp(-1 / 3)) - rng.geometric(0.9)


@A(KD)
def geometric_shared(x, rng):
    p = 1 - math.exp(-1 / 3)
    g = rng.geometric(p)
    return int(x.sum()) + g - rng.geometric(p), g


@A(FD)
def geometric_on_rounded_sum(x, rng):
    p = 1 - math.exp(-1)
    return round(x.sum()) + rng.geometric(p) - rng.geometric(p)


@A(FD)
def geometric_on_rounded_records(x, rng):
    p = 1 - math.exp(-1)
    return int(sum(round(v * 2) for v in x)) + rng.geometric(p) - rng.geometric(p)


@R(LD)
def geometric_on_rounded_records_right(data, rng):
    p = 1 - math.exp(-1 / 2)
    return sum(round(v * 2) for v in data) + rng.geometric(p) - rng.geometric(p)


# ---------- Natural mistakes, five: combinations of what the reader has separate rules for.
G1 = "GDP(mu=1)"
EDGES = [0.0, 0.25, 0.5, 1.0]
RED = ("a", "b", "c")


@A(FD)
def histogram_total_free(x, rng):
    h, edges = np.histogram(x, bins=4, range=(0, 1))
    return h + rng.laplace(0, 1.0, 4), (h * edges[1:]).sum() + rng.laplace(0, 2.0)


@A(FD)
def histogram_weighted_by_upper_edges(x, rng):
    h, edges = np.histogram(x, bins=4, range=(0, 1))
    return (h * edges[1:] * 4).sum() + rng.laplace(0, 3.9)


@A(FD)
def histogram_edges_shifted(x, rng):
    h, _ = np.histogram(x - 0.5, bins=2, range=(0, 0.5))
    return h * 2 + rng.laplace(0, 1.0, 2)


@A(FD)
def histogram_two_of_halves(x, rng):
    a = np.histogram(x[x < 0.5], bins=2, range=(0, 0.5))[0]
    b = np.histogram(x[x <= 0.5], bins=2, range=(0, 1))[0]
    return a + rng.laplace(0, 1.0, 2), b + rng.laplace(0, 1.0, 2)


@A(FD)
def histogram_closed_edges(x, rng):
    a = np.histogram(x, bins=2, range=(0, 0.5))[0]
    b = np.histogram(x, bins=2, range=(0.5, 1))[0]
    return a + rng.laplace(0, 1.0, 2), b + rng.laplace(0, 1.0, 2)


@A(FD)
def histogram_concatenated_closed(x, rng):
    a = np.histogram(x, bins=[0, 0.5])[0]
    b = np.histogram(x, bins=[0.5, 1])[0]
    return np.concatenate([a, b]) + rng.laplace(0, 1.0, 2)


@R(FD)
def histogram_concatenated_open(x, rng):
    a = np.histogram(x[x < 0.5], bins=[0, 0.5])[0]
    b = np.histogram(x[x >= 0.5], bins=[0.5, 1])[0]
    return np.concatenate([a, b]) + rng.laplace(0, 1.0, 2)


@A(FD)
def histogram_int_bins_of_scaled(x, rng):
    return np.bincount((x * 3).astype(int), minlength=4) * 2 + rng.laplace(0, 1.9, 4)


@A(FD)
def digits_two(x, rng):
    a = np.bincount(np.clip((x * 10).astype(int), 0, 9), minlength=10)
    b = np.bincount(np.clip((x * 100).astype(int) - 10 * (x * 10).astype(int), 0, 9), minlength=10)
    return a + rng.laplace(0, 1.0, 10), b + rng.laplace(0, 1.0, 10)


@A(XD)
def cells_two_d(X, rng):
    i = np.clip((X[:, 0] * 2).astype(int), 0, 1)
    j = np.clip((X[:, 1] * 2).astype(int), 0, 1)
    t = np.bincount(i * 2 + j, minlength=4).reshape(2, 2)
    return t + rng.laplace(0, 1.0, (2, 2)), t.sum(axis=0) + rng.laplace(0, 1.0, 2)


@R(XD)
def cells_two_d_right(X, rng):
    i = np.clip((X[:, 0] * 2).astype(int), 0, 1)
    j = np.clip((X[:, 1] * 2).astype(int), 0, 1)
    t = np.bincount(i * 2 + j, minlength=4).reshape(2, 2)
    return t + rng.laplace(0, 1.0, (2, 2))


@A(XD)
def cells_in_loop(X, rng):
    t = np.zeros((2, 2))
    for row in X:
        t[min(int(row[0] * 2), 1), min(int(row[1] * 2), 1)] += 1
        t[0, 0] += row[0]
    return t + rng.laplace(0, 1.0, (2, 2))


@R(XD)
def cells_in_loop_right(X, rng):
    t = np.zeros((2, 2))
    for row in X:
        t[min(int(row[0] * 2), 1), min(int(row[1] * 2), 1)] += 1
    return t + rng.laplace(0, 1.0, (2, 2))


@A(XD)
def row_added_to_each_row(X, rng):
    t = np.zeros((2, 2))
    for row in X:
        t += row
    return t + rng.laplace(0, 2.0, (2, 2))


@R(XD)
def row_added_to_each_row_right(X, rng):
    t = np.zeros((2, 2))
    for row in X:
        t += row
    return t + rng.laplace(0, 4.0, (2, 2))


@A(XD, claim=G1)
def row_added_to_each_row_gauss(X, rng):
    t = np.zeros((3, 2))
    for row in X:
        t += row
    return t + rng.normal(0, math.sqrt(2) * math.sqrt(2), (3, 2))


@A(XD)
def outer_in_loop(X, rng):
    t = np.zeros((2, 2))
    for row in X:
        t += np.outer(row, row)
    return t + rng.laplace(0, 2.0, (2, 2))


@A(XD)
def number_added_to_all_cells(X, rng):
    t = np.zeros(4)
    for row in X:
        t += row[0]
    return t + rng.laplace(0, 1.0, 4)


@R(XD)
def number_added_to_all_cells_right(X, rng):
    t = np.zeros(4)
    for row in X:
        t += row[0]
    return t + rng.laplace(0, 4.0, 4)


@A(FD)
def scalar_sum_spread_over_array(x, rng):
    return np.ones(5) * x.sum() + rng.laplace(0, 1.0, 5)


@R(FD)
def scalar_sum_spread_over_array_right(x, rng):
    return np.ones(5) * x.sum() + rng.laplace(0, 5.0, 5)


@A(FD)
def scalar_sum_plus_vector_noise(x, rng):
    return x.sum() + rng.laplace(0, 1.0, 5)


@A(FD)
def scalar_sum_plus_vector_noise_mean(x, rng):
    return (x.sum() + rng.laplace(0, 2.0, 5)).mean()


@A(FD, claim=G1)
def scalar_sum_plus_gauss_vector(x, rng):
    return x.sum() + rng.normal(0, 2.0, 5)


@R(FD, claim=G1)
def scalar_sum_plus_gauss_vector_right(x, rng):
    return x.sum() + rng.normal(0, math.sqrt(5.00001), 5)


@A(FD)
def power_weights(x, rng):
    return [(x**k).sum() + rng.laplace(0, 2.0) for k in (1, 2, 2)]


@R(FD)
def power_weights_right(x, rng):
    return [(x**k).sum() + rng.laplace(0, 3.0) for k in (1, 2, 2)]


@A(FD)
def moments_vector(x, rng):
    return np.array([x.sum(), (x**2).sum(), len(x)]) + rng.laplace(0, 2.0, 3)


@A(FD)
def negative_and_positive_scales(x, rng):
    return x.sum() + rng.laplace(0, 1.0) * -0.5


@R(FD)
def negative_scale_right(x, rng):
    return x.sum() + rng.laplace(0, 1.0) * -1.0


@A(FD)
def vector_scale_one_zeroish(x, rng):
    s = np.linspace(0.1, 1.0, 4)
    return np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, s)


@A(FD)
def scale_vector_reversed(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * np.array([1.0, 2.0, 3.0, 4.0])
    return h + rng.laplace(0, np.array([4.0, 3.0, 2.0, 1.0]))


@R(FD)
def scale_vector_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * np.array([1.0, 2.0, 3.0, 4.0])
    return h + rng.laplace(0, np.array([1.0, 2.0, 3.0, 4.0]))


@A(FD)
def scale_vector_times_draw_reversed(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * np.array([1.0, 2.0, 3.0, 4.0])
    e = rng.laplace(size=4) * np.array([1.0, 2.0, 3.0, 4.0])
    return h + e[::-1]


@R(FD)
def scale_vector_times_draw_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * np.array([1.0, 2.0, 3.0, 4.0])
    e = rng.laplace(size=4) * np.array([4.0, 3.0, 2.0, 1.0])
    return h + e[::-1]


@A(FD)
def draw_reshaped_scales(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2) * np.array([1.0, 3.0])
    return h + rng.laplace(size=(2, 2)) * np.array([[1.0], [3.0]])


@R(FD)
def draw_reshaped_scales_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2) * np.array([1.0, 3.0])
    return h + rng.laplace(size=(2, 2)) * np.array([1.0, 3.0])


@A(FD)
def item_set_before_noise(x, rng):
    h = np.zeros(3)
    h[0] = x.sum()
    h[1] = x.sum()
    h[2] = len(x)
    return h + rng.laplace(0, 2.0, 3)


@R(FD)
def item_set_before_noise_right(x, rng):
    h = np.zeros(3)
    h[0] = x.sum()
    h[1] = x.sum()
    h[2] = len(x)
    return h + rng.laplace(0, 3.0, 3)


@A(FD)
def slice_set_before_noise(x, rng):
    h = np.zeros(4)
    h[1:3] = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    h[::3] = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    return h + rng.laplace(0, 1.0, 4)


@R(FD)
def slice_set_before_noise_right(x, rng):
    h = np.zeros(4)
    h[1:3] = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    h[::3] = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    return h + rng.laplace(0, 2.0, 4)


@A(FD)
def item_set_negative_index(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    h[-1] = x.sum()
    h[0] = x.sum()
    return h + rng.laplace(0, 2.0, 4)


@A(FD)
def augmented_item_of_private(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    h[1] += h[0]
    h[2] += h[1]
    h[3] += h[2]
    return h + rng.laplace(0, 3.0, 4)


@R(FD)
def augmented_item_of_private_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    h[1] += h[0]
    h[2] += h[1]
    h[3] += h[2]
    return h + rng.laplace(0, 4.0, 4)


@A(FD)
def matrix_power_of_noise(x, rng):
    M = np.array([[1.0, 1.0], [0.0, 1.0]])
    h = np.histogram(x, bins=2, range=(0, 1))[0]
    return (h @ M) @ M + rng.laplace(0, 2.0, 2)


@R(FD)
def matrix_power_of_noise_right(x, rng):
    M = np.array([[1.0, 1.0], [0.0, 1.0]])
    h = np.histogram(x, bins=2, range=(0, 1))[0]
    return (h @ M) @ M + rng.laplace(0, 3.0, 2)


@A(LD)
def two_loops_same_total(data, rng):
    t = 0.0
    for v in data:
        t += v
    for v in data:
        t += v * v
    return t + rng.laplace(0, 1.5)


@R(LD)
def two_loops_same_total_right(data, rng):
    t = 0.0
    for v in data:
        t += v
    for v in data:
        t += v * v
    return t + rng.laplace(0, 2.0)


@A(LD)
def loop_of_loops_over_known(data, rng):
    t = [0.0] * 3
    for k in range(3):
        for v in data:
            if v >= k / 4:
                t[k] += v
    return [a + rng.laplace(0, 2.0) for a in t]


@A(LD)
def rebound_name_in_loop(data, rng):
    t = 0.0
    for v in data:
        v = v * 2
        v = v + 1 if v > 1 else v
        t += v
    return t + rng.laplace(0, 2.5)


@R(LD)
def rebound_name_in_loop_right(data, rng):
    t = 0.0
    for v in data:
        v = v * 2
        v = v + 1 if v > 1 else v
        t += v
    return t + rng.laplace(0, 3.0)


@A(LD)
def list_grown_twice(data, rng):
    kept = []
    for v in data:
        if v > 0.5:
            kept.append(v)
        kept.append(v)
    return sum(kept) + rng.laplace(0, 1.0)


@A(LD)
def list_grown_and_counted(data, rng):
    kept = []
    for v in data:
        if v > 0.5:
            kept.append(1 + v)
    return sum(kept) + len(kept) + rng.laplace(0, 2.0)


@R(LD)
def list_grown_and_counted_right(data, rng):
    kept = []
    for v in data:
        if v > 0.5:
            kept.append(1 + v)
    return sum(kept) + len(kept) + rng.laplace(0, 3.0)


@A(LD)
def comprehension_of_comprehension(data, rng):
    a = [v * 2 for v in data if v > 0.2]
    b = [v + 1 for v in a if v < 1.5]
    return sum(b) + rng.laplace(0, 2.0)


@R(LD)
def comprehension_of_comprehension_right(data, rng):
    a = [v * 2 for v in data if v > 0.2]
    b = [v + 1 for v in a if v < 1.5]
    return sum(b) + rng.laplace(0, 2.5)


@A(LD)
def comprehension_shadowed_name(data, rng):
    v = 5.0
    a = [v for v in data]
    return sum(a) * v + rng.laplace(0, 4.0)


@A(LD)
def nested_function_default_late(data, rng):
    factor = 1.0

    def f(v, k=factor):
        return v * k * factor

    factor = 3.0
    return sum(f(v) for v in data) + rng.laplace(0, 1.0)


@R(LD)
def nested_function_default_late_right(data, rng):
    factor = 1.0

    def f(v, k=factor):
        return v * k * factor

    factor = 3.0
    return sum(f(v) for v in data) + rng.laplace(0, 3.0)


@A(LD)
def recursion_power(data, rng):
    def power(b, k):
        return 1 if k == 0 else b * power(b, k - 1)

    return sum(2 * power(v, 3) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def while_loop_budget(data, rng):
    left, out = 1.0, []
    while left > 0:
        e = 0.4
        out.append(sum(data) + rng.laplace(0, 1 / e))
        left -= e
    return out


@R(LD)
def while_loop_budget_right(data, rng):
    left, out = 1.0, []
    while left >= 0.4:
        e = 0.4
        out.append(sum(data) + rng.laplace(0, 1 / e))
        left -= e
    return out


@A(LD)
def geometric_series_budget(data, rng):
    return [sum(data) + rng.laplace(0, 2.0**k) for k in range(4)]


@R(LD)
def geometric_series_budget_right(data, rng):
    return [sum(data) + rng.laplace(0, 2.0 ** (k + 1)) for k in range(4)]


@A(LD)
def sparse_vector_reused(data, rng):
    n = sum(data)
    t = 1.0 + rng.laplace(0, 2.0)
    out = []
    for k in range(3):
        out.append(n * k + rng.laplace(0, 4.0) > t)
    return out


@A(LD)
def cond_on_size_then_double(data, rng):
    n = len(data) + rng.laplace(0, 2.0)
    if n > 5:
        return n, sum(data) + rng.laplace(0, 2.0)
    return n, sum(data) + rng.laplace(0, 2.0), len(data) + rng.laplace(0, 5.0)


@A(LRP)
def replace_two_complementary(data, rng):
    a = sum(v for v in data if v > 0.5)
    b = sum(1 - v for v in data if v <= 0.5)
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


@R(LRP)
def replace_two_complementary_right(data, rng):
    a = sum(v for v in data if v > 0.5)
    b = sum(1 - v for v in data if v <= 0.5)
    return a + rng.laplace(0, 2.0), b + rng.laplace(0, 2.0)


@A(LRP)
def replace_difference_from_mean(data, rng):
    n = len(data)
    m = sum(data) / n
    return sum(abs(v - 0.5) for v in data) / n + rng.laplace(0, 0.4 / n), m + rng.laplace(0, 10.0 / n)


@A(LRP)
def replace_counts_hidden_in_n(data, rng):
    n = len(data)
    k = sum(1 for v in data if v > 0.5)
    return (n - k) + rng.laplace(0, 2.0), k + rng.laplace(0, 1.5)


@A(LRP)
def replace_n_weighted(data, rng):
    n = len(data)
    return sum(v * n for v in data) + rng.laplace(0, 5.0)


@A(LRP)
def replace_n_as_scale(data, rng):
    n = len(data)
    return sum(data) + rng.laplace(0, 1.0 / n)


@R(LRP)
def replace_n_as_scale_right(data, rng):
    n = len(data)
    return sum(data) + rng.laplace(0, 1.0 * n)


@A(LRP)
def replace_n_in_branch(data, rng):
    n = len(data)
    s = 1.0 if n < 100 else 0.1
    return sum(data) + rng.laplace(0, s)


@R(LRP)
def replace_n_in_branch_right(data, rng):
    n = len(data)
    s = 1.0 if n < 100 else 2.0
    return sum(data) + rng.laplace(0, s)


@A(LRP)
def replace_n_modulo(data, rng):
    n = len(data)
    return sum(data) * (1 + n % 2) + rng.laplace(0, 1.0)


# ---------- Natural mistakes, six: where the source stands, domains, kinds of records, and what is read around the function.
G1 = "GDP(mu=1)"
ONE, TWO = lambda v: min(v, 1.0), lambda v: min(2 * v, 2.0)
FUNCS = {"one": lambda v: min(v, 1.0), "two": lambda v: min(v * 2, 2.0)}
MULT = [lambda v, k=k: v * k for k in (1.0, 3.0)]


def _closed(k):
    return lambda v: v * k


CLOSED = [_closed(k) for k in (1.0, 3.0)]
PICK = (lambda v: v) if len(FUNCS) > 5 else (lambda v: 4 * v)


def twice(v):
    return 2 * v


OLD = twice


def twice(v):
    return v


def scaled(f, by=2.0):
    def inner(*args, **named):
        return by * f(*args, **named)

    return inner


def deco(f):
    @functools.wraps(f)
    def inner(v):
        return 3 * f(v)

    return inner


@deco
def plainly(v):
    return v


tripled = scaled(twice, 3.0)


@A(LD)
def two_lambdas_on_a_line(data, rng):
    return sum(TWO(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def dict_of_lambdas(data, rng):
    return sum(FUNCS["two"](v) for v in data) + rng.laplace(0, 1.0)


@R(LD)
def dict_of_lambdas_right(data, rng):
    return sum(FUNCS["two"](v) for v in data) + rng.laplace(0, 2.0)


@A(LD)
def lambdas_with_defaults(data, rng):
    return sum(MULT[1](v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def lambdas_with_cells(data, rng):
    return sum(CLOSED[1](v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def conditional_lambda(data, rng):
    return sum(PICK(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def old_definition(data, rng):
    return sum(OLD(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def wrapped_by_closure(data, rng):
    return sum(tripled(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def wrapped_by_decorator(data, rng):
    return sum(plainly(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def inner_lambda_of_two(data, rng):
    f, g = lambda v: v, lambda v: 2 * v
    return sum(g(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def lambda_reads_later_value(data, rng):
    k = 1.0
    f = lambda v: v * k
    k = 2.0
    return sum(f(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def lambda_in_loop_reads_last(data, rng):
    fs = []
    for k in (1.0, 2.0):
        fs.append(lambda v: v * k)
    return sum(fs[0](v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def comprehension_lambdas_read_last(data, rng):
    fs = [lambda v: v * k for k in (1.0, 2.0)]
    return sum(fs[0](v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def default_evaluated_once(data, rng):
    scale = 1.0

    def noise(s=scale):
        return rng.laplace(0, s)

    scale = 5.0
    return sum(data) * 2 + noise()


@A(LD)
def conditional_definition(data, rng):
    if len("ab") == 2:

        def f(v):
            return 2 * v
    else:

        def f(v):
            return v

    return sum(f(v) for v in data) + rng.laplace(0, 1.0)


@A(LD)
def argument_mutated_in_helper(data, rng):
    box = [1.0]

    def change(b):
        b[0] = 0.1
        return 0

    change(box)
    return sum(data) + rng.laplace(0, box[0])


@A(LD)
def list_aliased_in_helper(data, rng):
    box = [1.0, 2.0]
    same = box
    same.append(0.1)
    return sum(data) + rng.laplace(0, box[-1])


@A(LD)
def list_copied_then_changed(data, rng):
    box = [1.0, 0.1]
    other = box.copy()
    other[1] = 1.0
    return sum(data) + rng.laplace(0, box[1])


@A(LD)
def extend_and_min(data, rng):
    box = [1.0]
    box.extend([0.1, 3.0])
    return sum(data) + rng.laplace(0, min(box))


@A(LD)
def dict_updated_by_key(data, rng):
    d = {"eps": 1.0}
    e = dict(d)
    e["eps"] = 5.0
    return sum(data) + rng.laplace(0, 1 / e["eps"])


@A(LD)
def keyword_swapped(data, rng):
    def release(v, eps=1.0, sens=1.0):
        return v + rng.laplace(0, sens / eps)

    return release(sum(data), 1.0, sens=0.2)


@A(LD)
def positional_swapped(data, rng):
    return sum(data) + rng.laplace(0.5, 0.5)


@A(LD)
def starred_arguments(data, rng):
    return sum(data) + rng.laplace(*(0.0, 0.5))


@A(LD)
def starred_keywords(data, rng):
    return sum(data) + rng.laplace(**{"loc": 0.0, "scale": 0.5})


@R(LD)
def starred_keywords_right(data, rng):
    return sum(data) + rng.laplace(**{"loc": 0.0, "scale": 1.0})


@A(LD)
def integer_division_of_eps(data, rng):
    return sum(data) + rng.laplace(0, max(3 // 4, 0.5))


@A(LD)
def precedence_of_scale(data, rng):
    eps = 2
    return sum(data) + rng.laplace(0, 1 / eps * 1)


@A(LD)
def power_precedence(data, rng):
    return sum(data) + rng.laplace(0, -((-2) ** -1))


@A(LD)
def chained_comparison_scale(data, rng):
    return sum(data) + rng.laplace(0, 1.0 if 3 > 2 > 2 else 0.5)


@A(LD)
def boolean_scale(data, rng):
    return sum(data) * 2 + rng.laplace(0, True)


@A(LD)
def or_default_scale(data, rng):
    s = 0 or 0.5
    return sum(data) + rng.laplace(0, s)


@A(LD)
def string_number_scale(data, rng):
    return sum(data) + rng.laplace(0, float("0.5"))


@A(LD)
def round_scale_bankers(data, rng):
    return sum(data) + rng.laplace(0, max(round(0.5), 0.25))


@A(LD)
def range_step_scale(data, rng):
    return sum(data) + rng.laplace(0, list(range(3, 0, -1))[-1] / 2)


@A(LD)
def sum_of_known_then_scale(data, rng):
    return sum(data) + rng.laplace(0, sum([0.1] * 5))


@A(LD)
def sorted_known_scale(data, rng):
    return sum(data) + rng.laplace(0, sorted((3.0, 0.5, 1.0))[0])


@A(LD)
def zip_known_truncates(data, rng):
    return [sum(data) * k + rng.laplace(0, s) for k, s in zip((1.0, 2.0, 9.0), (2.0, 3.0))]


@A(LD)
def enumerate_start(data, rng):
    return [sum(data) + rng.laplace(0, 2.0 / i) for i, _ in enumerate("ab", 1)]


@R(LD)
def enumerate_start_right(data, rng):
    return [sum(data) + rng.laplace(0, 3.0 / i) for i, _ in enumerate("ab", 1)]


@A(LD)
def numpy_arange_budget(data, rng):
    return [sum(data) + rng.laplace(0, 1 / e) for e in np.arange(0.2, 0.6, 0.2)]


@A(LD)
def linspace_budget(data, rng):
    return [sum(data) + rng.laplace(0, 1 / e) for e in np.linspace(0.1, 0.5, 4)]


@A(LD)
def method_chain_known(data, rng):
    s = np.array([0.5, 2.0]).min()
    return sum(data) + rng.laplace(0, s)


def eps_default(data, rng, eps=2.0):
    return sum(data) + rng.laplace(0, 1 / eps)


ATTACKS["eps_default_bound"] = dict(LD, claim="PureDP(epsilon=1)", f=partial(eps_default, eps=2.0))
RIGHT["eps_default_bound_right"] = dict(LD, claim="PureDP(epsilon=1)", f=partial(eps_default, eps=1.0))


class Mech:
    scale = 1.0

    def __init__(self, eps):
        self.scale = 1 / eps

    def __call__(self, data, rng):
        return sum(data) + rng.laplace(0, self.scale)

    def twice(self, data, rng):
        return self(data, rng), self(data, rng)


class Child(Mech):
    def __init__(self):
        super().__init__(1.0)
        self.factor = 2.0

    def __call__(self, data, rng):
        return self.factor * sum(data) + rng.laplace(0, self.scale)


ATTACKS["mech_of_two"] = dict(LD, claim="PureDP(epsilon=1)", f=Mech(2.0))
ATTACKS["mech_twice"] = dict(LD, claim="PureDP(epsilon=1)", f=Mech(1.0).twice)
ATTACKS["mech_child"] = dict(LD, claim="PureDP(epsilon=1)", f=Child())
RIGHT["mech_of_one"] = dict(LD, claim="PureDP(epsilon=1)", f=Mech(1.0))

NRM = dict(data=np.array([[0.5, 0.5], [0.25, 0.5]]), records="row(2, float(-1, 1), norm=1.0)", bounds=None)
F32B = dict(
    data=np.array([0.05, 0.0625], dtype=np.float32),
    bounds="0:0.1",
    d0=np.array([], dtype=np.float32),
    d1=np.array([0.1], dtype=np.float32),
)
INTF = dict(data=np.array([1, 2]), bounds="0.5:3.5")


@A(F32B)
def float32_rounds_up(x, rng):
    return x.astype(float).sum() + rng.laplace(0, 0.1)


@A(FD)
def half_open_bins_and_top(x, rng):
    return [((x >= a) & (x <= a + 0.25)).sum() + rng.laplace(0, 1.0) for a in (0.0, 0.25, 0.5, 0.75)]


@R(FD)
def half_open_bins_right(x, rng):
    return [((x >= a) & (x < a + 0.25)).sum() + rng.laplace(0, 1.0) for a in (0.0, 0.25, 0.5, 0.75)]


@A(FD)
def threshold_ladder(x, rng):
    return [(x > t).sum() + rng.laplace(0, 3.9) for t in (0.0, 0.25, 0.5, 0.75)]


@A(FD)
def peeled_top_two(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    out = []
    for _ in range(2):
        b = int(np.argmax(h + rng.laplace(0, 1.0, 4)))
        out.append(b)
        h[b] = -1000.0
    return out


@R(FD)
def peeled_top_two_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    out = []
    for _ in range(2):
        b = int(np.argmax(h + rng.laplace(0, 2.0, 4)))
        out.append(b)
        h[b] = -1000.0
    return out


@A(FD)
def replaced_by_noisy_then_whole(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    b = int(np.argmax(h + rng.laplace(0, 2.0, 4)))
    h[b] = h[b] * 2
    return b, h + rng.laplace(0, 2.0, 4)


@R(FD)
def replaced_by_noisy_then_whole_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    b = int(np.argmax(h + rng.laplace(0, 2.0, 4)))
    h[b] = h[b] * 2
    return b, h + rng.laplace(0, 4.0, 4)


@A(FD)
def masked_counts_product(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    keep = h + rng.laplace(0, 2.0, 4) > 0
    return keep, h * keep + rng.laplace(0, 1.0, 4)


@R(FD)
def masked_counts_product_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    keep = h + rng.laplace(0, 2.0, 4) > 0
    return keep, h * keep + rng.laplace(0, 2.0, 4)


@A(FD)
def weighted_by_released_vector(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    w = np.clip(h + rng.laplace(0, 2.0, 4), 0, 3)
    return w, (h * w).sum() + rng.laplace(0, 2.0)


@R(FD)
def weighted_by_released_vector_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    w = np.clip(h + rng.laplace(0, 2.0, 4), 0, 3)
    return w, h * w + rng.laplace(0, 6.0, 4)


@A(FD)
def running_noise_index(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    n = h + rng.laplace(0, 2.0, 4)
    i = 0
    while i < 3 and n[i] < 0.5:
        i += 1
    return i, h[i] + rng.laplace(0, 1.0)


@R(FD)
def running_noise_index_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    n = h + rng.laplace(0, 2.0, 4)
    i = 0
    while i < 3 and n[i] < 0.5:
        i += 1
    return i, h[i] + rng.laplace(0, 2.0)


@A(FD)
def item_of_released_changed_in_loop(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, 4)
    for i in range(4):
        if n[i] < 0:
            n[i] = 0.0
    n[0] = x.sum()
    return n


@A(FD)
def released_dict_refilled(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0]
    d = {}
    for i, v in enumerate(n):
        d[i] = v + rng.laplace(0, 1.0)
        if d[i] > 2:
            d[i] = v + rng.laplace(0, 0.5)
    return d


@R(FD)
def released_dict_refilled_right(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0]
    d = {}
    for i, v in enumerate(n):
        d[i] = v + rng.laplace(0, 2.0)
        if d[i] > 2:
            d[i] = v + rng.laplace(0, 2.0)
    return d


# ---------- Natural mistakes, seven: unbounded whole numbers, texts, two dimensions, and where Python's and numpy's types meet.
G1 = "GDP(mu=1)"
IA = dict(data=[1, 2], d0=[], d1=[-(10**30)])
KA = dict(data=np.array([1, 2]), d0=np.array([], dtype=int), d1=np.array([np.iinfo(np.int64).min]))


@A(IA)
def int_clip_low_only(data, rng):
    return sum(max(v, 0) for v in data) + rng.laplace(0, 1.0)


@A(IA)
def int_clip_abs(data, rng):
    return sum(min(abs(v), 5) for v in data) + rng.laplace(0, 4.0)


@R(IA)
def int_clip_abs_right(data, rng):
    return sum(min(abs(v), 5) for v in data) + rng.laplace(0, 5.0)


@A(IA)
def int_last_digit(data, rng):
    return sum(v % 10 for v in data) + rng.laplace(0, 8.9)


@R(IA)
def int_last_digit_right(data, rng):
    return sum(v % 10 for v in data) + rng.laplace(0, 9.0)


@A(IA)
def int_parity_both(data, rng):
    c = [0, 0]
    for v in data:
        c[v % 2] += 1
        c[(v // 2) % 2] += 1
    return [k + rng.laplace(0, 1.0) for k in c]


@A(IA)
def int_weekday_month(data, rng):
    day = [0] * 7
    month = [0] * 12
    for v in data:
        day[v % 7] += 1
        month[v // 30 % 12] += 1
    return [k + rng.laplace(0, 1.0) for k in day], [k + rng.laplace(0, 1.0) for k in month]


@A(IA)
def int_to_float_clip(data, rng):
    return sum(min(max(float(v), 0.0), 1.0) for v in data) + rng.laplace(0, 0.9)


@A(IA)
def int_half(data, rng):
    return sum(min(max(v, 0), 10) / 2 for v in data) + rng.laplace(0, 4.9)


@A(IA)
def int_shift_then_mod(data, rng):
    return sum((v + 3) % 5 - 2 for v in data) + rng.laplace(0, 1.9)


@R(IA)
def int_shift_then_mod_right(data, rng):
    return sum((v + 3) % 5 - 2 for v in data) + rng.laplace(0, 2.0)


@A(IA)
def int_in_list(data, rng):
    return sum(1 for v in data if v in (1, 2, 3)) + sum(1 for v in data if v in [3, 4]) + rng.laplace(0, 1.0)


@A(IA)
def int_dict_lookup(data, rng):
    w = {1: 1.0, 2: 5.0}
    return sum(w.get(v, 0.5) for v in data) + rng.laplace(0, 4.0)


@R(IA)
def int_dict_lookup_right(data, rng):
    w = {1: 1.0, 2: 5.0}
    return sum(w.get(v, 0.5) for v in data) + rng.laplace(0, 5.0)


@A(IA)
def int_truth(data, rng):
    return sum(3 if v else -1 for v in data) + rng.laplace(0, 2.0)


@A(IA)
def int_nested_lookup(data, rng):
    w = [[1, 2], [3, 4]]
    return sum(w[v % 2][v // 2 % 2] for v in data) + rng.laplace(0, 3.0)


@R(IA)
def int_nested_lookup_right(data, rng):
    w = [[1, 2], [3, 4]]
    return sum(w[v % 2][v // 2 % 2] for v in data) + rng.laplace(0, 4.0)


@A(KA)
def np_int_abs_min(x, rng):
    return np.minimum(np.abs(x), 1).sum() + rng.laplace(0, 1.0)


@A(KA)
def np_int_wrap_plus_one(x, rng):
    return np.clip(x + 1, 0, 1).sum() + rng.laplace(0, 0.9)


@A(KA)
def np_int_negated(x, rng):
    return np.clip(-x, 0, 1).sum() + rng.laplace(0, 1.0)


@A(KA)
def np_int_product(x, rng):
    return np.clip(x * x, 0, 1).sum() + rng.laplace(0, 1.0)


@A(KA)
def np_int_mod_then_product(x, rng):
    y = x % 100
    return (y * y % 7).sum() + rng.laplace(0, 5.0)


@R(KA)
def np_int_mod_then_product_right(x, rng):
    y = x % 100
    return (y * y % 7).sum() + rng.laplace(0, 6.0)


@A(KA)
def np_int_as_float_clip(x, rng):
    return np.clip(x.astype(float) / 2, 0, 1).sum() + rng.laplace(0, 0.9)


@A(KA)
def np_int_loop_total(x, rng):
    t = 0
    for v in x:
        t += min(max(v, -3), 2)
    return t + rng.laplace(0, 2.0)


@R(KA)
def np_int_loop_total_right(x, rng):
    t = 0
    for v in x:
        t += min(max(v, -3), 2)
    return t + rng.laplace(0, 3.0)


@A(KA)
def np_int_onehot_compare(x, rng):
    return [(x == k).sum() + (x >= k).sum() + rng.laplace(0, 2.0) for k in (0, 1)]


@A(KA)
def np_int_bincount_of_mod(x, rng):
    return np.bincount(x % 4, minlength=4) + np.bincount(x // 4 % 4, minlength=4) + rng.laplace(0, 1.0, 4)


@R(KA)
def np_int_bincount_of_mod_right(x, rng):
    return np.bincount(x % 4, minlength=4) + np.bincount(x // 4 % 4, minlength=4) + rng.laplace(0, 2.0, 4)


@A(FD)
def mask_of_table(x, rng):
    t = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2)
    n = t + rng.laplace(0, 1.0, (2, 2))
    big = n > 1
    n[big] = 1.0
    return n, big[0], (t * big).sum() + rng.laplace(0, 1.0)


@A(FD)
def mask_row_of_table(x, rng):
    t = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2)
    n = t + rng.laplace(0, 2.0, (2, 2))
    keep = n[0] > n[1]
    return keep, t[0] * keep + t[1] * keep + rng.laplace(0, 1.0, 2)


@R(FD)
def mask_row_of_table_right(x, rng):
    t = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2)
    n = t + rng.laplace(0, 2.0, (2, 2))
    keep = n[0] > n[1]
    return keep, t[0] * keep + rng.laplace(0, 2.0, 2)


@A(FD)
def mask_inverted(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    keep = h + rng.laplace(0, 2.0, 4) > 0
    return h * keep + rng.laplace(0, 2.0, 4), h * ~keep + rng.laplace(0, 2.0, 4), keep


@R(FD)
def mask_inverted_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0] * 1.0
    keep = h + rng.laplace(0, 3.0, 4) > 0
    return h * keep + rng.laplace(0, 3.0, 4), h * ~keep + rng.laplace(0, 3.0, 4), keep


@A(FD)
def table_transposed_release(x, rng):
    t = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2)
    return t.T + t + rng.laplace(0, 1.9, (2, 2))


@A(FD)
def table_first_row_thrice(x, rng):
    t = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2)
    return np.array([t[0], t[0], t[0]]) + rng.laplace(0, 2.0, (3, 2))


@R(FD)
def table_first_row_thrice_right(x, rng):
    t = np.histogram(x, bins=4, range=(0, 1))[0].reshape(2, 2)
    return np.array([t[0], t[0], t[0]]) + rng.laplace(0, 3.0, (3, 2))


@A(FD)
def table_new_axis(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    return h[:, None] + h[None, :] + rng.laplace(0, 7.0, (4, 4))


@R(FD)
def table_new_axis_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    return h[:, None] + h[None, :] + rng.laplace(0, 8.0, (4, 4))


@A(FD)
def released_then_reused_by_position(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    n = h + rng.laplace(0, 2.0, 4)
    order = np.argsort(n)
    first = int(order[3])
    second = int(order[2])
    return first, second, h[first] + rng.laplace(0, 2.0), h[second] + rng.laplace(0, 1.0)


@R(FD)
def released_then_reused_by_position_right(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    n = h + rng.laplace(0, 2.0, 4)
    order = np.argsort(n)
    first = int(order[3])
    return first, h[first] + rng.laplace(0, 2.0)


@A(FD)
def count_of_large_as_weight(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    k = int((n > 0.5).sum())
    return k, (x * k).sum() + rng.laplace(0, 2.0 * 3)


@R(FD)
def count_of_large_as_weight_right(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    k = float((n > 0.5).sum())
    return k, (x * k).sum() + rng.laplace(0, 2.0 * 4)


@A(FD)
def rounded_release_as_index_into_weights(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    i = min(max(round(n), 0), 2)
    w = [1.0, 2.0, 4.0][i]
    return i, (x * w).sum() + rng.laplace(0, 2.0)


@R(FD)
def rounded_release_as_index_into_weights_right(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    i = min(max(round(n), 0), 2)
    w = [1.0, 2.0, 4.0][i]
    return i, (x * w).sum() + rng.laplace(0, 2.0 * w)


@A(FD)
def adaptive_clip_scale_stale(x, rng):
    c = 1.0
    out = []
    for _ in range(2):
        s = np.clip(4 * x, 0, c).sum() + rng.laplace(0, 2.0)
        out.append(s)
        c = 4.0 if s > 0.5 else 1.0
    return out


@R(FD)
def adaptive_clip_scale_fresh(x, rng):
    c = 1.0
    out = []
    for _ in range(2):
        s = np.clip(4 * x, 0, c).sum() + rng.laplace(0, 2.0 * c)
        out.append(s)
        c = 4.0 if s > 0.5 else 1.0
    return out


@A(FD)
def nested_zoom(x, rng):
    lo, hi = 0.0, 1.0
    for _ in range(3):
        mid = (lo + hi) / 2
        left = ((x >= lo) & (x < mid)).sum() + rng.laplace(0, 2.0)
        right = ((x >= mid) & (x < hi)).sum() + rng.laplace(0, 2.0)
        lo, hi = (lo, mid) if left > right else (mid, hi)
    return lo, hi


@R(FD)
def nested_zoom_right(x, rng):
    lo, hi = 0.0, 1.0
    for _ in range(2):
        mid = (lo + hi) / 2
        left = ((x >= lo) & (x < mid)).sum() + rng.laplace(0, 2.0)
        right = ((x >= mid) & (x < hi)).sum() + rng.laplace(0, 2.0)
        lo, hi = (lo, mid) if left > right else (mid, hi)
    return lo, hi


@A(FD)
def median_by_bisection(x, rng):
    lo, hi = 0.0, 1.0
    for _ in range(3):
        mid = (lo + hi) / 2
        d = (x < mid).sum() - (x >= mid).sum() + rng.laplace(0, 2.0)
        lo, hi = (mid, hi) if d < 0 else (lo, mid)
    return (lo + hi) / 2


@R(FD)
def median_by_bisection_right(x, rng):
    lo, hi = 0.0, 1.0
    for _ in range(3):
        mid = (lo + hi) / 2
        d = (x < mid).sum() - (x >= mid).sum() + rng.laplace(0, 3.0)
        lo, hi = (mid, hi) if d < 0 else (lo, mid)
    return (lo + hi) / 2


# ---------- Natural mistakes, eight: loops within loops, several names at once, one-hot rows, truths of numbers, claims of other orders.
G1 = "GDP(mu=1)"
PROTO = np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [1.0, -1.0, 1.0]])
STEPS = ((0.0, 1.0), (0.3, 2.0), (0.6, 4.0))


def third(v):
    return 0 if v < 0.3 else 1 if v < 0.6 else 2


@A(LD)
def one_hot_rows_twice(data, rng):
    t = np.zeros(3)
    for v in data:
        t += np.eye(3)[third(v)]
        t += np.eye(3)[third(1 - v)]
    return t + rng.laplace(0, 1.0, 3)


@R(LD)
def one_hot_rows_twice_right(data, rng):
    t = np.zeros(3)
    for v in data:
        t += np.eye(3)[third(v)]
        t += np.eye(3)[third(1 - v)]
    return t + rng.laplace(0, 2.0, 3)


@A(LD)
def cumulative_one_hot(data, rng):
    t = np.zeros(3)
    for v in data:
        t += np.tri(3)[third(v)] if False else np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])[third(v)]
    return t + rng.laplace(0, 2.0, 3)


@R(LD)
def cumulative_one_hot_right(data, rng):
    m = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    t = np.zeros(3)
    for v in data:
        t += m[third(v)]
    return t + rng.laplace(0, 3.0, 3)


@A(LD, claim=G1)
def cumulative_one_hot_gauss(data, rng):
    m = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    t = np.zeros(3)
    for v in data:
        t += m[third(v)]
    return t + rng.normal(0, 1.5, 3)


@A(LD)
def two_names_at_once(data, rng):
    s, q = 0.0, 0.0
    for v in data:
        s, q = s + v, q + 2 * v * v
    return s + rng.laplace(0, 2.0), q + rng.laplace(0, 2.0)


@R(LD)
def two_names_at_once_right(data, rng):
    s, q = 0.0, 0.0
    for v in data:
        s, q = s + v, q + v * v
    return s + rng.laplace(0, 2.0), q + rng.laplace(0, 2.0)


@A(LD)
def names_swapped_in_loop(data, rng):
    s, q = 0.0, 0.0
    for v in data:
        s, q = q + v, s + v
    return s + rng.laplace(0, 1.0)


@A(LD)
def inner_loop_of_values(data, rng):
    t = 0.0
    for v in data:
        for w in (v, v * v, 1 - v):
            t += w
    return t + rng.laplace(0, 1.9)


@R(LD)
def inner_loop_of_values_right(data, rng):
    t = 0.0
    for v in data:
        for w in (v, v * v, 1 - v):
            t += w
    return t + rng.laplace(0, 3.0)


@A(X3D)
def inner_loop_of_columns(X, rng):
    t = 0.0
    for row in X:
        for v in row:
            t += abs(v)
    return t + rng.laplace(0, 2.0)


@R(X3D)
def inner_loop_of_columns_right(X, rng):
    t = 0.0
    for row in X:
        for v in row:
            t += abs(v)
    return t + rng.laplace(0, 3.0)


@A(X3D)
def inner_enumerate(X, rng):
    t = np.zeros(3)
    for row in X:
        for j, v in enumerate(row):
            t[j] += v
            t[j - 1] += v * v
    return t + rng.laplace(0, 5.0, 3)


@R(X3D)
def inner_enumerate_right(X, rng):
    t = np.zeros(3)
    for row in X:
        for j, v in enumerate(row):
            t[j] += v
            t[j - 1] += v * v
    return t + rng.laplace(0, 6.0, 3)


@A(LD)
def steps_break(data, rng):
    c = [0, 0, 0]
    for v in data:
        for i, (lo, w) in enumerate(STEPS):
            if v < lo:
                break
            c[i] += 1
    return [k + rng.laplace(0, 1.0) for k in c]


@R(LD)
def steps_break_right(data, rng):
    c = [0, 0, 0]
    for v in data:
        for i, (lo, w) in enumerate(STEPS):
            if v < lo:
                break
            c[i] += 1
    return [k + rng.laplace(0, 3.0) for k in c]


@A(LD)
def steps_weight_last(data, rng):
    t = 0.0
    for v in data:
        w = 0.0
        for lo, k in STEPS:
            if v >= lo:
                w = k
        t += w
    return t + rng.laplace(0, 2.0)


@R(LD)
def steps_weight_last_right(data, rng):
    t = 0.0
    for v in data:
        w = 0.0
        for lo, k in STEPS:
            if v >= lo:
                w = k
        t += w
    return t + rng.laplace(0, 4.0)


@A(LD)
def weight_carried_over(data, rng):
    t, w = 0.0, 1.0
    for v in data:
        if v > 0.5:
            w = 5.0
        t += w
    return t + rng.laplace(0, 5.0)


@A(LD)
def flag_carried_over(data, rng):
    t, seen = 0.0, False
    for v in data:
        if seen:
            t += v
        seen = True
    return t + rng.laplace(0, 1.0)


@A(LW)
def truth_of_number(data, rng):
    return sum(1.0 if v else 3.0 for v in data) + rng.laplace(0, 2.0)


@R(LW)
def truth_of_number_right(data, rng):
    return sum(1.0 if v else 3.0 for v in data) + rng.laplace(0, 3.0)


@A(LA)
def or_zero(data, rng):
    return sum(min(max(v or 0.0, 0.0), 1.0) for v in data) + rng.laplace(0, 1.0)


@A(LW)
def and_one(data, rng):
    return sum(1.0 and v for v in data) + rng.laplace(0, 4.0)


@A(LW)
def sign_by_comparison(data, rng):
    return sum((v > 0) * 1.0 - (v < 0) * 2.0 for v in data) + rng.laplace(0, 1.5)


@R(LW)
def sign_by_comparison_right(data, rng):
    return sum((v > 0) * 1.0 - (v < 0) * 2.0 for v in data) + rng.laplace(0, 2.0)


@A(X3D, claim=G1)
def nearest_prototype_sums(X, rng):
    t = np.zeros(3)
    for row in X:
        d = row - PROTO[1]
        t += d
    return t + rng.normal(0, math.sqrt(3), 3)


@R(X3D, claim=G1)
def nearest_prototype_sums_right(X, rng):
    t = np.zeros(3)
    for row in X:
        d = row - PROTO[1]
        t += d
    return t + rng.normal(0, 1.5 * math.sqrt(3) * 1.00001, 3)


@A(X3D)
def row_dot_weights(X, rng):
    w = np.array([1.0, -2.0, 3.0])
    return sum(float(row @ w) for row in X) + rng.laplace(0, 5.9)


@R(X3D)
def row_dot_weights_right(X, rng):
    w = np.array([1.0, -2.0, 3.0])
    return sum(float(row @ w) for row in X) + rng.laplace(0, 6.0)


@A(X3D)
def row_sign_vote(X, rng):
    return sum(1 if row[0] + row[1] > row[2] else -2 for row in X) + rng.laplace(0, 1.0)


@R(X3D)
def row_sign_vote_right(X, rng):
    return sum(1 if row[0] + row[1] > row[2] else -2 for row in X) + rng.laplace(0, 2.0)


@A(FD, claim="RDP(order=1.5, epsilon=0.5)")
def rdp_low_order_laplace(x, rng):
    return x.sum() + rng.laplace(0, 1.0)


@R(FD, claim="RDP(order=1.5, epsilon=0.75)")
def rdp_low_order_laplace_right(x, rng):
    return x.sum() + rng.laplace(0, 1.0)


@A(FD, claim="ApproxDP(epsilon=0.5, delta=0.05)")
def large_delta_gauss(x, rng):
    return x.sum() + rng.normal(0, 0.9)


@A(FD, claim="ApproxDP(epsilon=0.1, delta=0.3)")
def large_delta_of_flat_gauss(x, rng):
    return x.sum() + rng.normal(0, 1.0)


@A(UD, claim="ApproxDP(epsilon=1, delta=1e-5)")
def users_gauss_of_one(rows, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5))
    return sum(v for _, v in rows) + rng.normal(0, s)


@R(UD, claim="ApproxDP(epsilon=1, delta=1e-5)")
def users_gauss_of_three(rows, rng):
    s = math.sqrt(2 * math.log(1.25 / 1e-5))
    return sum(v for _, v in rows) + rng.normal(0, 3 * s)


@A(UD, claim="ZCDP(rho=0.5)")
def users_zcdp_of_root(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, math.sqrt(3))


@A(UD, claim="ZCDP(rho=0.5)")
def users_zcdp_of_laplace(rows, rng):
    return sum(v for _, v in rows) + rng.laplace(0, 2.9)


@A(UD, claim="RDP(order=4, epsilon=2)")
def users_rdp(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, 2.9)


@R(UD, claim="RDP(order=4, epsilon=2)")
def users_rdp_right(rows, rng):
    return sum(v for _, v in rows) + rng.normal(0, 3.0)


@A(XYD, claim=G1)
def residuals_by_released_weights(d, rng):
    X, y = d
    b = X.T @ y + rng.normal(0, 2.0, 2)
    w = np.clip(b, -1, 1)
    r = y - X[:, 0] * w[0] - X[:, 1] * w[1]
    return w, (r**2).sum() + rng.normal(0, 4.0)


@R(XYD, claim=G1)
def residuals_by_released_weights_right(d, rng):
    X, y = d
    b = X.T @ y + rng.normal(0, 2.01, 2)
    w = np.clip(b, -1, 1)
    r = y - X[:, 0] * w[0] - X[:, 1] * w[1]
    return w, (r**2).sum() + rng.normal(0, 12.8)


@A(XYD)
def residual_signs_by_released(d, rng):
    X, y = d
    c = float(np.clip(y.sum() + rng.laplace(0, 2.0), -1, 1))
    return c, ((y - c) * X[:, 0]).sum() + rng.laplace(0, 2.0)


@R(XYD)
def residual_signs_by_released_right(d, rng):
    X, y = d
    c = float(np.clip(y.sum() + rng.laplace(0, 2.0), -1, 1))
    return c, ((y - c) * X[:, 0]).sum() + rng.laplace(0, 4.0)


# ---------- Natural mistakes, nine: in place, views and copies of the data, released arrays under two names.


@A(FD)
def asarray_in_place(x, rng):
    y = np.asarray(x, dtype=float)
    y *= 2
    return x.sum() + rng.laplace(0, 1.0)


@A(FD)
def astype_in_place(x, rng):
    y = x.astype(float)
    y *= 2
    return y.sum() + rng.laplace(0, 1.0)


@A(FD)
def copy_in_place(x, rng):
    y = x.copy()
    y *= 2
    y += x
    return y.sum() + rng.laplace(0, 2.0)


@R(FD)
def copy_in_place_right(x, rng):
    y = x.copy()
    y *= 2
    y += x
    return y.sum() + rng.laplace(0, 3.0)


@A(XD)
def view_in_place(X, rng):
    y = X[:, 0]
    y += 1
    return X.sum() + rng.laplace(0, 2.0)


@A(XD)
def sum_in_place_twice(X, rng):
    y = X[:, 0] + 0.0
    y += X[:, 1]
    y += y
    return y.sum() + rng.laplace(0, 3.0)


@R(XD)
def sum_in_place_twice_right(X, rng):
    y = X[:, 0] + 0.0
    y += X[:, 1]
    y += y
    return y.sum() + rng.laplace(0, 4.0)


@A(XD)
def transposed_view(X, rng):
    T = X.T
    return (T @ X).sum() + rng.laplace(0, 3.9)


@A(FD)
def histogram_in_place_of_two_names(x, rng):
    h = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    g = h
    g += 1
    g *= 3
    return h + rng.laplace(0, 1.0, 2)


@A(FD)
def histogram_in_place(x, rng):
    h = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    h *= 3
    h -= 1
    return h + rng.laplace(0, 2.9, 2)


@R(FD)
def histogram_in_place_right(x, rng):
    h = np.histogram(x, bins=2, range=(0, 1))[0] * 1.0
    h *= 3
    h -= 1
    return h + rng.laplace(0, 3.0, 2)


@A(FD)
def released_view_then_reuse(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    top = n[:2]
    n[0] = 0.0
    w = float(np.clip(top[0], 0, 3))
    return w, (x * w).sum() + rng.laplace(0, 2.0)


@A(FD)
def released_reversed_view(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    back = n[::-1]
    n[n < 0] = 0.0
    c = min(max(back[0], 0.5), 4.0)
    return n, np.minimum(4 * x, c).sum() + rng.laplace(0, 2.0)


@R(FD)
def released_copy_then_reuse(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    other = n.copy()
    n[n < 0] = 0.0
    c = min(max(float(other[0]), 0.5), 4.0)
    return n, np.minimum(4 * x, c).sum() + rng.laplace(0, 2.0 * 4)


@R(FD)
def released_scale_of_clip(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    n[n < 1] = 1.0
    c = float(n[0])
    return n, np.minimum(x, c).sum() + rng.laplace(0, 2.0)


@A(FD)
def released_lower_end_wrong(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    n[n > 1] = 1.0
    c = float(n[0])
    return n, np.maximum(x, c).sum() + rng.laplace(0, 2.0)


@A(FD)
def scale_floor_set_then_undone(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    n[n < 2] = 2.0
    n -= 1.9
    return n, x.sum() + rng.laplace(0, n[0])


@A(FD)
def scale_floor_on_wrong_item(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    n[0] = 2.0
    return n, x.sum() + rng.laplace(0, abs(n[1]))


@R(FD)
def scale_floor_by_mask(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    n = np.clip(n, 2.0, 50.0)
    return n, x.sum() + rng.laplace(0, n[0])


@A(FD)
def scale_nan_by_mask(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    n[n < 2] = np.nan
    s = np.fmin(np.nan_to_num(n, nan=0.1), 5.0)
    return n, x.sum() + rng.laplace(0, s[0])


@A(FD)
def nan_comparison_selects_small_scale(x, rng):
    n = np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4)
    q = np.maximum(n, 0.0) / np.maximum(n, 0.0).sum()
    s = 2.0 if not q[0] > 2.0 else 0.1
    return q, x.sum() + rng.laplace(0, s)


@A(FD)
def nan_share_weights(x, rng):
    n = np.maximum(np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 2.0, 4), 0.0)
    q = np.nan_to_num(n / n.sum(), nan=50.0)
    w = float(np.clip(q[0], 0, 100))
    return q, (x * w).sum() + rng.laplace(0, 2.0)


@A(FD)
def softmax_temperature(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    p = np.exp(h / 2.0)
    p = p / p.sum()
    return rng.choice([0, 1, 2, 3], p=p)


@A(FD)
def gumbel_max(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    g = -np.log(-np.log(rng.random(4)))
    return int(np.argmax(h + g))


@A(FD)
def uniform_noise(x, rng):
    return x.sum() + rng.uniform(-1, 1)


@A(FD)
def random_sign(x, rng):
    return x.sum() * (1 if rng.random() < 0.5 else -1) + rng.laplace(0, 0.9)


@A(FD)
def sampled_half_free(x, rng):
    keep = rng.random() < 0.5
    return (x.sum() if keep else 0.0) + rng.laplace(0, 0.9)


@A(FD)
def mixture_of_scales(x, rng):
    s = 1.0 if rng.random() < 0.99 else 0.5
    return x.sum() + rng.laplace(0, s)


@A(FD)
def dither_before(x, rng):
    u = rng.random()
    return np.floor(x * 10 + u).sum() / 10 + rng.laplace(0, 1.0)


@R(FD)
def dither_before_right(x, rng):
    u = rng.random()
    return np.floor(x * 10 + u).sum() / 10 + rng.laplace(0, 1.1)


@A(FD)
def random_threshold_count(x, rng):
    u = rng.random()
    return u, (x > u).sum() + rng.laplace(0, 1.0), (x <= u).sum() + rng.laplace(0, 0.5)


@A(FD)
def random_projection(x, rng):
    w = rng.normal(size=4)
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    return w, (h * np.clip(w, -3, 3)).sum() + rng.laplace(0, 1.0)


@R(FD)
def random_projection_right(x, rng):
    w = np.clip(rng.normal(size=4), -3, 3)
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    return w, h * w + rng.laplace(0, 3.0, 4)


# what was thought to be wrong, and is right: the exact delta of Gaussian noise; counts times 0, 1 and 2; numpy.arange without its end
for _name in ["mixture_of_both", "sparse_vector_reused", "numpy_arange_budget"]:
    RIGHT[_name] = ATTACKS.pop(_name)
