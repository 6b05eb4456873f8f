"""Attacks of the twenty-third reading (kernel and seam) that stop, or that are above the claim: each claims 0.999 of what a pair was measured to cost.

The measure knows nothing of the rules: the noise is chosen so that both data sets release the same numbers, and how far
each is moved is divided by its scale. In `ATTACKS` a claim of 1e300 is of a function that is not derived at all.
"""

import math

import numpy as np

ATTACKS = {}
COSTS = {
    "i_mod_of_the_least": 6.0,
    "i_floor_of_the_least": 1.0,
    "i_where_of_the_least": 3.0,
    "i_float_clip": 2.5,
    "i_bincount": 1.0,
    "i_bincount_shifted": 1.0,
    "i_bincount_twice": 2.0,
    "i_histogram_of_products": 4.0,
    "i_square_sum": 49.0,
    "i_float_power": 49.0,
    "i_mean": 12.0,
    "i_mean_scaled": 12.0,
    "i_mean_of_squares_scaled": 73.5,
    "i_scaled_the_other_way": 6.0,
    "i_scaled_too_little": 36.0,
    "i_scaled_by_max": 6.0,
    "i_python_mod": 4.0,
    "i_python_floor": 2.0,
    "i_mod_by_one": 7.0,
    "i_mod_then_mod": 3.0,
    "i_geometric": 1.38629,
    "i_geometric_of_a_count": 0.575364,
    "i_geometric_twice": 5.75045,
    "i_counter_by_sign": 1.0,
    "i_counter_overlapping": 2.0,
    "i_index": 7.0,
    "i_index_weighted": 2.0,
    "n_clip_of_finite": 1.0,
    "n_fmin": 2.0,
    "n_where_not_equal": 1.0,
    "n_where_less": 7.0,
    "n_not_less": 2.0,
    "n_python_max_first": 1.0,
    "n_python_min_min": 1.0,
    "n_three_places": 1.0,
    "n_neither": 10.0,
    "n_equal_to_itself": 5.0,
    "n_histogram": 1.0,
    "n_nan_to_num": 4.0,
    "n_tanh_of_all": 1.0,
    "n_ratio_of_small": 1.0,
    "n_minus_zero": 1.0,
    "n_rint": 1.0,
    "n_trunc": 1.0,
    "n_round": 1.0,
    "v_clip": 1.125,
    "v_clip_of_another": 4.5,
    "v_clip_of_two_columns": 5.5,
    "v_clip_by_squares": 0.5,
    "v_where_greater": 0.5,
    "v_where_less": 12.6456,
    "v_masked": 0.781228,
    "v_masked_greater": 12.6456,
    "v_masked_not": 0.759141,
    "v_norm_plus": 0.480693,
    "v_norm_minus": 4.38271,
    "v_norm_over": 2.0,
    "v_norm_times": 319.822,
    "v_clip_twice": 0.125,
    "v_clip_and_shift": 2.0,
    "v_clip_and_difference": 1.99151,
    "v_clip_and_matrix": 2.90979,
    "v_clip_and_gram": 0.5,
    "v_clip_and_gram_of_two": 9.0,
    "v_clip_in_one_norm": 1.73205,
    "v_clip_by_sum_of_sizes": 1.0,
    "v_loop": 0.5,
    "v_loop_wrong_side": 12.6456,
    "v_loop_factor": 2.0,
    "v_loop_factor_of_less": 6.5,
    "v_repeated_column": 13.5,
    "v_selected_twice": 1.0,
    "v_stacked": 1.0,
    "v_scales": 2.625,
    "v_scales_of_a_matrix": 7.875,
    "v_scales_of_columns": 7.875,
    "v_multiple_of_noise": 1.75,
    "v_sum_of_noisy": 3.0,
    "v_product_of_sums": 5.0,
    "v_gradient": 0.5,
    "v_gradient_of_all": 0.5,
    "v_gradient_in_two_steps": 1.0,
    "d_parts": 1.0,
    "d_parts_that_meet": 2.0,
    "d_parts_of_a_computed_value": 1.0,
    "d_parts_of_a_rounded_value": 1.0,
    "d_bins_and_halves": 2.0,
    "d_bins_of_parts": 1.0,
    "d_bins_that_meet": 2.0,
    "d_texts": 1.0,
    "d_texts_not": 2.0,
    "d_texts_of_any": 2.0,
    "d_keys": 3.0,
    "d_get": 4.0,
    "d_replaced": 4.0,
    "p_two_queries": 5.0,
    "p_mixed": 10.5,
    "p_clipped_at_released": 2.0,
    "p_window": 2.0,
    "p_scale_of_a_released": 3.0,
    "p_scale_by_index": 5.0,
    "p_scale_by_largest": 4.0,
    "p_loop_of_queries": 3.0,
    "p_loop_until": 5.5,
    "p_by_size": 2.0,
    "p_width": 2.0,
    "p_width_and_opposite": 2.0,
    "p_random_direction": 1.0,
    "c_min_max_window": 1.0,
    "c_product_of_windows": 1.0,
    "c_helpers": 3.0,
    "c_squares": 12.25,
    "c_list_of_lists": 3.0,
    "c_truth": 5.5,
    "c_pairs": 9.75,
    "c_columns": 15.0,
    "c_columns_of_ranks": 1.0,
    "c_weighted_bins": 1.5,
    "c_rows": 4.0,
}


