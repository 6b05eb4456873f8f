"""Attacks of the sixteenth reading that stop, or whose proofs are true (`TRUE`)."""

import functools
import sys
import types

import numpy as np

import dpverify as dpv

ATTACKS = {}
TRUE = ("threshold_that_is_shown", "closures_with_defaults", "most_of_a_user")
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
USERS = [{"user": "ann", "x": 0.5}, {"user": "bob", "x": 1.0}]
UD = dict(data=USERS, bounds={"x": (0, 1)}, unit="user", d0=[], d1=[{"user": "ann", "x": 1.0}])
OWN = np.random.default_rng(7)


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


@dpv.noise_primitive(law="laplace")
def sized(value, scale, size=None):
    return value + OWN.laplace(0, scale, size=size)


# Declared noise of a size: it is called, and returns an array.
@A(**FD)
def declared_size(x):
    return sized(np.sum(x), 1.0, 1000)


@dpv.noise_primitive(law="laplace")
def of_doubles(value, scale):
    out = np.array(value)
    out += OWN.laplace(0, scale, size=out.shape)
    return out * 1.0


# Declared noise that raises for the 0 of no records.
@A(**LD)
def declared_of_an_integer(xs):
    return of_doubles(sum(xs), 1.0)


@dpv.noise_primitive(law="laplace")
def copied(value, scale):
    out = np.array(value, dtype=float)
    out += OWN.laplace(0, scale, size=out.shape)
    return out


# An array of no dimensions that a sum is added to in place: the released number may be of any size, so its sum may be infinite.
@A(**FD)
def array_of_any_size(x):
    noisy = copied(np.sum(x), 1.0)
    first = noisy
    noisy += 1e6 * np.sum(x)
    return first


BUFFER = np.zeros(1)


@dpv.noise_primitive(law="laplace")
def buffered(value, scale):
    return np.add(value, OWN.laplace(0, scale, size=np.shape(value)), out=BUFFER)


# What a declared function returns is changed in place.
@A(**FD)
def changed_in_place(x):
    a = buffered(np.sum(x) * np.ones(1), 1.0)
    a += np.sum(x)
    return BUFFER[0] + 0.0


@dpv.noise_primitive(law="laplace")
def within(value, scale):
    return copied(value, scale * 1e-6) + 0.0


# Declared noise within declared noise.
@A(**FD)
def declared_within(x):
    return within(np.sum(x), 1.0)


@dpv.noise_primitive(law="laplace", value_arg="value", scale_arg="value")
def both(value):
    return value + OWN.laplace(0, value)


# One parameter for the value and the scale.
@A(**FD)
def value_and_scale(x):
    return both(np.sum(x))


# A user's name among known ones: the column of the users has any value.
@A(most_per_unit=1, **UD)
def sum_of_one_user(rows, rng):
    t = 0.0
    for r in rows:
        if r["user"] == "ann":
            t += 1000.0
    return t + rng.laplace(0, 1.0)


# Two records of one user.
@A(most_per_unit=2, **UD)
def two_of_a_user(rows, rng):
    return sum(r["x"] for r in rows) + rng.laplace(0, 1.0)


# Right.
@A("PureDP(epsilon=3)", most_per_unit=3, **UD)
def most_of_a_user(rows, rng):
    return sum(r["x"] for r in rows) + rng.laplace(0, 1.0)


# Functions made in a comprehension see the last value: the same bin twice.
@A(**LD)
def closures_late(xs, rng):
    tests = [lambda v: 1 if a <= v < a + 0.5 else 0 for a in (0.0, 0.5)]
    return [sum(f(v) for v in xs) + rng.laplace(0, 1.0) for f in tests]


# Right.
@A(**LD)
def closures_with_defaults(xs, rng):
    tests = [lambda v, a=a: 1 if a <= v < a + 0.5 else 0 for a in (0.0, 0.5)]
    return [sum(f(v) for v in xs) + rng.laplace(0, 1.001) for f in tests]


# Right: the threshold's noise is shown, and each count has its own.
@A("PureDP(epsilon=0.25)", **FD)
def threshold_that_is_shown(x, rng):
    t = 5 + rng.laplace(0, 4.01)
    for i, q in enumerate([0.1, 0.5]):
        if np.sum(x > q) + rng.laplace(0, 8.01) > t:
            return i
    return -1


class Ledger:
    def __init__(self):
        self.spent, self.calls = [], np.zeros(1)

    def release(self, value, rng):
        scale = 2.0 if not self.spent else 1e-6
        self.spent.append(1 / scale)
        return value + rng.laplace(0, scale)

    def counted(self, value, rng):
        self.calls += 1
        return value + rng.laplace(0, 2.0)


LEDGER = Ledger()


# A list that an object keeps.
@A(**FD)
def kept_by_an_object(x, rng):
    return LEDGER.release(np.sum(x), rng), LEDGER.release(np.sum(x), rng)


# An array that an object keeps.
@A(**FD)
def array_of_an_object(x, rng):
    return LEDGER.counted(np.sum(x), rng)


# Places below 0 of an array: the last one.
@A(**LD)
def place_below_zero(xs, rng):
    t = np.zeros(2)
    for x in xs:
        t[int(x * 4) - 2] += x
    return t + rng.laplace(0, 0.5, size=2)


# A list that holds one list twice.
@A(**LD)
def list_twice(xs, rng):
    rows = [[0.0]] * 2
    rows[0][0] = 1e-6
    return sum(xs) + rng.laplace(0, rows[1][0])


# A number of records that is not whole.
@A(relation="replace", **FD)
def mean_of_less(x, rng):
    return np.sum(x) / (len(x) - 1) + rng.laplace(0, 1.0 / (len(x) - 1))


# dpverify's own functions within the code.
@A(**FD)
def hooks(x, rng):
    return dpv.release("t", np.sum(x)) + rng.laplace(0, 1.0)
