"""Attacks of the fifteenth reading that stop, or whose proofs are true (`TRUE`).

Also: 11,000 random programs of the kernel (ranges under conditions, norms, costs against records: none wrong), 3,653
random functions with loops, comprehensions, masks, texts, norms and matrices (the code with noise 0 beside `upper`: none
wrong), 6,000 deltas (which found E).
"""

import functools
import types

import numpy as np

import dpverify as dpv

ATTACKS = {}
TRUE = ("inherited_scale",)
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


@dpv.noise_primitive(law="laplace")
def own(value, scale, more=None):
    return value + np.random.default_rng().laplace(0, scale, size=np.shape(value) or None)


# Declared noise of a column.
@A(**FD)
def declared_of_records(x):
    return own(x, 1.0)


# Declared noise where data go by another argument.
@A(**FD)
def declared_beside_data(x):
    return own(1.0, 1.0, x)


# Declared noise where a sum goes by another argument.
@A(**FD)
def declared_beside_a_sum(x):
    return own(1.0, 1.0, np.sum(x))


# Declared noise whose scale is a sum.
@A(**FD)
def declared_scale_of_data(x):
    return own(np.sum(x), 1.0 + np.sum(x))


# Declared noise used twice.
@A(**FD)
def declared_twice(x):
    return own(np.sum(x), 1.0), own(np.sum(x), 1.0)


# Declared noise for each record.
@A(**LD)
def declared_in_a_loop(data):
    return [own(each, 1.0) for each in data]


# Declared noise bound to what is no number.
@A(f=types.MethodType(own, object()), **FD)
def declared_bound(x):
    """Read is `own`."""


# Closures made in a loop see the last scale.
@A(**FD)
def late_scale(x, rng):
    found = []
    for scale in (1.0, 1e-6):
        found.append(lambda value: value + rng.laplace(0, scale))
    return found[0](np.sum(x))


# A default list that grows from call to call.
@A(**FD)
def default_that_grows(x, rng):
    def release(value, calls=[]):
        calls.append(1)
        return value + rng.laplace(0, 2.0 if len(calls) == 1 else 1e-6)

    return release(np.sum(x)), release(np.sum(x))


class _Wide:
    scale = 1e-6

    def release(self, x, rng):
        return np.sum(x) + rng.laplace(0, self.scale)


class _Narrow(_Wide):
    scale = 1.0


class _Again(_Narrow):
    def release(self, x, rng):
        return np.sum(x) + rng.laplace(0, _Wide.scale)


# The attribute of the nearest class: right.
@A(f=_Narrow().release, **FD)
def inherited_scale(x, rng):
    """Read is `_Wide.release`."""


# The attribute of the class that is named.
@A(f=_Again().release, **FD)
def named_scale(x, rng):
    """Read is `_Again.release`."""


# A size that partial gives by place.
def _sized(size, x, rng):
    return np.sum(x) + rng.laplace(0, 1.0, size=size)


@A(f=functools.partial(_sized, 1000), **FD)
def size_by_place(x, rng):
    """Read is `_sized`."""


# Rows of an array are views.
@A(**FD)
def row_is_a_view(x, rng):
    scales = np.ones((2, 1))
    for row in scales:
        row[0] = 1e-6
    return np.sum(x) + rng.laplace(0, scales[0, 0])


# A view of a sum, in place.
@A(**FD)
def sum_is_a_view(x, rng):
    s = np.sum(x) * np.ones((2, 1))
    t = s.T
    t *= 1e6
    return s[:, 0] + rng.laplace(0, 2.0, size=2)


# The number of records wraps round in 64 bits; its scale would be said to rise with it.
@A(relation="replace", **{**FD, "d0": np.zeros(4), "d1": np.array([1.0, 0.0, 0.0, 0.0])})
def size_wraps(x, rng):
    return np.sum(x) + rng.laplace(0, len(x) * np.int64(2**62))
