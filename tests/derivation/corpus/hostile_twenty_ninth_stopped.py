"""Attacks of the twenty-ninth reading on the kernel and the seam that stop, or are not false (their loss is at most the claim)."""

import math
import numpy as np

ATTACKS = {}


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


F = dict(data=np.array([0.5, 1.0]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
W = dict(data=np.array([0.5, 1.0]), d0=np.array([]), d1=np.array([math.nan]))
L = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
M = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
I = dict(data=np.array([5, 7]), bounds="0:1000000", d0=np.array([], dtype=int), d1=np.array([1000000]))
RE = dict(data=np.array([0.5, 1.0]), bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
MN = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="-1:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


@A(**F)
def same_draw_negated(x, rng):
    z = rng.laplace(0, 1.0)
    return np.sum(x) + z, np.sum(x) - z


@A(**F)
def same_draw_element(x, rng):
    z = rng.laplace(0, 1.0, size=2)
    return np.sum(x) + z[0], np.sum(x) * 1000.0 + z[0]


@A(**F)
def draw_shown_after(x, rng):
    z = rng.laplace(0, 1.0)
    a = np.sum(x) + z
    return a, z + 0.0


@A(**F)
def draw_stack_take(x, rng):
    z = rng.laplace(0, 1.0, size=2)
    w = np.array([z[1], z[1]])
    return np.array([np.sum(x), np.sum(x)]) + w


@A(**F)
def draw_by_record_scale(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0) * (1.0 + np.sum(x))


@A(**F)
def one_draw_two_numbers(x, rng):
    z = rng.laplace(0, 2.0)
    return np.array([np.sum(x), np.sum(x) * 2.0]) + z


@A(**F)
def difference_of_private(x, rng):
    s = np.sum(x) * np.ones(2)
    r = s + rng.laplace(0, 2.0, size=2)
    return r, (s - r) * 1.0


@A(**F)
def scale_goes_to_zero(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    return r, np.sum(x) + rng.laplace(0, 2.0 * abs(math.tanh(r)))


@A(**F)
def scale_nan(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    return r, np.sum(x) + rng.laplace(0, np.fmax(2.0, np.sqrt(r)))


@A(**F)
def scale_max_nan_first(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    return r, np.sum(x) * 1.0 + rng.laplace(0, max(np.sqrt(r), 2.0))


@A(**F)
def factor_beyond(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = min(max(r, -1.0), 1.0)
    return r, np.sum(x) * (c + 1.0) + rng.laplace(0, 2.0)


@A(**F)
def factor_by_where_nan(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = min(1.0, np.sqrt(r))
    return r, np.sum(np.clip(x * c, 0, 1)) * 2.0 + rng.laplace(0, 2.0)


@A(**M)
def norm_of_other(X, rng):
    t = np.zeros(2)
    for v in X:
        t += v / max(1.0, np.linalg.norm(v[:1]))
    return t + rng.laplace(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **M)
def norm_of_scaled(X, rng):
    t = np.zeros(2)
    for v in X:
        w = v * 2.0
        t += w / max(1.0, np.linalg.norm(v))
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **M)
def norm_clip_then_add(X, rng):
    t = np.zeros(2)
    for v in X:
        t += v / max(1.0, np.linalg.norm(v)) + 0.1
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **M)
def norm_plus_negative(X, rng):
    t = np.zeros(2)
    for v in X:
        t += v / (np.linalg.norm(v) - v[0] + 0.001)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **M)
def norm_axis_of_columns(X, rng):
    n = np.linalg.norm(X, axis=1)
    return (X / np.maximum(n, 0.5)[:, None]).sum(axis=0) + rng.normal(0, 0.9, size=2)


@A(claim="GDP(mu=1)", **MN)
def norm_min_of_two(X, rng):
    t = np.zeros(2)
    for v in X:
        t += v / np.minimum(np.maximum(np.linalg.norm(v), 1.0), 1.2)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **MN)
def norm_cut_below(X, rng):
    t = np.zeros(2)
    for v in X:
        if not np.linalg.norm(v) <= 1.0:
            t += v
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **MN)
def norm_square_not_root(X, rng):
    t = np.zeros(2)
    for v in X:
        t += v / max(1.0, np.sum(v**2) / 1.5)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **MN)
def norm_power_of_norm(X, rng):
    t = np.zeros(2)
    for v in X:
        n = np.linalg.norm(v)
        t += v * min(1.0, 1.0 / max(n, 1e-9)) * max(1.0, n)
    return t + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **MN)
def where_norm_each(X, rng):
    t = np.zeros(2)
    for v in X:
        t += np.where(v > 0.0, v / max(1.0, np.linalg.norm(v)), 1.0)
    return t + rng.normal(0, 1.0, size=2)


@A(**I)
def sum_of_squares_wraps(x, rng):
    return np.sum(x * x * x * x) // 10**18 + rng.laplace(0, 1.0)


@A(**I)
def ints_wrap_to_small(x, rng):
    y = x * 4611686018427387904
    return np.sum(np.clip(y, 0, 1)) * 1000 + rng.laplace(0, 1.0)


@A(**I)
def modulo_by_public(x, rng):
    return np.sum(x % 7) / 3.0 + rng.laplace(0, 1.0)


@A(**I)
def floor_of_large(x, rng):
    return np.sum(np.floor(x * 1e-6 + 1e16 - 1e16)) + rng.laplace(0, 1.0)


@A(**F)
def cancels(x, rng):
    return np.sum((x + 1e16) - 1e16) + rng.laplace(0, 1.0)


@A(**F)
def cancels_by_product(x, rng):
    return np.sum(x * 1e300 / 1e300) * 2.0 + rng.laplace(0, 1.0)


@A(**W)
def nan_goes_both(x, rng):
    return (
        np.sum(x < 0) + rng.laplace(0, 2.0),
        np.sum(~(x < 0)) + rng.laplace(0, 2.0),
        np.sum(np.isnan(x)) + rng.laplace(0, 1.0),
    )


@A(**W)
def nan_ge_and_lt(x, rng):
    a, b, c = np.sum(x < 0), np.sum(x >= 0), np.sum(np.logical_not(x == x))
    return (
        a + rng.laplace(0, 1.0),
        b + rng.laplace(0, 1.0),
        c + rng.laplace(0, 1.0),
        np.sum(np.logical_not(x < 5)) + rng.laplace(0, 9.0),
    )


@A(**W)
def nan_clip_order(x, rng):
    return np.sum(np.minimum(np.fmax(x, 0.0), 1.0)) + rng.laplace(0, 0.99)


@A(**W)
def nan_to_num_far(x, rng):
    return np.sum(np.clip(np.nan_to_num(x, nan=3.0), 0, 1)) * 1.01 + rng.laplace(0, 1.0)


@A(**dict(W, data=[0.5, 1.0], d0=[], d1=[math.nan]))
def nan_python_min(x, rng):
    return sum(min(max(0.0, e), 1.0) for e in x) * 1.0 + sum(1 for e in x if e != e) + rng.laplace(0, 1.0)


@A(**dict(W, data=[0.5, 1.0], d0=[], d1=[math.nan]))
def nan_python_max_first(x, rng):
    return sum(min(max(e, 0.0), 1.0) for e in x) + rng.laplace(0, 1.0)


@A(**F)
def histogram_and_edges(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 0.5, 1.0])
    return h + rng.laplace(0, 1.0, size=2), np.sum(x == 0.5) + rng.laplace(0, 1.0)


