"""Attacks of one more reading (the kernel and the cost) that were rightly not proved."""

import math

import numpy as np

ATTACKS = {}
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
FR = dict(data=F, bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
BALL = dict(data=np.array([[0.5, 0.5]]), records="row(2, norm<=1)", d0=np.zeros((0, 2)), d1=np.array([[0.6, 0.8]]))
NAN = dict(data=np.array([0.5, np.nan]), records="missing(float(0, 1))", d0=np.array([]), d1=np.array([np.nan]))
WIDE = dict(data=np.array([[0.5, 0.5]]), bounds="-1:1", d0=np.zeros((0, 2)), d1=np.array([[0.25, 0.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# The released scale is at least 0.5: 1/2 + 1/0.5.
@A(**FD)
def scale_from_release(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    s = max(0.5, min(abs(r), 2.0))
    return r, np.sum(x) + rng.laplace(0, s)


# The number of records does not leave both sides alike.
@A(**FR)
def size_root(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, 1.0 / math.sqrt(n))


@A(**FR)
def size_floor(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, 1.0 / (n // 1))


@A(**FR)
def size_twice(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, 1.0 / (n * n))


# NaN is in both.
@A(**NAN)
def nan_in_both(x, rng):
    b = np.sum(np.where(~(x >= 0.5), 1.0, 0.0))
    c = np.sum(np.where(~(x < 0.5), 1.0, 0.0))
    return b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)


# The last bin is closed: 0.5 is in both.
@A(**{**FD, "d1": np.array([0.5])})
def last_bin_is_closed(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 0.5])
    c = np.sum(np.where(x >= 0.5, 1.0, 0.0))
    return h + rng.laplace(0, 1.0, size=1), c + rng.laplace(0, 1.0)


@A(claim="GDP(mu=1)", **BALL)
def row_twice(x, rng):
    z = x[:, None, :] * np.ones((2, 1))
    return np.sum(z, axis=0) + rng.normal(0, 1.0, size=(2, 2))


@A(claim="GDP(mu=1)", **BALL)
def row_shifted(x, rng):
    return np.sum(x + 0.5, axis=0) + rng.normal(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **{**BALL, "relation": "replace", "d0": np.array([[-0.6, -0.8]])})
def row_replaced(x, rng):
    return np.sum(x, axis=0) + rng.normal(0, 1.5, size=2)


@A(claim="ZCDP(rho=0.5)", **BALL)
def laplace_with_l2(x, rng):
    return np.sum(x, axis=0) + rng.laplace(0, 1.0, size=2)


@A(claim="GDP(mu=1)", **BALL)
def products(x, rng):
    return x.T @ x + rng.normal(0, 0.9, size=(2, 2))


# x / norm**2 is 4 where the norm is 1/4.
@A(claim="GDP(mu=1)", **WIDE)
def squared_norm(x, rng):
    n = np.linalg.norm(x, axis=1)[:, None]
    y = x / np.maximum(n * n, 0.25)
    return np.sum(4 * y, axis=0) + rng.normal(0, 1.0, size=2)


@A(claim="RDP(order=1.0001, epsilon=0.5)", **FD)
def order_of_one(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0)


@A(claim="ApproxDP(epsilon=1, delta=1e-320)", **FD)
def delta_underflows(x, rng):
    return np.sum(x) + rng.normal(0, 40.0)


@A(data=[1, 1], records="int(0, 1)", d0=[], d1=[1])
def geometric_of_twos(x, rng):
    p = 1 - math.exp(-1)
    return 2 * sum(x) + rng.geometric(p) - rng.geometric(p)
