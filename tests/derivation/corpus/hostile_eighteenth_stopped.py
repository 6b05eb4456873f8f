"""Attacks of the eighteenth reading, which found none: they stop, or their proofs are true (`TRUE`)."""

import math
import types

import numpy as np
import dpverify as dpv
from dpverify.derivation import values as lifted

ATTACKS = {}
TRUE = (
    "declared_plain",
    "declared_many",
    "declared_public_twice",
    "order_named",
    "gauss_columns",
    "gauss_columns_split",
    "synthetic",
    "hist_len_leak",
)
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
OWN = np.random.default_rng(7)


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


class Fake(lifted.Generator):
    def laplace(self, loc, scale):
        return 0.0


ALIAS = types.GenericAlias(Fake(), ())


@A(**FD)
def generic_alias(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0), np.sum(x) + ALIAS.laplace(0, 1.0)


@A(**LD)
def zero_d_total(x, rng):
    total = np.zeros(())
    for v in x:
        total = total + v
    return total + rng.laplace(0, 1.0)


@A(**LD)
def zero_d_item(x, rng):
    total = np.zeros(())
    for v in x:
        total = total + v
    noisy = len(x) + rng.laplace(0, 1.0)
    total[()] = 5.0
    return noisy, total


globals()["__debug__"] = False


@A(**FD)
def debug_name(x, rng):
    return np.sum(x) + rng.laplace(0, 1e-6 if __debug__ else 1.0)


@dpv.noise_primitive(law="laplace")
def noisy(value, scale=1.0):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


@A(**FD)
def declared_plain(x):
    return noisy(np.sum(x))


# a declared function within a list of sums
@A(**FD)
def declared_many(x):
    return [noisy(np.sum(x > e), 3.0) for e in (0.1, 0.2, 0.3)]


@A(**FD)
def declared_public_twice(x):
    s = noisy(np.sum(x), 1.0)
    return noisy(s, 0.1), s


# the same draw from two declared calls
@A(**FD)
def declared_zero_scale(x):
    return noisy(np.sum(x), 0.0)


@A(**FD)
def declared_negative_scale(x):
    return noisy(np.sum(x), -1.0)


@dpv.noise_primitive(law="laplace", value_arg="v", scale_arg="b")
def other_names(b, v):
    return v + OWN.laplace(0, b, size=np.shape(v) or None)


@A(**FD)
def order_exchanged(x):
    return other_names(np.sum(x), 1.0)


@A(**FD)
def order_named(x):
    return other_names(v=np.sum(x), b=1.0)


@dpv.noise_primitive(law="gaussian")
def gauss(value, scale, *, rng=None):
    g = np.random.default_rng() if rng is None else rng
    return value + g.normal(0, scale, size=np.shape(value) or None)


@A(claim="GDP(mu=1)", data=np.ones((3, 2)), bounds="0:1", d0=np.zeros((0, 2)), d1=np.ones((1, 2)))
def gauss_columns(x, rng):
    return gauss(np.sum(x, axis=0), math.sqrt(2), rng=rng)


@A(claim="GDP(mu=1)", data=np.ones((3, 2)), bounds="0:1", d0=np.zeros((0, 2)), d1=np.ones((1, 2)))
def gauss_columns_split(x, rng):
    s = gauss(np.sum(x, axis=0), 2.0, rng=rng)
    t = gauss(np.sum(x, axis=0), np.array([2.0, 2.0]), rng=rng)
    return s, t


class Ledger:
    spent = 0.0
    left = 1.0

    def noise(self, value, rng, eps):
        return value + rng.laplace(0, 1.0 / eps)

    @staticmethod
    def half(value, rng):
        return value + rng.laplace(0, 2.0)


LEDGER = Ledger()


@A(**FD)
def ledger(x, rng):
    return LEDGER.noise(np.sum(x), rng, LEDGER.left / 2), Ledger.half(np.sum(x), rng), LEDGER.half(np.sum(x), rng)


TABLE = {"a": (lambda v: v, 1.0), "b": (lambda v: v * v * 4, 1.0)}


@A(**FD)
def table_of_functions(x, rng):
    return {k: np.sum(g(x)) + rng.laplace(0, s * 2) for k, (g, s) in TABLE.items()}