@A(**F)
def histogram_closed_end(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 0.5, 1.0])
    return h + rng.laplace(0, 1.0, size=2), np.sum(x >= 1.0) + rng.laplace(0, 1.0)


@A(**F)
def disjoint_by_rounding(x, rng):
    y = x * 0.1 * 10.0
    return np.sum(y < 0.3) + rng.laplace(0, 1.0), np.sum(x >= 0.3) + rng.laplace(0, 1.0)


@A(**RE)
def mean_twice_n(x, rng):
    return np.mean(x) * 2.0 + rng.laplace(0, 1.0 / len(x))


@A(**RE)
def mean_n_squared(x, rng):
    n = len(x)
    return np.sum(x) / n * n + rng.laplace(0, 1.0 / n)


@A(**RE)
def mean_scale_grows(x, rng):
    n = len(x)
    return np.sum(x) * n + rng.laplace(0, 1.0 * n) * 0.999


@A(**RE)
def n_int64_wraps(x, rng):
    n = len(x)
    k = np.int64(2**62) * n
    return np.sum(x) / 1.0 + rng.laplace(0, abs(k) / 2.0**62)


@A(**RE)
def replace_counts_once(x, rng):
    return np.sum(x > 0.5) + rng.laplace(0, 1.0), np.sum(x <= 0.5) + rng.laplace(0, 1.0)


