"""Attacks of this reading on Python and numpy semantics, and on what is done with released values: none is a false certificate.

They are refused, above the claim, or proved and true (an array that is a copy stays what it was). Beside them 21,000 random
programs of known values and 4,400 with loops over records (fuzz2.py to fuzz5.py) were held against CPython: no difference
but that of found.py.
"""

import math


import numpy as np


ATTACKS = {}
TRUE = (
    "base",
    "neg_reshape",
    "index_by_released",
    "searchsorted_value_first",
    "minus_argmin",
    "int_of_clip",
    "peek_in_sum",
    "signs",
    "sorted_released",
    "one_after_another",
    "floor_released",
    "sum_axis_none",
    "max_axis_none",
    "clip_none",
    "sort_of",
    "ints_floor",
    "ints_trunc_loop",
    "dot_of_one",
    "noisy_floor",
    "two_conditions_of_one_record",
    "positive_ones",
    "place_plus_one",
    "bin_edge_of_the_largest",
    "add_in_place",
)
"""Their proofs hold."""
FD = dict(data=np.array([0.2, 0.9]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
X3 = dict(data=np.array([[0.5, 1.0, 0.2]] * 2), bounds="0:1", d0=np.zeros((0, 3)), d1=np.ones((1, 3)))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def spike(x):
    r = 1.0 / (1.0 + 1e13 * (1.0 + np.tanh(1e8 * (x * x - 0.2))))
    return 4.0 * r * (1.0 - r)


def hist(data):
    return np.histogram(data, bins=4, range=(0, 1))[0]


def noisy_counts(data, rng):
    return hist(data) + rng.laplace(0, 1.0, size=4)


def wrap(f, *a):
    return f(*a)


@A(**FD)
def base(data, rng):
    k = 1.0
    return np.sum(0.5 * data + 0.1 * k * spike(data)) + rng.laplace(0, 1.0)


@A(**FD)
def scale_from_argmax(data, rng):
    noisy = noisy_counts(data, rng)
    k = np.argmax(noisy)
    return np.sum(data) + rng.laplace(0, 1.0 + k)


@A(**FD)
def reshape_of_draw_item(data, rng):
    c = hist(data).reshape(2, 2)
    n = rng.laplace(0, 1.0, size=(2, 2))
    return c.ravel() + n.ravel()


@A(**FD)
def same_row_noise(data, rng):
    c = hist(data).reshape(2, 2)
    n = rng.laplace(0, 1.0, size=(2, 2))
    return c[0] + n[0], c[1] + n[0]


@A(**FD)
def neg_reshape(data, rng):
    c = hist(data).reshape(-1, 2)
    return c.T + rng.laplace(0, 1.0, size=(2, 2))


@A(**FD)
def choose_bin(data, rng):
    noisy = noisy_counts(data, rng)
    c = hist(data)
    i = np.argmax(noisy)
    j = np.argmin(noisy)
    return c[i] + c[j] + rng.laplace(0, 1.0)


@A(claim="PureDP(epsilon=2)", **FD)
def choose_bin2(data, rng):
    noisy = noisy_counts(data, rng)
    c = hist(data)
    i = np.argmax(noisy)
    j = np.argmin(noisy)
    return c[i] + c[j] + rng.laplace(0, 1.0)


@A(**FD)
def interp_scale(data, rng):
    noisy = noisy_counts(data, rng)
    s = np.interp(0.5, np.sort(noisy), np.array([1.0, 2.0, 3.0, 4.0]))
    return np.sum(data) + rng.laplace(0, s)


@A(**FD)
def choice_scale(data, rng):
    noisy = noisy_counts(data, rng)
    p = np.maximum(noisy, 0) + 1
    s = rng.choice([1.0, 2.0], p=(p / p.sum())[:2])
    return np.sum(data) + rng.laplace(0, s)


@A(**FD)
def where_in_place_scale(data, rng):
    noisy = noisy_counts(data, rng)
    noisy = np.maximum(noisy, 1.0)
    noisy[noisy > 5] = 0.01
    return np.sum(data) + rng.laplace(0, noisy[0])


@A(claim="PureDP(epsilon=2)", **FD)
def where_in_place_scale2(data, rng):
    noisy = noisy_counts(data, rng)
    noisy = np.maximum(noisy, 1.0)
    m = noisy > 5
    noisy[m] = 1.0
    noisy -= noisy.min()
    noisy += 1.0
    return np.sum(data) + rng.laplace(0, noisy[0])


@A(claim="PureDP(epsilon=2)", **FD)
def copy_then_change(data, rng):
    noisy = np.maximum(noisy_counts(data, rng), 1.0)
    c = noisy.copy()
    noisy *= 1e-3
    return np.sum(data) + rng.laplace(0, c[0])


@A(claim="PureDP(epsilon=2)", **FD)
def round_then_change(data, rng):
    noisy = np.maximum(noisy_counts(data, rng), 1.0)
    c = np.round(noisy, 0)
    noisy *= 1e-3
    return np.sum(data) + rng.laplace(0, np.maximum(c, 1.0)[0])


@A(claim="PureDP(epsilon=2)", **FD)
def index_by_released(data, rng):
    noisy = noisy_counts(data, rng)
    w = [1.0, 2.0, 3.0, 4.0]
    s = w[int(np.argmax(noisy))]
    return np.sum(data) + rng.laplace(0, s)


@A(claim="PureDP(epsilon=2)", **FD)
def index_by_searchsorted(data, rng):
    noisy = noisy_counts(data, rng)
    w = np.array([1.0, 2.0, 3.0, 4.0, 0.001])
    s = w[np.searchsorted(np.sort(noisy), 0.0)]
    return np.sum(data) + rng.laplace(0, s)


@A(claim="PureDP(epsilon=2)", **FD)
def searchsorted_value_first(data, rng):
    noisy = noisy_counts(data, rng)
    k = np.searchsorted([0.0, 1.0], noisy)
    return np.sum(data) + rng.laplace(0, 1.0 + k[0])


@A(claim="PureDP(epsilon=2)", **FD)
def argmax_axis(data, rng):
    noisy = noisy_counts(data, rng).reshape(2, 2)
    k = np.argmax(noisy, axis=1)
    return np.sum(data) + rng.laplace(0, 1.0 / (1 + k[0]))


@A(claim="PureDP(epsilon=2)", **FD)
def minus_argmin(data, rng):
    noisy = noisy_counts(data, rng)
    k = noisy.argmin()
    return np.sum(data) + rng.laplace(0, 4.0 - k)


@A(claim="PureDP(epsilon=2)", **FD)
def int_of_clip(data, rng):
    noisy = noisy_counts(data, rng)
    k = int(np.clip(noisy[0], 1.0, 3.0))
    return np.sum(data) + rng.laplace(0, float(k))


@A(claim="PureDP(epsilon=2)", **FD)
def round_of_clip(data, rng):
    noisy = noisy_counts(data, rng)
    k = round(max(min(noisy[0], 3.0), 1.0))
    return np.sum(data) + rng.laplace(0, max(float(k), 1.0))


@A(claim="PureDP(epsilon=2)", **FD)
def any_scale(data, rng):
    noisy = noisy_counts(data, rng)
    return np.sum(data) + rng.laplace(0, 1.0 + (noisy > 1e9).sum())


@A(claim="PureDP(epsilon=2)", **FD)
def norm_scale(data, rng):
    noisy = noisy_counts(data, rng)
    return np.sum(data) + rng.laplace(0, 1.0 + np.linalg.norm(noisy))


@A(claim="PureDP(epsilon=2)", **FD)
def var_scale(data, rng):
    noisy = noisy_counts(data, rng)
    return np.sum(data) + rng.laplace(0, 1.0 + np.var(noisy))


@A(**FD)
def weights_in_range(data, rng):
    """natural"""
    weights = np.full(2, 0.5)
    kept = np.clip(weights, 0.0, 1.0, weights)
    weights /= weights.sum()
    weights *= 10.0
    return np.sum(kept[0] * data + 0.01 * kept[1] * spike(data)) + rng.laplace(0, 1.0)


@A(**FD)
def scale_seen(data, rng):
    w = np.ones(2)
    v = np.abs(w, w)
    w *= 0.01
    return np.sum(data) + rng.laplace(0, v[0])


@A(**FD)
def loop_alias(data, rng):
    w = np.zeros(2)
    v = np.abs(w, w)
    for x in data:
        w[0] += x
    return w[0] + rng.laplace(0, 1.0), v[0]


@A(**FD)
def loop_alias_later(data, rng):
    w = np.zeros(2)
    v = np.abs(w, w)
    for x in data:
        w += x * 0.5
    s = w + rng.laplace(0, 1.0, size=2)
    return s, v


@A(**FD)
def out_wrapped(data, rng):
    w = np.zeros(2)
    v = wrap(np.floor, w, w)
    w[0] = np.sum(data)
    return w[0] + rng.laplace(0, 1.0), 1 if v[0] > 1000 else 0


@A(**FD)
def out_partly(data, rng):
    w = np.zeros(2)
    v = np.floor(w[:1], w[1:])
    w[1] = np.sum(data)
    return w[1] + rng.laplace(0, 1.0), 1 if v[0] > 1000 else 0


@A(**FD)
def concatenate_out(data, rng):
    w = np.zeros(2)
    v = np.stack([np.zeros(2)], 0, w.reshape(1, 2))
    w[1] = np.sum(data)
    return w[1] + rng.laplace(0, 1.0), 1 if v[0, 0] > 1000 else 0


@A(**FD)
def add_private_out(data, rng):
    h = np.histogram(data, bins=2, range=(0, 1))[0] * 1.0
    v = np.abs(h, h)
    return h + rng.laplace(0, 1.0, size=2)


@A(**FD)
def copy_column(data, rng):
    y = data.copy()
    z = y[y > 0.5]
    y *= 0.5
    return np.sum(z) + np.sum(y) + rng.laplace(0, 1.0)


@A(**FD)
def copy_column2(data, rng):
    y = data.copy()
    z = y[:]
    y *= 2
    return np.sum(z) + rng.laplace(0, 1.0)


@A(**X3)
def rows_copy(data, rng):
    t = 0.0
    for row in data:
        r = row.copy()
        q = r[0:1]
        r *= 0.1
        t += q[0]
    return t + rng.laplace(0, 1.0)


@A(**X3)
def rows_copy2(data, rng):
    t = 0.0
    for row in data:
        r = row.copy()
        q = r
        r *= 3
        t += q[0]
    return t + rng.laplace(0, 1.0)


@A(**X3)
def rows_T(data, rng):
    y = data.copy()
    z = y.T
    y *= 3
    return np.sum((z @ np.ones(1) if 0 else y)[:, 0]) + rng.laplace(0, 3.0)


@A(**X3)
def reshape_private_alias(data, rng):
    s = data.sum(axis=0) * 1.0
    r = s.reshape(3, 1)
    s *= 0.001
    return r + rng.laplace(0, 1.0, size=(3, 1))


@A(claim="PureDP(epsilon=3)", **X3)
def peek_in_sum(data, rng):
    s = data.sum(axis=0) * 1.0
    r = np.sum(s)
    s *= 0.001
    return r + rng.laplace(0, 1.0)


@A(claim="PureDP(epsilon=3)", **X3)
def peek_clip_none(data, rng):
    s = data.sum(axis=0) * 1.0
    n = s + rng.laplace(0, 1.0, size=3)
    m = np.clip(n, None, 1.0)
    m2 = np.sum(m.reshape(3, 1), 1)
    m[0] = 5.0
    return m2, m


@A(**FD)
def signs(data, rng):
    n = np.histogram(data, bins=3, range=(0, 1))[0] + rng.laplace(0, 1.0, size=3)
    return [float(q) for q in n if q > 0], int(np.argmax(n))


@A(claim="PureDP(epsilon=3)", **FD)
def sorted_released(data, rng):
    n = np.array([np.sum(data) + rng.laplace(0, 1.0), np.sum(data) * 0.5 + rng.laplace(), len(data) + rng.laplace()])
    return np.sort(n), int(np.argmax(n))


@A(claim="PureDP(epsilon=3)", **FD)
def one_after_another(data, rng):
    n = np.zeros(3)
    n[0] = np.sum(data) + rng.laplace(0, 1.0)
    n[1] = len(data) + rng.laplace()
    n[2] = np.sum(data > 0.5) + rng.laplace()
    r = None
    for i, v in enumerate(n):
        if v < 0:
            r = i
    return r


@A(claim="PureDP(epsilon=3)", **FD)
def floor_released(data, rng):
    n = np.array([np.sum(data) + rng.laplace(0, 1.0), len(data) + rng.laplace()])
    return n % 2.0, np.floor(n)


@A(**FD)
def histogram_edges(data, rng):
    e = np.linspace(0, 1, 3)
    h, f = np.histogram(data, bins=e)
    e[0] = np.sum(data)
    return h + rng.laplace(0, 1.0, size=2), f * 1e-15


@A(**FD)
def linspace_own(data, rng):
    e = np.linspace(0, 1, 3)
    f = np.linspace(e, e, 1)[0]
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def full_own(data, rng):
    e = np.zeros(2)
    f = np.full(2, e)
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def sum_axis_none(data, rng):
    e = np.zeros(2)
    f = np.sum(e, ())
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def max_axis_none(data, rng):
    e = np.zeros((1, 2))
    f = np.max(e, 0)
    e[0, 0] = np.sum(data)
    return e[0, 0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def clip_none(data, rng):
    e = np.zeros(2)
    f = np.clip(e, None, None)
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def round_of(data, rng):
    e = np.zeros(2)
    f = np.round(e)
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def sort_of(data, rng):
    e = np.zeros(2)
    f = np.sort(e)
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def nan_to_num_of(data, rng):
    e = np.zeros(2) + np.sum(data)
    f = np.abs(np.zeros(2))
    f[0] = e[0]
    return f + rng.laplace(0, 2.0, size=2)


@A(**FD)
def ints_floor(data, rng):
    e = np.zeros(2, int)
    f = np.floor(e)
    e[0] = len(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def ints_trunc_loop(data, rng):
    e = np.zeros(2, int)
    f = np.ceil(e)
    g = np.rint(e)
    for x in data:
        e[0] += 1
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15, g[0] * 1e-15


@A(**FD)
def dot_of_one(data, rng):
    e = np.zeros(2)
    f = np.dot(1.0, e)
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def in_a_loop_out(data, rng):
    e = np.zeros(2)
    s = 0.0
    for x in data:
        f = np.abs(e, e)
        s += x + f[0]
    e[0] = np.sum(data)
    return s + rng.laplace(0, 1.0)


@A(**FD)
def noisy_floor(data, rng):
    n = np.histogram(data, bins=2, range=(0, 1))[0] + rng.laplace(0, 1.0, size=2)
    m = np.floor(n)
    n[0] = 0.0
    n[n < 0] = 1.0
    return n, m


@A(**FD)
def where_one(data, rng):
    e = np.zeros(2)
    f = np.where(e > 0, e, e)
    e[0] = np.sum(data)
    return e[0] + rng.laplace(0, 1.0), f[0] * 1e-15


@A(**FD)
def conditional_write(data, rng):
    e = np.zeros(2)
    f = np.zeros(2)
    for x in data:
        e[0] += x
    np.multiply(f, 1.0, f)
    np.abs(f, f)
    return e[0] + rng.laplace(0, 1.0), f[0]


@A(claim="PureDP(epsilon=1)", **FD)
def two_conditions_of_one_record(data, rng):
    counts = [0.0, 0.0]
    for x in data:
        if x <= 0.5:
            counts[int(x * 1.5)] += 1.0
    return [v + rng.laplace(0, 1.0) for v in counts]


@A(**FD)
def positive_ones(data, rng):
    n = np.array([np.sum(data) * 0.3 + rng.laplace(0, 1.0), np.sum(np.abs(data - 0.5)) + rng.laplace(0, 1.0)])
    return [float(q) for q in n if q > 0]


@A(**FD)
def noise_of_a_table(data, rng):
    c = np.histogram(data, bins=4, range=(0, 1))[0]
    return c + rng.laplace(0, 1.0, size=(2, 2)).ravel()


@A(**FD)
def place_plus_one(data, rng):
    n = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, size=4)
    return np.argmax(n) + 1


@A(**FD)
def bin_edge_of_the_largest(data, rng):
    h, e = np.histogram(data, bins=4, range=(0, 1))
    k = np.argmax(h + rng.laplace(0, 1.0, size=4))
    return (e[k] + e[k + 1]) / 2


@A(**FD)
def clip_in_place(data, rng):
    n = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, size=4)
    np.clip(n, 0, None, out=n)
    return n


@A(**FD)
def add_in_place(data, rng):
    h = np.histogram(data, bins=4, range=(0, 1))[0].astype(float)
    h += rng.laplace(0, 1.0, size=4)
    return h


@A(**FD)
def sorted_by_count(data, rng):
    n = np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, size=4)
    return n[np.argsort(n)[::-1]]


@A(**FD)
def count_then_mean(data, rng):
    n = max(1, round(len(data) + rng.laplace(0, 2.0)))
    return (np.sum(data) + rng.laplace(0, 2.0)) / n