# iterative training; the gradient is not clipped
@A(
    claim="ApproxDP(epsilon=3, delta=1e-5)",
    data=(np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([0.0, 1.0])),
    bounds={"X[0]": (0, 1), "X[1]": (0, 1), "y": (0, 1)},
    d0=(np.zeros((0, 2)), np.zeros(0)),
    d1=(np.ones((1, 2)), np.ones(1)),
)
def training(data, rng, steps=5, lr=0.1):
    X, y = data
    w = np.zeros(2)
    for _ in range(steps):
        pred = np.sum(X * w, axis=1)
        r = np.clip(pred - y, -1, 1)
        g = np.array([np.sum(X[:, 0] * r), np.sum(X[:, 1] * r)])
        w = w - lr * (g + rng.normal(0, 4.0, size=2))
    return w


# quantile by noisy counts, exponential search; noise of one for all steps
@A(**LD)
def quantile(x, rng):
    lo, hi = 0.0, 1.0
    for _ in range(4):
        mid = (lo + hi) / 2
        n = sum(1 for v in x if v <= mid) + rng.laplace(0, 3.0)
        if n < 5:
            lo = mid
        else:
            hi = mid
    return (lo + hi) / 2


@A(**LD)
def two_pass(x, rng):
    n = max(1.0, len(x) + rng.laplace(0, 2.0))
    m = sum(x) / n
    return m + rng.laplace(0, 2.0 / n)


ROWS = [{"u": 1, "a": 0.5, "g": "x"}, {"u": 2, "a": 1.0, "g": "y"}]
UD = dict(data=ROWS, bounds={"a": (0, 1)}, unit="u", d0=[], d1=[{"u": 1, "a": 1.0, "g": "y"}] * 2)


@A("ApproxDP(epsilon=1, delta=1e-6)", most_per_unit=2, **UD)
def group_gauss(rows, rng):
    return sum(r["a"] for r in rows) + rng.normal(0, 4.9)


@A("ZCDP(rho=0.5)", most_per_unit=2, **UD)
def group_zcdp(rows, rng):
    return sum(r["a"] for r in rows) + rng.normal(0, 1.5)


@A(most_per_unit=2, **UD)
def group_hist(rows, rng):
    c = {"x": 0, "y": 0}
    for r in rows:
        if r["g"] in c:
            c[r["g"]] += 1
    return {k: v + rng.laplace(0, 1.9) for k, v in c.items()}


def make(names):
    out = []
    for i, n in enumerate(names):

        def one(rows, rng, eps=1.0 / (i + 1)):
            return sum(r[n] for r in rows) + rng.laplace(0, 1 / eps)

        out.append(one)
    return out


PARTS = make(["a", "a", "a"])


@A(data=ROWS, bounds={"a": (0, 1)}, d0=[], d1=[{"u": 1, "a": 1.0, "g": "y"}])
def closures_of_loop(rows, rng):
    return [p(rows, rng) for p in PARTS]


@A(data=ROWS, bounds={"a": (0, 1)}, d0=[], d1=[{"u": 1, "a": 1.0, "g": "y"}])
def presence_of_key(rows, rng):
    seen = {}
    for r in rows:
        seen[r["g"]] = seen.get(r["g"], 0) + 1
    return {k: v + rng.laplace(0, 1) for k, v in seen.items()}


@A(data=ROWS, bounds={"a": (0, 1)}, d0=[], d1=[{"u": 1, "a": 1.0, "g": "y"}])
def distinct_users(rows, rng):
    users = set()
    for r in rows:
        users.add(r["u"])
    return len(users) + rng.laplace(0, 1)


@A(**FD)
def synthetic(x, rng):
    h, e = np.histogram(x, bins=4, range=(0, 1))
    p = np.maximum(h + rng.laplace(0, 1.0, size=4), 0)
    p = p / np.maximum(np.sum(p), 1e-9)
    return p, h.shape, e


@A(**FD)
def hist_len_leak(x, rng):
    h, e = np.histogram(x, bins=4, range=(0, 1))
    return np.argmax(h + rng.laplace(0, 1.0, size=4)), h.dtype.name if False else 0
