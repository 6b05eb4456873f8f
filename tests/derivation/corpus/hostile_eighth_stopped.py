"""Attacks of one more reading that were rightly not proved."""

import math
import numpy as np

ATTACKS = {}
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=L, bounds="0:1", d0=[], d1=[1.0])
TRUE = np.True_
X = np.array([[0.5, 1.0], [0.25, 0.5]])
XD = dict(data=X, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


@A(**FD)
def item_condition(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        a = np.zeros(1, dtype=int)
        a[0] = int(r > 0.1)
        b = np.zeros(1)
        b[0] = r > 0.1
        if (a * 2**62 * 4)[0] > 0:
            scale = 1e-6
        if (b * 2**62 * 4)[0] > 2**63:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def exposed_clipped(x, rng):
    n = rng.geometric(0.95)
    scale = 1.0
    if np.clip(n, 3, 4) * 2**61 < 0:
        scale = 1e-6
    return n * 1, np.sum(x) + rng.laplace(0, scale)


@A(**FD)
def exposed_python_minimum(x, rng):
    n = rng.geometric(0.39, size=1)[0]
    m = min(n, 2**61)
    scale = 1.0
    if abs(m * 2**54) < 0:
        scale = 1e-6
    return np.sum(x) + rng.laplace(0, scale)


@A(**FD)
def exposed_maximum_of_doubles(x, rng):
    n = rng.laplace(0, 1.0, size=1)[0]
    m = max(n, 30)
    scale = 1.0
    if (m * (n > 0.2)) * 2**60 < 0:
        scale = 1e-6
    return np.sum(x) + rng.laplace(0, scale)


@A(**FD)
def concatenate_int64_then_item(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=2)
    b = r > 0.3
    d = np.concatenate(([], b))
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        if (d * 2**63)[0] > 1:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def condition_of_two_arrays(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=2)
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        k = min(max(0, round(float(r[1]))), 9.5)
        q = (r[0] > 0.2) + k
        if q * 2**62 * 2**62 == 0 and q > 0:
            scale = 1e-6
    return r[0], s + rng.laplace(0, scale)


@A(data=L, bounds="0:1", d0=[], d1=[0.6865])
def private_number_times_condition(x, rng):
    t = 0
    for v in x:
        if 0.4712 < v * v < 0.4713:
            t += min(int(v * 10), 11.5)
        else:
            t += 0
    k = t * np.True_
    return k * 2**61 + rng.laplace(0, 6 * 2.0**61)


@A(**FD)
def norm_of_matrix(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        a = rng.random((2, 2))
        if np.linalg.norm(a, 2) > np.linalg.norm(a):
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def transposed_three(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        a = rng.random((2, 3, 2))
        if a.T.shape[0] == 3:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def rounded_array(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=1)
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        k = round(r)
        scale = 2.0 + abs(k[0])
    return r, s + rng.laplace(0, scale)


@A(**LD)
def zero_d_number(x, rng):
    s = sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    z = np.asarray(2)
    if 0.4712 < r * r < 0.4713:
        k = min(max(0, round(r * 1000)), 5000.5)
        if k * z * 2**54 < 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def concatenate_scalars_list(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        k = np.argmax(np.array([r, r + 1.0]))
        d = np.concatenate((np.zeros(0), np.array([k, k])))
        if d[0] * 2**62 * 4 > 1:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def number_minus_condition(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=1)
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        k = min(max(0, round(float(r[0]) * 1000)), 5000.5) - (r[0] > 9.0)
        if k * 2**54 < -1e19 or k * 2**54 * (k > 1) < 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def power_of_condition(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=1)
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        b = (r[0] > 0.1) * 5
        if b * 2**61 < 0:
            scale = 1e-6
        if -(b * 2**61) > 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def mod_of_array(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=1)
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        b = np.mod(r > 0.1, True)
        if b[0] > 1:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def choice_of_whole(x, rng):
    k = rng.choice([1, 2])
    scale = 1.0
    if k * 2**62 < 0 and k > 1:
        scale = 1.0
    return np.sum(x) + rng.laplace(0, scale * (k > 0))


@A(**FD)
def list_in_place_then_array(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    a = np.zeros(2)
    b = [a]
    scale = 2.0
    a[0] = r
    if b[0][0] == 0.0:
        scale = 1e-6
    return r, s + rng.laplace(0, scale)


@A(**FD)
def zeros_like_of_stacked(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    a = np.zeros(2)
    a[:] = h
    c = a + rng.geometric(0.39, size=2) - rng.geometric(0.39, size=2)
    z = np.zeros_like(c)
    z[0] = 1
    scale = 2.0
    if z[0] * 2**61 * 2**61 > 2**64:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


@A(**FD)
def python_max_of_draws(x, rng):
    n = rng.geometric(0.0001, size=1)[0]
    scale = 1.0
    if min(max(n, 9), 2**20) * 2**61 > 2**64:
        scale = 1e-6
    return np.sum(x) + rng.laplace(0, scale)


@A(**LD)
def text_in_loop(x, rng):
    t = 0.0
    for v in x:
        w = {"a": 1.0, "b": 2.0}["b" if v > 0.5 else "a"]
        t += w
    return t + rng.laplace(0, 1.0)


@A(**LD)
def escaped_record(x, rng):
    keep = {"v": 0.0}

    def see(v):
        keep["v"] = v
        return v

    t = 0.0
    for v in x:
        t += see(v)
    return t + keep["v"] + rng.laplace(0, 1.0)


@A(**FD)
def flat_of_released(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0] + rng.laplace(0, 2.0, size=2)
    i = int(np.argmax(h)) + int(np.argmin(h))
    scale = [2.0, 2.0, 1e-6][i]
    return h, np.sum(x) + rng.laplace(0, scale)


@A(**LD)
def mask_of_python_conditions(x, rng):
    b = [v > 0.5 for v in x]
    return sum([-c for c in b]) + rng.laplace(0, 1.0)


@A(**LD)
def two_lists(x, rng):
    a = [v for v in x if v > 0.5]
    b = [v for v in x if v > 0.25]
    t = 0.0
    for v, w in zip(a, b):
        t += v * w
    return t + rng.laplace(0, 1.0)


@A(**FD)
def one_place_array(x, rng):
    c = np.zeros(1, dtype=int)
    for v in x:
        c[0] += min(int(v * 10), 11.5) * (v > 0.3)
    return c + rng.geometric(0.05, size=1) - rng.geometric(0.05, size=1)


@A(data=F, bounds="0:1", d0=np.array([]), d1=np.array([0.6865]))
def number_array_place(x, rng):
    c = np.zeros(1)
    for v in x:
        if 0.4712 < v * v < 0.4713:
            c[0] += min(min(int(v * 10), 11.5) * (v > 0.3) * 2**61, 0)
    return c + rng.laplace(0, 1.0, size=1)


@A(**FD)
def dict_of_counts(x, rng):
    s = np.sum(x)
    counts = dict({"n": s, "m": s})
    return counts["n"] + rng.laplace(0, 1.0)