def _data(kind):
    x, k = [-1.0, 0.5, 2.0], [-1, 0, 2]
    rows = np.array([[-1.0, 0.5, 2.0], [0.0, 1.0, -0.5], [0.25, -2.0, 3.0]])
    made = {"af": np.array(x), "ai": np.array(k), "lf": x, "li": k, "mat": rows, "rt": list(zip(x, k, strict=True))}
    made |= {
        "rd": [dict(x=a, k=b, s=c) for a, b, c in zip(x, k, "abc", strict=True)],
        "xy": (rows, np.array([0.0, 1.0, 4.0])),
    }
    return (made | {"cols": {"x": np.array(x), "k": np.array(k)}})[kind]


def _stated(kind, f=None, i=None):
    number = lambda name, ends: f"{name}({ends[0]!r}, {ends[1]!r})"
    if kind in ("af", "lf"):
        return {"records": number("float", f["x"])}
    if kind in ("ai", "li"):
        return {"records": number("int", i["x"])}
    if kind == "mat":
        return {"records": f"row(3, {number('float', f['X'])})"}
    if kind == "xy":
        return {"bounds": {**{f"X[{at}]": f["X"] for at in range(3)}, "y": f["y"]}}
    if kind == "cols":
        return {"bounds": {"x": f["x"], "k": i["k"]}}
    x, k = number("float", f["x"]), number("int", i["k"])
    return {"records": f"({x}, {k})" if kind == "rt" else f"{{'x': {x}, 'k': {k}, 's': choice('a', 'b', 'c')}}"}


def T(kind, claim="PureDP(epsilon=1e300)", rel="add-remove", bounded=True, consts=(), **dom):
    """A function of data of some kind, with the ranges of its fields."""

    def keep(f):
        cost = COSTS.get(f.__name__)
        told = claim if cost is None else claim.replace("1e300", repr(0.999 * cost))
        own = _stated(kind, **dom) if bounded else {}
        ATTACKS[f.__name__] = dict(data=_data(kind), claim=told, relation=rel, **own)
        return f

    return keep


AF = dict(kind="af", f={"x": (-2.0, 3.0)})
AI = dict(kind="ai", i={"x": (-5, 7)})
LF = dict(kind="lf", f={"x": (-2.0, 3.0)})
LI = dict(kind="li", i={"x": (-5, 7)})
M = dict(kind="mat", f={"X": (-2.0, 3.0)})
RT = dict(kind="rt", f={"x": (-2.0, 3.0)}, i={"k": (-2, 3)})
RD = dict(kind="rd", f={"x": (-2.0, 3.0)}, i={"k": (-2, 3)})
CO = dict(kind="cols", f={"x": (-2.0, 3.0)}, i={"k": (-2, 3)})
XY = dict(kind="xy", f={"X": (-2.0, 3.0), "y": (-1.0, 4.0)})
Z = "ZCDP(rho=1e300)"


