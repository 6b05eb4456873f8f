"""Attacks of this reading (kernel, seam, forged files) that were rightly not proved, and right functions beside them.

Beside them, held against CPython or brute force with no difference: random programs of the kernel (ranges, kinds,
costs), random functions (columns, loops, arrays without noise), and certificates edited at random.
"""

import math

import numpy as np

ATTACKS = {}
RIGHT = []
LD = dict(data=[0.2, 0.9, 1.0, 0.0], bounds="0:1", d0=[], d1=[1.0])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def right(f):
    RIGHT.append(f)
    return f


@A(**LD)
def fraction(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    pair = np.array([noisy, noisy])
    near = np.rint(pair) + np.maximum(np.sin(pair * 7.0) - 0.9999999, 0.0) * 1e6
    table = np.outer(near, [10**30, 1])
    w = min(max(table[0][1], np.int64(0)), np.int64(3))
    count = len(data) * w
    return noisy, count + rng.geometric(0.1) - rng.geometric(0.1)


@A(**LD)
def dot_scalar(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999999999, 0.5)
    f = np.dot(root, [2**70, 1])
    weight = min(max(float(f), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD)
def sum_weights(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999999999, 0.5)
    table = np.outer(root, [2**70, 1])
    w = float(table[1][1])
    total = 0.0
    for x in data:
        if x > 0.5:
            total += min(max(x * min(max(w, 0.5), 1.0), 0.0), 1.0)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD)
def control(data, rng):
    noisy = np.zeros(2) + len(data) + rng.laplace(scale=4.0, size=2)
    root = np.power(np.sin(noisy * 7.0) + 0.9999999, 0.5)
    table = np.outer(root, [10.0, 1])
    weight = min(max(float(table[0][1]), 1.0), 2.0)
    total = sum(x * weight for x in data)
    return noisy, weight, total + rng.laplace(scale=4.0)


@A(**LD)
def uniform_below(data, rng):
    u = rng.uniform(0.0, 1.0)
    if u > 1.0:
        return float(sum(data))
    return len(data) + rng.laplace(scale=1.0)


@A(**LD)
def integers_beyond(data, rng):
    u = rng.integers(0, 3)
    if u > 2:
        return float(sum(data))
    return len(data) + rng.laplace(scale=1.0)


@A(**LD)
def choice_nan(data, rng):
    u = rng.choice([0.5, 1.0], p=[0.5, 0.5])
    if u > 1.0 or u < 0.5:
        return float(sum(data))
    return len(data) + rng.laplace(scale=1.0)


@A(**LD)
def ceil_never(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    r = math.ceil(min(max(noisy, 0.2), 0.4))
    if r != 1:
        return float(sum(data))
    return r


@A(**LD)
def mean_bool(data, rng):
    noisy = np.array([len(data), 0.0]) + rng.laplace(scale=1.0, size=2)
    m = float((noisy > 0).mean())
    if m > 1 or m < 0:
        return float(sum(data))
    return m


@A(**LD)
def sum_bool(data, rng):
    noisy = np.array([len(data), 0.0]) + rng.laplace(scale=1.0, size=2)
    m = int((noisy > 0).sum())
    if m > 2:
        return float(sum(data))
    return m


@A(**LD)
def isnan_of_scaled(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    z = noisy * 0.0
    if math.isnan(z):
        return float(sum(data))
    return z


@A(**LD)
def isnan_of_int(data, rng):
    noisy = np.array([len(data), 0.0]) + rng.laplace(scale=1.0, size=2)
    z = float(np.rint(np.power(np.sin(noisy * 7.0) + 0.999, 0.5)).astype(int)[0])
    if z < 0:
        return float(sum(data))
    return z


@A(**LD)
def interp_nan(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    z = float(np.interp(noisy, [0.0, 1.0], [0.0, 1.0]))
    if not 0 <= z <= 1:
        return float(sum(data))
    return z


@A(**LD)
def dot_bigint_matrix_bool(data, rng):
    noisy = np.array([len(data), 0.0]) + rng.laplace(scale=1.0, size=2)
    z = np.floor_divide(noisy, [10**30, 0])
    if math.isnan(float(z[1])):
        return float(sum(data))
    return float(z[0])


@A(**LD)
def divmod_zero(data, rng):
    noisy = np.array([len(data), 0.0]) + rng.laplace(scale=1.0, size=2)
    z = np.outer(np.log(np.abs(np.sin(noisy)) - 1e-3), (2**64, 1))
    if math.isfinite(float(z[1][1])):
        return float(z[1][1])
    return float(sum(data))


@right
def fmin_int(data, rng):
    return np.sum(np.fmin(np.fmax(data, 0), 1)) + rng.laplace(scale=1.0)


@right
def fmin_float(data, rng):
    return np.sum(np.fmin(np.fmax(data, 0.0), 1.0)) + rng.laplace(scale=1.0)


@right
def clip_never(data, rng):
    return sum(min(max(x, 0.0), 1.0) if min(max(x, 0.0), 1.0) <= 1 else 5.0 for x in data) + rng.laplace(scale=1.0)


@right
def argmax_branch(data, rng):
    noisy = np.array([len(data), 0.0]) + rng.laplace(scale=1.0, size=2)
    i = int(np.argmax(np.outer(noisy, [1.0, 2.0])))
    if i > 3:
        return float(sum(data))
    return i


@right
def searchsorted_branch(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    i = int(np.searchsorted([0.0, 1.0, 5.0], noisy))
    if i > 3:
        return float(sum(data))
    return i


@right
def argsort_axis(data, rng):
    noisy = (np.array([len(data), 0.0, 0.0, 1.0]) + rng.laplace(scale=1.0, size=4)).reshape(2, 2)
    i = int(np.argsort(noisy)[0][1])
    if i > 3:
        return float(sum(data))
    return i


@right
def argmax_axis(data, rng):
    noisy = (np.array([len(data), 0.0, 0.0, 1.0]) + rng.laplace(scale=1.0, size=4)).reshape(2, 2)
    i = np.argmax(noisy, axis=0)
    return int(i[0]), int(i[1])


@right
def random_one(data, rng):
    u = rng.random()
    if u > 1.0:
        return float(sum(data))
    return len(data) + rng.laplace(scale=1.0)


@right
def round_never(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    r = min(max(noisy, 0.0), 10.0)
    if int(r) > 10 or int(r) < 0:
        return float(sum(data))
    return int(r)


@right
def tanh_never(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    r = float(np.tanh(noisy))
    if not (-1.5 < r < 1.5):
        return float(sum(data))
    return r


@right
def isnan_of_release(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    if math.isnan(noisy):
        return float(sum(data))
    return noisy


@right
def whole_by_object(data, rng):
    noisy = np.zeros(2) + len(data) + rng.laplace(scale=4.0, size=2)
    table = np.outer(noisy, [10**30, 1])
    w = min(table[0][1], table[1][1])
    return noisy, w