@A(claim="GDP(mu=1)", **RE)
def replace_gauss_hist(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 0.5, 1.0])
    return h + rng.normal(0, 1.0, size=2)


@A(claim="ZCDP(rho=0.5)", **F)
def zcdp_pure_twice(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0), np.sum(x) * 0.1 + rng.laplace(0, 1.0)


@A(claim="ZCDP(rho=0.5)", **F)
def zcdp_mix(x, rng):
    return np.sum(x) + rng.normal(0, 1.0), np.sum(x) * 0.01 + rng.laplace(0, 1.0)


@A(claim="RDP(epsilon=1, order=2)", **F)
def rdp_mix(x, rng):
    return np.sum(x) + rng.normal(0, 1.0), np.sum(x) * 0.01 + rng.laplace(0, 1.0)


@A(claim="ApproxDP(epsilon=1, delta=0.1269)", **F)
def approx_at_mu(x, rng):
    return np.sum(x) + rng.normal(0, 1.0)


@A(claim="ApproxDP(epsilon=1.0, delta=0.1269)", **F)
def approx_mix(x, rng):
    return np.sum(x) + rng.normal(0, 1.0), np.sum(x) * 1e-3 + rng.laplace(0, 1.0)


@A(**F)
def geometric_one_side(x, rng):
    return np.sum(x > 0.5) + rng.geometric(0.5)


@A(**F)
def geometric_same(x, rng):
    g = rng.geometric(0.6)
    return int(np.sum(x > 0.5)) + g - g


@A(**F)
def geometric_twice_value(x, rng):
    return 2 * np.sum(x > 0.5) + rng.geometric(0.6) - rng.geometric(0.6)


@A(**F)
def geometric_other_p(x, rng):
    return np.sum(x > 0.5) + rng.geometric(0.6) - rng.geometric(0.9)


@A(**F)
def geometric_of_double(x, rng):
    return np.sum(x) + rng.geometric(0.6) - rng.geometric(0.6)


@A(**F)
def branch_window(x, rng):
    r = np.sum(x) + rng.laplace(0, 1.0)
    if 0.123456 < r < 0.123457:
        return r, np.sum(x)
    return r, 0.0


@A(**F)
def branch_then_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    s = 2.0 if r < 1e9 else 1e-3
    return r, np.sum(x) + rng.laplace(0, s)


@A(**F)
def branch_on_nan(x, rng):
    r = np.sum(x) + rng.laplace(0, 1.0)
    y = np.sqrt(r)
    if not y < 5.0 and not y >= 5.0:
        return np.sum(x)
    return r


@A(**F)
def range_of_int(x, rng):
    r = np.sum(x) + rng.laplace(0, 1.0)
    k = int(min(max(r, 0.0), 1.9999999999999999))
    return [r, 0.0][k] + np.sum(x) * k


