"""Attacks of the seventeenth reading that stop, or whose proofs are true (`TRUE`).

Also: random programs of Python's state (lists, dicts, arrays with several names, closures, helpers, in-place changes, loops,
whose numbers are scales and outputs), each held against its own run: none differs.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpverify.derivation import values as lifted

ATTACKS = {}
TRUE = ("users_with_texts_that_are_stated", "norm_that_bounds_forget")
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
ROWS = [{"a": 0.5, "b": 0.1, "g": "x"}, {"a": 1.0, "b": 0.3, "g": "y"}]
RD = dict(data=ROWS, bounds={"a": (0, 1), "b": (0, 1)}, d0=[], d1=[{"a": 1.0, "b": 1.0, "g": "y"}])
X2 = dict(data=np.array([[0.3, 0.4], [0.2, 0.3]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


def clip(v, lo=0.0, hi=1.0):
    return max(lo, min(v, hi))


def laplace(value, sensitivity, epsilon, rng):
    return value + rng.laplace(0, sensitivity / epsilon)


@dataclass(frozen=True)
class Query:
    name: str
    lo: float = 0.0
    hi: float = 1.0
    weight: float = 1.0

    @property
    def sensitivity(self):
        return max(abs(self.lo), abs(self.hi))

    def value(self, row):
        return clip(row[self.name], self.lo, self.hi) * self.weight

    def answer(self, rows, rng, epsilon):
        return sum(self.value(row) for row in rows) + rng.laplace(0, self.sensitivity / epsilon)


class Budget:
    total = 1.0

    def __init__(self, parts):
        self.parts = parts

    def share(self, k=1):
        return self.total * k / self.parts


QUERIES = [Query("a"), Query("b", 0.0, 1.0, 2.0)]
THIRDS = Budget(3)


# A dataclass whose property forgets the weight.
@A(**RD)
def weight_that_is_forgotten(rows, rng):
    return [each.answer(rows, rng, 0.5) for each in QUERIES]


# A budget that is spent twice over.
@A(**RD)
def shares_of_a_budget(rows, rng):
    out = []
    for k, name in enumerate(["a", "b", "a"]):
        out.append(laplace(sum(row[name] for row in rows), 1.0, THIRDS.share(k + 1), rng))
    return out


# Closures made in a loop see the last weight.
@A(**FD)
def late_weight(x, rng):
    found = []
    for w in [1.0, 2.0]:
        found.append(lambda v: v * w)  # noqa: B023
    return laplace(np.sum(found[0](x)), 1.0, 1.0, rng)


# Closures made in a comprehension, too.
@A(**LD)
def late_weight_of_a_comprehension(x, rng):
    found = [lambda v: v * w for w in (1.0, 2.0)]
    return laplace(sum(found[0](v) for v in x), 1.0, 1.0, rng)


# A default that outlives the call.
@A(**LD)
def default_that_sums(x, rng, kept=[0.0]):  # noqa: B006
    for v in x:
        kept[0] += v
    return kept[0] + rng.laplace(0, 1.0)


def apply(function, *given, **named):
    return function(*given, **named)


# A function passed with keywords.
@A(**LD)
def passed_with_keywords(x, rng):
    return apply(lambda data, scale=1.0, k=1: sum(v * k for v in data) + rng.laplace(0, scale), x, k=2)


# Groups that overlap.
@A(**RD)
def groups_that_overlap(rows, rng):
    groups = {"p": ("x", "y"), "q": ("y", "z")}
    return {
        name: sum(row["a"] for row in rows if row["g"] in among) + rng.laplace(0, 1.0) for name, among in groups.items()
    }


# Texts of the example are no domain: a third text adds 1000.
@A(data=ROWS, bounds={"a": (0, 1), "b": (0, 1)}, unit="g", most_per_unit=1, d0=[], d1=[{"a": 1.0, "b": 1.0, "g": "z"}])
def texts_of_the_example(rows, rng):
    t = 0.0
    for row in rows:
        t += row["a"] if row["g"] in ("x", "y") else 1000.0
    return t + rng.laplace(0, 1.0)


# The same where they are stated: true.
@A(
    data=[{"g": "x", "a": 0.5}, {"g": "y", "a": 1.0}],
    records="{'g': choice('x', 'y'), 'a': float(0, 1)}",
    unit="g",
    most_per_unit=1,
    d0=[],
    d1=[{"g": "y", "a": 1.0}],
)
def users_with_texts_that_are_stated(rows, rng):
    t = 0.0
    for row in rows:
        t += row["a"] if row["g"] in ("x", "y") else 1000.0
    return t + rng.laplace(0, 1.0)


# The norm of the example's rows (0.51) is no domain.
@A(claim="GDP(mu=1)", **X2)
def norm_of_the_example(x, rng):
    return np.sum(x, axis=0) + rng.normal(0, 1.0, size=2)


# With all of sqrt(2): true.
@A(claim="GDP(mu=1.42)", **X2)
def norm_that_bounds_forget(x, rng):
    return np.sum(x, axis=0) + rng.normal(0, 1.0, size=2)


# The square of what is summed.
@A(claim="GDP(mu=1)", **X2)
def products_of_rows(x, rng):
    return x.T @ x + rng.normal(0, 1.0, size=(2, 2))


# Counts below, of five edges, with the noise of one.
@A(**FD)
def counts_below(x, rng):
    counts = np.array([np.sum(x <= each) for each in np.linspace(0, 1, 5)]) + rng.laplace(0, 1.0, size=5)
    return np.argmax(counts)


# A histogram where a record is replaced.
@A(data=F, bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
def histogram_of_replaced(x, rng):
    return np.histogram(x, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, size=4)


# Whole noise of twice the epsilon.
@A(**LD)
def whole_noise(x, rng):
    p = 1 - math.exp(-2.0)
    return len(x) + rng.geometric(p) - rng.geometric(p)


class Fake(lifted.Generator):
    def laplace(self, loc, scale):
        return 0.0


try:
    import wrapt

    PROXY = wrapt.ObjectProxy(Fake())

    # A proxy in C: its type is made on the heap all the same.
    @A(**FD)
    def proxy_of_wrapt(x, rng):
        return np.sum(x) + rng.laplace(0, 1.0), np.sum(x) + PROXY.laplace(0, 1.0)

except ImportError:
    pass


class Shown(type):
    @property
    def __dict__(cls):
        return {"width": 1.0}


class Base(metaclass=Shown):
    width = 1e-6


class Empty:
    pass


class Settings(Empty):
    pass


Settings.__bases__ = (Base,)
SETTINGS = Settings()


# A base with a metaclass that lies to all alike: the runs see it.
@A(**FD)
def base_that_lies_to_all(x, rng):
    return np.sum(x) + rng.laplace(0, SETTINGS.width)
