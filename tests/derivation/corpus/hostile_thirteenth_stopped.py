"""Attacks of the thirteenth reading that stop, or whose proofs are true (`TRUE`)."""

import numpy as np

ATTACKS = {}
TRUE = ("keyword_in_class", "norm_of_integers", "norm_of_one_column")
ONLY_RULES = (
    "norm_of_16_bits_in_sight",
    "norm_of_32_bits_in_sight",
    "keyword_default_of_records",
    "left_out_in_a_window",
)
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


class Own:
    """Python does not look here for __basicsize__, nor in an instance for __class__."""

    __basicsize__ = 5


THING = Own()
THING.__dict__["__class__"] = 5


# names with two underscores stop
@A(**LD)
def class_attribute(x, rng):
    return sum(x) + rng.laplace(0, 1.001 * Own.__basicsize__)


@A(**LD)
def instance_attribute(x, rng):
    return sum(x) + rng.laplace(0, 1.001 * THING.__class__)


def taking(near, **kw):
    return near * kw.get("__high", 1000.0)


class Mangled:
    """Keywords of a call are not mangled."""

    @staticmethod
    def give(near):
        return taking(near, __high=1.0)


@A(**LD)
def keyword_in_class(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    if Mangled.give(near) > 10.0:
        return s
    return r


# arrays of no dimensions are numpy's scalars after the first record
@A(**LD)
def zero_dimensions_item(x, rng):
    t = np.zeros(())
    for v in x:
        t = t + v
    r = float(t + rng.laplace(0, 1.001))
    t[()] = 5.0
    return r


@A(**LD)
def zero_dimensions_in_place(x, rng):
    t = np.zeros(())
    for v in x:
        t = t + v
    t += rng.laplace(0, 1.001)
    return t


def _balls(kind):
    return dict(
        claim="GDP(mu=1)",
        data=np.array([[0.5, 0.5], [0.25, 0.5]], dtype=kind),
        records="row(2, norm<=1)",
        d0=np.zeros((0, 2), dtype=kind),
        d1=np.array([[0.59986, 0.8001]], dtype=kind),
    )


# the norm of rows that 16 and 32 bits round: the second wall measures it
@A(**_balls(np.float16))
def norm_of_16_bits_in_sight(X, rng):
    return np.sum(X.astype(float), axis=0) + rng.normal(0, 1.0, size=2)


@A(**_balls(np.float32))
def norm_of_32_bits_in_sight(X, rng):
    return np.sum(X.astype(float), axis=0) + rng.normal(0, 1.0, size=2)


@A(
    claim="GDP(mu=1)",
    data=np.array([[1, 2], [0, 3]]),
    records="norm<=5",
    d0=np.zeros((0, 2), dtype=int),
    d1=np.array([[3, 4]]),
)
def norm_of_integers(X, rng):
    return np.sum(X, axis=0) + rng.normal(0, 5.0, size=2)


@A(data={"1": np.array([0.5, 1.0])}, records="norm<=1", d0={"1": np.zeros(0)}, d1={"1": np.ones(1)})
def norm_of_one_column(d, rng):
    return np.sum(d["1"]) + rng.laplace(0, 1.0)


def weight(v, big=1000.0, *, other=0.0):
    return v * big + other


weight.__kwdefaults__["big"] = 1.0


# K without a window: the runs see it
@A(**LD)
def keyword_default_of_records(x, rng):
    t = 0.0
    for v in x:
        t += weight(v)
    return t + rng.laplace(0, 1.001)


def needing(v, big):
    return v * big


needing.__kwdefaults__ = {"big": 1.0}


@A(**LD)
def left_out_in_a_window(x, rng):
    t = 0.0
    for v in x:
        near = np.exp(-(((v * v - 0.2221) * 1e6) ** 2))
        if near > 0.5:
            t += needing(v)
        else:
            t += v
    return t + rng.laplace(0, 1.001)


# rows without fields, users with two records
@A(data=[(), ()], d0=[], d1=[()])
def no_fields(d, rng):
    t = 0.0
    for r in d:
        t += 1000.0
    return t + rng.laplace(0, 1.0)


@A(
    data={"u": np.array([1, 1, 2]), "x": np.array([0.5, 1.0, 0.2])},
    bounds={"x": (0, 1)},
    unit="u",
    most_per_unit=2,
    d0={"u": np.zeros(0, dtype=int), "x": np.zeros(0)},
    d1={"u": np.ones(2, dtype=int), "x": np.ones(2)},
)
def by_user(d, rng):
    return np.sum(np.clip(d["x"], 0, 1)) + rng.laplace(0, 1.001)