@A(**F)
def argmax_factor(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    k = np.argmax(np.array([0.0, r, 2.0]))
    return r, np.sum(x) * k + rng.laplace(0, 2.0)


@A(**F)
def searchsorted_factor(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    k = np.searchsorted(np.array([0.0, 1.0]), r)
    return r, np.sum(x) * k + rng.laplace(0, 2.0)


@A(**F)
def random_factor(x, rng):
    u = rng.uniform(0.0, 2.0)
    return np.sum(x) * u + rng.laplace(0, 1.0)


@A(**F)
def choice_factor(x, rng):
    u = rng.choice(np.array([0.5, 1.0]))
    return np.sum(x) * u * 2.0 + rng.laplace(0, 1.0)


@A(**F)
def integers_wrap(x, rng):
    k = rng.integers(0, 2)
    return np.sum(x) * (k * 4611686018427387904 * 4) + rng.laplace(0, 1.0)


@A(**F)
def stack_types(x, rng):
    s = np.array([np.sum(x > 0.5), np.sum(x)])
    return s + rng.laplace(0, 1.0, size=2)


@A(**M)
def matmul_wide(X, rng):
    return (X @ np.array([[1.0, 1.0], [1.0, -1.0]])).sum(axis=0) + rng.laplace(0, 2.0, size=2)


@A(claim="GDP(mu=1)", **M)
def gram_norm(X, rng):
    return X.T @ X + rng.normal(0, 1.9, size=(2, 2))


@A(claim="GDP(mu=1)", **M)
def outer_of_clipped(X, rng):
    Y = X / np.maximum(1.0, np.linalg.norm(X, axis=1)[:, None])
    return Y.T @ Y + rng.normal(0, 0.99, size=(2, 2))


@A(**M)
def take_twice(X, rng):
    s = X.sum(axis=0)
    return np.array([s[0], s[0], s[1]]) + rng.laplace(0, 2.0, size=3)


@A(**M)
def spread_sum(X, rng):
    return X.sum() + rng.laplace(0, 2.0, size=2)


@A(**F)
def loc_vector(x, rng):
    return rng.laplace(np.sum(x), np.array([1.0, 2.0]))


@A(**F)
def loc_with_size(x, rng):
    return rng.laplace(np.sum(x), 1.0, size=2)


@A(**F)
def scale_vector_least(x, rng):
    return np.sum(x) * np.array([1.0, 1.0]) + rng.laplace(0, np.array([1.0, 1e9]))


@A(**F)
def normal_times_scale_twice(x, rng):
    return np.sum(x) + rng.standard_normal() * 2.0 * 0.25


@A(claim="GDP(mu=1)", **F)
def normal_over_scale(x, rng):
    return np.sum(x) + rng.standard_normal() / 1.001


@A(**F)
def masked_divide(x, rng):
    y = x[x > 0.1]
    return np.sum(1.0 / y) / 9.0 + rng.laplace(0, 1.0)


@A(**F)
def masked_log(x, rng):
    y = x[x >= 0.5]
    return np.sum(-np.log(y)) * 1.5 + rng.laplace(0, 1.0)


@A(**F)
def peak_of_parabola(x, rng):
    return np.sum(4.4 * x * (1.0 - x)) + rng.laplace(0, 1.0)


@A(**F)
def peak_of_square(x, rng):
    return np.sum((x - 0.5) ** 2) * 4.001 + rng.laplace(0, 1.0)


@A(**F)
def tanh_end(x, rng):
    return np.sum(np.tanh(x)) / 0.76 + rng.laplace(0, 1.0)


@A(**F)
def exp_end(x, rng):
    return np.sum(np.exp(x)) / 2.718 + rng.laplace(0, 1.0)


@A(**F)
def where_both(x, rng):
    return np.sum(np.where(x > 0.5, x, -x)) * 1.5 + rng.laplace(0, 1.0)


@A(**L)
def choose_in_turn(x, rng):
    t = 0.0
    for e in x:
        y = e
        if y > 0.5:
            y = 1.0 - y
        if y > 0.25:
            y = y * 4.5
        t += y * 0.5
    return t + rng.laplace(0, 1.0)


@A(**L)
def counts_thrice(x, rng):
    t = [0, 0, 0]
    for e in x:
        t[min(int(e * 3.0), 2)] += 1
        t[0] += 1
    return [k + rng.laplace(0, 1.0) for k in t]


@A(**L)
def dict_counts(x, rng):
    t = {0: 0, 1: 0}
    for e in x:
        t[round(e)] += 1 + round(e)
    return {k: v + rng.laplace(0, 1.0) for k, v in t.items()}


@A(
    data=[{"u": 1, "v": 0.5}, {"u": 1, "v": 0.5}],
    bounds={"u": (0, 9), "v": (0.0, 1.0)},
    unit="u",
    most_per_unit=3,
    d0=[],
    d1=[{"u": 1, "v": 1.0}] * 3,
)
def group_of_three(data, rng):
    return sum(r["v"] for r in data) + rng.laplace(0, 2.9)


@A(
    claim="GDP(mu=1)",
    data=[{"u": 1, "v": 0.5}, {"u": 1, "v": 0.5}],
    bounds={"u": (0, 9), "v": (0.0, 1.0)},
    unit="u",
    most_per_unit=3,
    d0=[],
    d1=[{"u": 1, "v": 1.0}] * 3,
)
def group_gauss(data, rng):
    a = sum(1 for r in data if r["v"] > 0.5)
    b = sum(1 for r in data if r["v"] <= 0.5)
    return a + rng.normal(0, 2.9), b + rng.normal(0, 2.9)