# ---- integers
@T(**AI, bounded=False)
def i_abs_of_the_least(x, rng):
    return [np.sum(np.minimum(np.abs(x), 1)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_negative_of_the_least(x, rng):
    return [np.sum(np.minimum(np.maximum(-x, 0), 1)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_mod_of_the_least(x, rng):
    return [np.sum(x % 7) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_floor_of_the_least(x, rng):
    return [np.sum(np.clip(x // 3, -1, 1)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_where_of_the_least(x, rng):
    return [np.sum(np.where(x > 0, np.minimum(x, 3), 0)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_masked_product(x, rng):
    y = x[np.abs(x.astype(float)) < 2.0**31]
    return [np.sum(np.clip(y * y, 0, 4)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_masked_product_beyond(x, rng):
    y = x[np.abs(x.astype(float)) <= 2.0**32]
    return [np.sum(np.clip(y * y, 0, 4)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_float_clip(x, rng):
    return [np.sum(np.clip(x, -0.5, 2.5)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_shifted(x, rng):
    return [np.sum(np.clip(x - 2, -1, 1)) + rng.laplace(0, 1.0)]


@T(**AI, bounded=False)
def i_halves(x, rng):
    return [np.sum(np.clip(x // 2 + x // 2, -1, 1)) + rng.laplace(0, 1.0)]


@T(**AI)
def i_bincount(x, rng):
    return [np.bincount(np.clip(x, 0, 3), minlength=4) + rng.laplace(0, 1.0, size=4)]


@T(**AI)
def i_bincount_shifted(x, rng):
    return [np.bincount(x + 5, minlength=14) + rng.laplace(0, 1.0, size=14)]


@T(**AI)
def i_bincount_short(x, rng):
    return [np.bincount(x + 5, minlength=12) + rng.laplace(0, 1.0, size=12)]


@T(**AI)
def i_bincount_twice(x, rng):
    return [
        np.bincount(np.clip(x, 0, 1), minlength=2) + rng.laplace(0, 1.0, size=2),
        np.bincount(np.clip(x, 1, 2), minlength=3) + rng.laplace(0, 1.0, size=3),
    ]


@T(**AI)
def i_histogram_of_products(x, rng):
    h, _ = np.histogram(x * x, bins=[0, 1, 4, 9, 16])
    return [h * np.array([1.0, 2.0, 3.0, 4.0]) + rng.laplace(0, 1.0, size=4)]


@T(**AI)
def i_square_sum(x, rng):
    return [np.sum(x**2) + rng.laplace(0, 1.0)]


@T(**AI)
def i_float_power(x, rng):
    return [np.sum(x**2.0) + rng.laplace(0, 1.0)]


@T(**AI, rel="replace")
def i_mean(x, rng):
    return [np.mean(x) * len(x) + rng.laplace(0, 1.0)]


@T(**AI, rel="replace")
def i_mean_scaled(x, rng):
    return [np.mean(x * 1.0) + rng.laplace(0, 1.0 / len(x))]


@T(**AI, rel="replace")
def i_mean_of_squares_scaled(x, rng):
    n = len(x)
    return [np.sum(x * x) / n / n * 3.0 + rng.laplace(0, 2.0 / (n * n))]


@T(**AI, rel="replace")
def i_scaled_the_other_way(x, rng):
    n = len(x)
    return [np.sum(x * 1.0) * n + rng.laplace(0, 2.0 * n)]


@T(**AI, rel="replace")
def i_scaled_too_little(x, rng):
    n = len(x)
    return [np.sum(x * 1.0) * n * n + rng.laplace(0, 2.0 * n)]


@T(**AI, rel="replace")
def i_scaled_by_less(x, rng):
    n = len(x)
    return [np.sum(x * 1.0) / n + rng.laplace(0, 2.0 / (n + 1))]


@T(**AI, rel="replace")
def i_scaled_by_max(x, rng):
    n = max(len(x), 3)
    return [np.sum(x * 1.0) / n + rng.laplace(0, 2.0 / len(x))]


@T(**LI, bounded=False)
def i_python_mod(data, rng):
    return [sum(x % 5 for x in data) + rng.laplace(0, 1.0)]


@T(**LI, bounded=False)
def i_python_floor(data, rng):
    return [sum(min(max(x // 4, -2), 2) for x in data) + rng.laplace(0, 1.0)]


@T(**LI, bounded=False)
def i_python_chain(data, rng):
    return [sum(1 for x in data if -(2**60) <= x * 2**10 < 2**60) + rng.laplace(0, 1.0)]


@T(**LI)
def i_mod_by_one(data, rng):
    return [sum((x % 1) * 100 + x // 1 for x in data) + rng.laplace(0, 1.0)]


@T(**LI)
def i_mod_then_mod(data, rng):
    return [sum(((x % 5) * 3) % 4 - x % 2 for x in data) + rng.laplace(0, 1.0)]


@T(**LI)
def i_geometric(data, rng):
    return [sum(min(max(x, 0), 2) for x in data) + rng.geometric(0.5) - rng.geometric(0.5)]


@T(**LI)
def i_geometric_of_a_count(data, rng):
    return [len([x for x in data if x in (1, 3, 5)]) * 2 + rng.geometric(0.25) - rng.geometric(0.25)]


@T(**LI)
def i_geometric_twice(data, rng):
    a = len(data) + rng.geometric(0.5) - rng.geometric(0.5)
    b = sum(x * x for x in data) - len(data) + rng.geometric(0.1) - rng.geometric(0.1)
    return [a, b]


@T(**LI)
def i_counter_by_sign(data, rng):
    up, down, zero = 0, 0, 0
    for x in data:
        if x > 0:
            up += x
        elif x < 0:
            down -= x
        else:
            zero += 1
    return [up + rng.laplace(0, 7.0), down + rng.laplace(0, 5.0), zero + rng.laplace(0, 1.0)]


@T(**LI)
def i_counter_overlapping(data, rng):
    up, down = 0, 0
    for x in data:
        if x > -2:
            up += 1
        if x < 2:
            down += 1
    return [up + rng.laplace(0, 1.0), down + rng.laplace(0, 1.0)]


@T(**LI)
def i_index(data, rng):
    counts = [0] * 4
    for x in data:
        counts[min(abs(x), 3)] += x
    return [
        counts[0] + rng.laplace(0, 1.0),
        counts[1] + rng.laplace(0, 1.0),
        counts[2] + rng.laplace(0, 1.0),
        counts[3] + rng.laplace(0, 1.0),
    ]


@T(**LI)
def i_index_weighted(data, rng):
    counts = np.zeros(3)
    for x in data:
        counts[x % 3] += 1.0 if x > 0 else -2.0
    return [counts + rng.laplace(0, 1.0, size=3)]


# ---- NaN, infinities, small numbers
@T(**AF, bounded=False)
def n_clip(x, rng):
    return [np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_clip_of_finite(x, rng):
    return [np.sum(np.clip(x[np.isfinite(x)], -1.0, 1.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_fmin(x, rng):
    return [np.sum(np.fmax(np.fmin(x, 2.0), -1.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_fmin_of_two(x, rng):
    return [np.sum(np.fmin(np.fmax(x, -x), 3.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_where_not_equal(x, rng):
    return [np.sum(np.clip(np.where(x == x, x, 0.5), 0.0, 1.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_where_less(x, rng):
    return [np.sum(np.where(x < 1.0, 0.0, np.where(x >= 1.0, 1.0, 7.0))) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_not_less(x, rng):
    return [
        np.sum(~(x < 1.0)) + rng.laplace(0, 1.0),
        np.sum(~(x >= 1.0)) + rng.laplace(0, 1.0),
        np.sum(x < 1.0) + rng.laplace(0, 1.0),
    ]


@T(**LF, bounded=False)
def n_python_max_first(data, rng):
    return [sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(0, 1.0)]


@T(**LF, bounded=False)
def n_python_max_last(data, rng):
    return [sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(0, 1.0)]


@T(**LF, bounded=False)
def n_python_min_min(data, rng):
    return [sum(max(-1.0, min(1.0, min(2.0, x))) for x in data) + rng.laplace(0, 1.0)]


@T(**LF, bounded=False)
def n_three_places(data, rng):
    return [sum(max(0.0, min(1.0, x, 5.0)) for x in data) + rng.laplace(0, 1.0)]


@T(**LF, bounded=False)
def n_neither(data, rng):
    a = b = c = 0
    for x in data:
        if x < 0.5:
            a += 1
        elif x >= 0.5:
            b += 1
        else:
            c += 10
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)]


@T(**LF, bounded=False)
def n_equal_to_itself(data, rng):
    return [
        sum(1 for x in data if x == x) + rng.laplace(0, 1.0),
        sum(1 for x in data if x != x) * 5 + rng.laplace(0, 1.0),
    ]


@T(**LF, bounded=False)
def n_finite_difference(data, rng):
    return [sum(1.0 for x in data if x - x == 0.0) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_histogram(x, rng):
    h, _ = np.histogram(x, bins=[-1.0, 0.0, 1.0])
    return [h + rng.laplace(0, 1.0, size=2), np.sum(np.isnan(x)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_nan_to_num(x, rng):
    return [np.sum(np.nan_to_num(x, nan=5.0, posinf=-3.0, neginf=2.0).clip(-4.0, 4.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_tanh_of_all(x, rng):
    return [np.sum(np.tanh(np.nan_to_num(x))) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_atan_of_infinite(x, rng):
    return [np.sum(np.arctan(np.fmax(x, 0.0))) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_ratio(x, rng):
    y = np.clip(np.nan_to_num(x), 0.0, 1e300)
    return [np.sum(y / (y + 1.0)) + rng.laplace(0, 1.0)]


@T(**AF, bounded=False)
def n_ratio_of_small(x, rng):
    y = np.clip(np.nan_to_num(x), 1e-300, 1.0)
    return [np.sum(np.minimum(1e-300 / y, 1.0)) + rng.laplace(0, 1.0)]


@T(**LF)
def n_denormal(data, rng):
    return [sum(min(abs(x) * 1e-310 * 1e310, 3.0) for x in data) + rng.laplace(0, 1.0)]


@T(**LF)
def n_minus_zero(data, rng):
    return [sum(1.0 if (x * 0.0) == 0.0 else 9.0 for x in data) + rng.laplace(0, 1.0)]


@T(**AF)
def n_rint(x, rng):
    return [np.sum(np.rint(x * 0.5) - np.floor(x * 0.5)) + rng.laplace(0, 1.0)]


@T(**AF)
def n_trunc(x, rng):
    return [np.sum(np.trunc(x) - np.ceil(x)) + rng.laplace(0, 1.0)]


@T(**LF)
def n_round(data, rng):
    return [sum(round(x) - int(x) for x in data) + rng.laplace(0, 1.0)]


# ---- norms
@T(**M, claim=Z)
def v_clip(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X * np.minimum(1.0, 1.5 / np.maximum(n, 1e-9)), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_of_another(X, rng):
    n = np.linalg.norm(X * 0.5, axis=1, keepdims=True)
    return [np.sum(X * np.minimum(1.0, 1.5 / np.maximum(n, 1e-9)), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_of_two_columns(X, rng):
    n = np.linalg.norm(X[:, :2], axis=1, keepdims=True)
    return [np.sum(X * np.minimum(1.0, 1.5 / np.maximum(n, 1e-9)), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_by_squares(X, rng):
    n = np.sum(X**2, axis=1)[:, None]
    return [np.sum(X / np.maximum(1.0, n), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_where_greater(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(np.where(n > 1.0, X / np.maximum(n, 1.0), X), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_where_less(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(np.where(n < 1.0, X / np.maximum(n, 1.0), X), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_masked(X, rng):
    n = np.linalg.norm(X, axis=1)
    return [np.sum(X[n <= 1.25], axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_masked_greater(X, rng):
    n = np.linalg.norm(X, axis=1)
    return [np.sum(X[n >= 1.25], axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_masked_not(X, rng):
    n = np.linalg.norm(X, axis=1)
    return [np.sum(X[~(n > 1.25)], axis=0) + rng.normal(0, 1.0, size=3), np.sum(n > 1.25) + rng.normal(0, 1.0)]


@T(**M, claim=Z)
def v_norm_plus(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X / (n + 0.1), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_norm_minus(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X / np.maximum(n - 0.5, 0.25), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_norm_over(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X / np.maximum(n / 2.0, 0.25), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_norm_times(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X * n, axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_twice(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X * np.minimum(1.0, 1.0 / np.maximum(n, 1e-9))
    m = np.linalg.norm(Y, axis=1, keepdims=True)
    return [np.sum(Y * np.minimum(2.0, 0.5 / np.maximum(m, 1e-9)), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_and_shift(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X / np.maximum(n, 1.0) + np.array([0.0, 0.0, 1.0]), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_and_difference(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return [np.sum(Y - Y[:, ::-1], axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_clip_and_matrix(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return [np.sum(Y @ np.array([[1.0, 2.0], [0.0, 1.0], [-1.0, 0.5]]), axis=0) + rng.normal(0, 1.0, size=2)]


@T(**M, claim=Z)
def v_clip_and_gram(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return [Y.T @ Y + rng.normal(0, 1.0, size=(3, 3))]


@T(**M, claim=Z)
def v_clip_and_gram_of_two(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return [Y.T @ X[:, :2] + rng.normal(0, 1.0, size=(3, 2))]


@T(**M)
def v_clip_in_one_norm(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [np.sum(X / np.maximum(n, 1.0), axis=0) + rng.laplace(0, 1.0, size=3)]


@T(**M)
def v_clip_by_sum_of_sizes(X, rng):
    n = np.sum(np.abs(X), axis=1)[:, None]
    return [np.sum(X / np.maximum(n, 1.0), axis=0) + rng.laplace(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_loop(X, rng):
    t = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        t += row if n <= 1.0 else row / n
    return [t + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_loop_wrong_side(X, rng):
    t = np.zeros(3)
    for row in X:
        n = np.linalg.norm(row)
        t += row if n >= 1.0 else row / 2.0
    return [t + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_loop_factor(X, rng):
    t = np.zeros(3)
    for row in X:
        n = np.sqrt(np.sum(row * row))
        factor = 1.0
        if n > 2.0:
            factor = 2.0 / n
        t += row * factor
    return [t + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_loop_factor_of_less(X, rng):
    t = np.zeros(3)
    for row in X:
        n = np.sqrt(np.sum(row[:2] * row[:2]))
        factor = 1.0
        if n > 2.0:
            factor = 2.0 / n
        t += row * factor
    return [t + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_repeated_column(X, rng):
    return [np.sum(X[:, 0:1] * np.ones(3), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_selected_twice(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / np.maximum(n, 1.0)
    return [np.sum(Y, axis=0) + rng.normal(0, 1.0, size=3), np.sum(Y, axis=0)[:2] + rng.normal(0, 1.0, size=2)]


@T(**M, claim=Z)
def v_stacked(X, rng):
    a, b = np.sum(np.clip(X[:, 0], 0.0, 1.0)), np.sum(np.clip(X[:, 1], 0.0, 1.0))
    return [np.array([a, b, a - b]) + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_item_changed(X, rng):
    t = np.sum(np.clip(X, 0.0, 1.0), axis=0)
    t[1] = np.sum(np.clip(X[:, 0], 0.0, 2.0))
    return [t + rng.normal(0, 1.0, size=3)]


@T(**M, claim=Z)
def v_scales(X, rng):
    return [np.sum(np.clip(X, 0.0, 1.0), axis=0) + rng.normal(0, np.array([1.0, 2.0, 0.5]))]


@T(**M, claim=Z)
def v_scales_of_a_matrix(X, rng):
    Y = np.clip(X, -1.0, 1.0)
    return [Y.T @ Y + rng.normal(0, np.array([1.0, 2.0, 0.5]), size=(3, 3))]


@T(**M, claim=Z)
def v_scales_of_columns(X, rng):
    Y = np.clip(X, -1.0, 1.0)
    return [Y.T @ Y + rng.normal(0, np.array([[1.0], [2.0], [0.5]]), size=(3, 3))]


@T(**M)
def v_multiple_of_noise(X, rng):
    return [np.sum(np.clip(X, 0.0, 1.0), axis=0) + np.array([1.0, 2.0, 4.0]) * rng.laplace(size=3)]


@T(**M)
def v_sum_of_noisy(X, rng):
    t = np.sum(np.clip(X, 0.0, 1.0), axis=0)
    return [np.array([t[2], t[0], t[0]]) + rng.laplace(0, 1.0, size=3)]


@T(**M)
def v_product_of_sums(X, rng):
    t = np.sum(np.clip(X, 0.0, 1.0), axis=0) @ np.array([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]])
    return [t + rng.laplace(0, 1.0, size=2)]


@T(**XY, claim=Z)
def v_gradient(data, rng):
    X, y = data
    e = np.clip(X @ np.array([0.5, -1.0, 0.25]) - y, -1.0, 1.0)
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return [(X / np.maximum(n, 1.0)).T @ e + rng.normal(0, 1.0, size=3)]


@T(**XY, claim=Z)
def v_gradient_of_all(data, rng):
    X, y = data
    e = np.clip(X @ np.array([0.5, -1.0, 0.25]) - y, -1.0, 1.0)
    G = X * e[:, None]
    n = np.linalg.norm(G, axis=1, keepdims=True)
    return [np.sum(G / np.maximum(n, 1.0), axis=0) + rng.normal(0, 1.0, size=3)]


@T(**XY, claim=Z)
def v_gradient_in_two_steps(data, rng):
    X, y = data
    w = np.zeros(3)
    G = X * np.clip(X @ w - y, -1.0, 1.0)[:, None]
    n = np.linalg.norm(G, axis=1, keepdims=True)
    first = np.sum(G / np.maximum(n, 1.0), axis=0) + rng.normal(0, 1.0, size=3)
    H = X * np.clip(y, -1.0, 1.0)[:, None]
    return [first, np.sum(H / np.maximum(n, 1.0), axis=0) + rng.normal(0, 1.0, size=3)]


# ---- disjoint parts
@T(**LF, bounded=False)
def d_parts(data, rng):
    a = sum(1 for x in data if x < 0.0)
    b = sum(1 for x in data if 0.0 <= x < 1.0)
    c = sum(1 for x in data if x >= 1.0)
    d = sum(1 for x in data if x != x)
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0), d + rng.laplace(0, 1.0)]


@T(**LF, bounded=False)
def d_parts_that_meet(data, rng):
    a = sum(1 for x in data if x < 0.0)
    b = sum(1 for x in data if 0.0 <= x <= 1.0)
    c = sum(1 for x in data if x >= 1.0)
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)]


@T(**LF, consts=(1.0, 1.5, 2.0))
def d_parts_of_a_computed_value(data, rng):
    a = sum(1 for x in data if x * 2.0 < 3.0)
    b = sum(1 for x in data if x >= 1.5)
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)]


@T(**LF, consts=(0.1, 0.2, 0.3, 0.30000000000000004))
def d_parts_of_a_rounded_value(data, rng):
    a = sum(1 for x in data if x + 0.1 < 0.3)
    b = sum(1 for x in data if x + 0.1 >= 0.3)
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)]


@T(**AF)
def d_bins_and_halves(x, rng):
    h, _ = np.histogram(x, bins=[-2.0, 0.0, 3.0])
    return [h + rng.laplace(0, 1.0, size=2), np.sum(x < 0.0) + rng.laplace(0, 1.0)]


@T(**AF)
def d_bins_of_parts(x, rng):
    h, _ = np.histogram(x[x < 0.0], bins=[-2.0, -1.0, 0.0])
    g, _ = np.histogram(x[x >= 0.0], bins=[0.0, 1.0, 3.0])
    return [h + rng.laplace(0, 1.0, size=2), g + rng.laplace(0, 1.0, size=2)]


@T(**AF)
def d_bins_that_meet(x, rng):
    h, _ = np.histogram(x[x <= 0.0], bins=[-2.0, -1.0, 0.0])
    g, _ = np.histogram(x[x >= 0.0], bins=[0.0, 1.0, 3.0])
    return [h + rng.laplace(0, 1.0, size=2), g + rng.laplace(0, 1.0, size=2)]


@T(**RD)
def d_texts(data, rng):
    out = {"a": 0.0, "b": 0.0, "c": 0.0}
    for row in data:
        out[row["s"]] += min(max(row["x"], 0.0), 1.0)
    return [out["a"] + rng.laplace(0, 1.0), out["b"] + rng.laplace(0, 1.0), out["c"] + rng.laplace(0, 1.0)]


@T(**RD)
def d_texts_not(data, rng):
    a = sum(1 for row in data if row["s"] != "a")
    b = sum(1 for row in data if row["s"] != "b")
    c = sum(1 for row in data if row["s"] != "c")
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)]


@T(**RD, bounded=False)
def d_texts_of_any(data, rng):
    a = sum(1 for row in data if row["s"] == "a")
    b = sum(1 for row in data if row["s"] not in ("a", "b"))
    c = sum(1 for row in data if row["s"] == "b" or row["s"] == "c")
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)]


@T(**RT)
def d_keys(data, rng):
    out = {-1: 0.0, 0: 0.0, 1: 0.0}
    for x, k in data:
        if k in out:
            out[k] += abs(x)
    return [out[-1] + rng.laplace(0, 1.0), out[0] + rng.laplace(0, 1.0), out[1] + rng.laplace(0, 1.0)]


@T(**RT)
def d_get(data, rng):
    weights = {0: 1.0, 1: 2.0, 3: -4.0}
    return [sum(weights.get(k, 0.5) for x, k in data) + rng.laplace(0, 1.0)]


@T(**RT, rel="replace")
def d_replaced(data, rng):
    a = sum(1 for x, k in data if k == 0)
    b = sum(1 for x, k in data if k == 1)
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), sum(x for x, k in data if k == 2) + rng.laplace(0, 1.0)]


# ---- paths and released values
@T(**AF, consts=(0.0, 1.0, 5.0))
def p_two_queries(x, rng):
    a = np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)
    if a > 5.0:
        return [a, np.sum(np.clip(x, 0.0, 2.0)) + rng.laplace(0, 1.0)]
    return [a, np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 0.25)]


@T(**AF, claim="ZCDP(rho=1e300)", consts=(0.0, 1.0, 5.0))
def p_mixed(x, rng):
    a = np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)
    if a > 5.0:
        return [a, np.sum(np.clip(x, 0.0, 2.0)) + rng.normal(0, 1.0)]
    return [a, np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 0.25)]


@T(**AF, consts=(0.0, 1.0, 2.0))
def p_clipped_at_released(x, rng):
    a = np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)
    t = min(max(a, 0.5), 2.0)
    return [a, np.sum(np.minimum(np.maximum(x, 0.0), t)) + rng.laplace(0, t)]


@T(**AF, consts=(0.0, 1.0, 2.0))
def p_window(x, rng):
    a = np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)
    t = min(max(a, 0.0), 1.0)
    return [a, np.sum((x > t) & (x < t + 1.0)) + rng.laplace(0, 1.0)]


@T(**AF, consts=(0.0, 1.0, 2.0))
def p_scale_of_a_released(x, rng):
    a = np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)
    return [a, np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, min(max(a * a - 1.0, 0.5), 2.0))]


@T(**AF, consts=(0.0, 1.0, 2.0))
def p_scale_by_index(x, rng):
    a = np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)
    return [a, np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, [4.0, 2.0, 0.25][min(max(int(a), 0), 2)])]


@T(**AF, consts=(0.0, 1.0, 2.0))
def p_scale_by_largest(x, rng):
    a = np.array([np.sum(np.clip(x, 0.0, 1.0)), np.sum(x > 1.0)]) + rng.laplace(0, 1.0, size=2)
    return [a, np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, [2.0, 0.5][int(np.argmax(a))])]


@T(**AF, consts=(0.0, 1.0, 2.0))
def p_loop_of_queries(x, rng):
    out = []
    t = 0.0
    for _ in range(3):
        q = np.sum(np.clip(x - t, -1.0, 1.0)) + rng.laplace(0, 1.0)
        out.append(q)
        t = min(max(t + q * 0.1, -1.0), 1.0)
    return out


@T(**AF, claim=Z, consts=(0.0, 1.0, 2.0))
def p_loop_until(x, rng):
    out = []
    for k in range(4):
        q = np.sum(np.clip(x, 0.0, 1.0 + k)) + rng.normal(0, 1.0 + k)
        out.append(q)
        if q > 2.0:
            out.append(np.sum(np.clip(x, 0.0, 4.0 - k)) + rng.normal(0, 1.0))
            break
    return out


@T(**AF, rel="replace", consts=(0.0, 1.0, 2.0, 3.0))
def p_by_size(x, rng):
    n = len(x)
    if n > 2:
        return [np.mean(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0 / n)]
    return [np.sum(np.clip(x, 0.0, 2.0)) + rng.laplace(0, 1.0)]


@T(**AF, rel="replace")
def p_width(x, rng):
    return [np.sum(np.clip(x, 1.0, 2.0)) + rng.laplace(0, 1.0), np.sum(np.clip(x, 2.0, 3.0)) + rng.laplace(0, 1.0)]


@T(**AF, rel="replace")
def p_width_and_opposite(x, rng):
    return [np.sum(np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0), np.sum(-np.clip(x, 0.0, 1.0)) + rng.laplace(0, 1.0)]


@T(**AF)
def p_random_direction(x, rng):
    w = rng.random() * 2.0 - 1.0
    return [
        np.sum(np.clip(x, 0.0, 1.0)) * 1.0 + rng.laplace(0, 1.0),
        np.sum(np.clip(x * w, -0.5, 0.5)) + rng.laplace(0, 1.0),
    ]


# ---- counters and windows
@T(**LF)
def c_min_max_window(data, rng):
    return [sum(min(max(x, 0.0), 1.0) - min(max(x, 1.0), 2.0) for x in data) + rng.laplace(0, 1.0)]


@T(**LF)
def c_product_of_windows(data, rng):
    return [sum(min(max(x, 0.0), 1.0) * (1.0 - min(max(x - 1.0, 0.0), 1.0)) for x in data) + rng.laplace(0, 1.0)]


@T(**LF, consts=(0.0, 0.5, 1.0))
def c_helpers(data, rng):
    def bound(v, low=0.0, high=1.0):
        return low if v < low else high if v > high else v

    total = count = 0.0
    for x in data:
        y = bound(x)
        if y == 0.0:
            continue
        total += y
        count += 1.0 if y < 1.0 else 2.0
    return [total + rng.laplace(0, 1.0), count + rng.laplace(0, 1.0)]


@T(**LF)
def c_squares(data, rng):
    return [sum((x - 0.5) ** 2 for x in data) + rng.laplace(0, 1.0), sum(x * x - x for x in data) + rng.laplace(0, 1.0)]


@T(**LF)
def c_two_lists(data, rng):
    a, b = [], []
    for x in data:
        if x > 0.0:
            a.append(x)
        else:
            b.append(-x)
    return [
        sum(min(v, 2.0) for v in a) + rng.laplace(0, 1.0),
        sum(min(v, 2.0) for v in b) + rng.laplace(0, 1.0),
        len(a) + rng.laplace(0, 1.0),
    ]


@T(**LF)
def c_list_of_lists(data, rng):
    a = [x for x in data if x > 0.0]
    b = [v * v for v in a if v < 2.0]
    c = [min(v, 1.0) for v in b if v > 0.25]
    return [sum(c) + rng.laplace(0, 1.0), len(b) + rng.laplace(0, 1.0), len(a) + rng.laplace(0, 1.0)]


@T(**LF, consts=(0.0, 1.0, 0.5))
def c_truth(data, rng):
    return [
        sum(1.0 for x in data if x) + rng.laplace(0, 1.0),
        sum((x or 2.5) for x in data) + rng.laplace(0, 1.0),
        sum((x and 1.5) for x in data) + rng.laplace(0, 1.0),
    ]


@T(**RT)
def c_pairs(data, rng):
    return [
        sum(x * k for x, k in data) + rng.laplace(0, 1.0),
        sum(x / (abs(k) + 1) for x, k in data) + rng.laplace(0, 1.0),
    ]


@T(**CO)
def c_columns(data, rng):
    x, k = data["x"], data["k"]
    return [
        np.sum(x * k) + rng.laplace(0, 1.0),
        np.sum(np.where(k == 0, x, -x)) + rng.laplace(0, 1.0),
        np.sum(x[k > 0]) + rng.laplace(0, 1.0),
    ]


@T(**CO)
def c_columns_of_ranks(data, rng):
    x, k = data["x"], data["k"]
    m = (k > 0) | (x < 0.0)
    return [
        np.sum(np.clip(x[m], -1.0, 1.0)) + rng.laplace(0, 1.0),
        np.sum(np.clip(x[~m], -1.0, 1.0)) + rng.laplace(0, 1.0),
    ]


@T(**CO)
def c_weighted_bins(data, rng):
    h = np.zeros(3)
    for x, k in zip(data["x"], data["k"]):
        h[min(max(int(k), 0), 2)] += min(max(x, -1.0), 1.0)
        h[0] -= 0.5
    return [h + rng.laplace(0, 1.0, size=3)]


@T(**M)
def c_rows(X, rng):
    a = b = 0.0
    for u, v, w in X:
        a += min(max(u * v, -1.0), 1.0)
        b += u if w > 0.0 else -v
    return [a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)]
