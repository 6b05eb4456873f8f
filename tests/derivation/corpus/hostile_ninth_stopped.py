"""Attacks of the ninth reading that stop, or whose cost is derived rightly. In one line above each: what was tried."""

import math
import types

import numpy as np

ATTACKS = {}
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
X = np.array([[0.5, 1.0], [0.25, 0.5]])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=L, bounds="0:1", d0=[], d1=[1.0])
XD = dict(data=X, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# closures in a loop see its last value.
@A(**FD)
def late_binding(x, rng):
    fs = []
    for i in range(3):
        fs.append(lambda v: v * i)
    return sum(fs[0](v) for v in x) + rng.laplace(0, 1.0)


# the same of a comprehension.
@A(**FD)
def late_comprehension(x, rng):
    fs = [lambda v: v * i for i in range(3)]
    return sum(fs[0](v) for v in x) + rng.laplace(0, 1.0)


# a keyword of a positional-only name goes into **kw.
@A(**FD)
def posonly(x, rng):
    def g(a=0.0, /, **kw):
        return a + 100 * len(kw)

    return sum(v * g(a=2) for v in x) + rng.laplace(0, 1.0)


# a default that keeps what was appended.
@A(**FD)
def default_list(x, rng):
    def g(v, acc=[1.0]):
        acc.append(1.0)
        return v * len(acc)

    k = g(1.0) + g(1.0) + g(1.0)
    return k * np.sum(x) + rng.laplace(0, 2.0)


# an iterator that goes on where it was left.
@A(**FD)
def generator_shared(x, rng):
    z = zip([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    for a, b in z:
        break
    t = sum(a for a, b in z)
    return t * np.sum(x) + rng.laplace(0, 2.0)


# the data's own row, by another name.
@A(**XD)
def row_in_place(X, rng):
    t = 0.0
    for row in X:
        w = row
        w += 1.0
        t += w[0]
    return t + rng.laplace(0, 2.0)


# two names of a record's array.
@A(**XD)
def row_alias(X, rng):
    t = np.zeros(2)
    for row in X:
        u = row * 1.0
        w = u
        u += 1.0
        t += w
    return t + rng.laplace(0, 2.0, size=2)


# a row is a view.
@A(**FD)
def known_view(x, rng):
    a = np.ones((2, 2))
    b = a[0]
    a += 100.0
    return b[0] * np.sum(x) + rng.laplace(0, 1.0)


# a transposed view.
@A(**FD)
def known_view_T(x, rng):
    a = np.ones((2, 2))
    b = a.T
    a[0] = 100.0
    return b[0][0] * np.sum(x) + rng.laplace(0, 1.0)


# numpy.asarray is the same array.
@A(**FD)
def known_asarray(x, rng):
    a = np.ones(2)
    b = np.asarray(a)
    a[0] = 100.0
    return b[0] * np.sum(x) + rng.laplace(0, 1.0)


# ravel is a view.
@A(**FD)
def known_ravel(x, rng):
    a = np.ones((2, 2))
    b = a.ravel()
    a += 100.0
    return b[0] * np.sum(x) + rng.laplace(0, 1.0)


# rows kept by a comprehension.
@A(**FD)
def for_rows(x, rng):
    a = np.ones((2, 2))
    rows = [r for r in a]
    a += 100.0
    return rows[0][0] * np.sum(x) + rng.laplace(0, 1.0)


# rows taken apart.
@A(**FD)
def unpack_rows(x, rng):
    a = np.ones((2, 2))
    p, q = a
    a += 100.0
    return p[0] * np.sum(x) + rng.laplace(0, 1.0)


# rows by a star in a list.
@A(**FD)
def star_rows(x, rng):
    a = np.ones((2, 2))
    l = [*a]
    a += 100.0
    return l[0][0] * np.sum(x) + rng.laplace(0, 1.0)


# rows by a star in a call.
@A(**FD)
def call_star_rows(x, rng):
    def keep(p, q):
        return p

    a = np.ones((2, 2))
    b = keep(*a)
    a += 100.0
    return b[0] * np.sum(x) + rng.laplace(0, 1.0)


# rows through zip.
@A(**FD)
def where_view(x, rng):
    a = np.ones((2, 2))
    l = list(zip(a, a))
    a += 100.0
    return l[0][0][0] * np.sum(x) + rng.laplace(0, 1.0)


# an array through sum and max.
@A(**FD)
def broadcast_diag(x, rng):
    a = np.ones((2, 2))
    l = sum([a], 0.0)
    m = max([a][0], key=len) if False else a
    a += 100.0
    return m[0][0] * np.sum(x) + rng.laplace(0, 1.0)


# sum with a start.
@A(**FD)
def sum_start(x, rng):
    a = np.ones(2)
    b = sum([], a) if False else sum([[1.0]], [])
    c = sum([], start=5.0)
    return c * np.sum(x) + rng.laplace(0, 1.0)


# list.copy is shallow.
@A(**FD)
def copy_of_list(x, rng):
    a = [[1.0], [1.0]]
    b = a.copy()
    b[0].append(100.0)
    return a[0][-1] * np.sum(x) + rng.laplace(0, 1.0)


# a list times 2 has the same element twice.
@A(**FD)
def times_list(x, rng):
    a = [[1.0]] * 2
    a[0].append(100.0)
    return a[1][-1] * np.sum(x) + rng.laplace(0, 1.0)


# a dict's view sees later keys.
@A(**FD)
def dict_view(x, rng):
    d = {"a": 1.0}
    vs = d.values()
    d["b"] = 100.0
    return sum(vs) * np.sum(x) + rng.laplace(0, 1.0)


# the order of two targets.
@A(**FD)
def minus_self(x, rng):
    a = np.zeros(2)
    a[0], a[1] = 1.0, a[0]
    return (a[1] + 1) * 100 * np.sum(x) + rng.laplace(0, 1.0)


# the same of a list's places.
@A(**FD)
def list_self_swap(x, rng):
    l = [1, 0.0]
    l[0], l[l[0]] = 0, 100.0
    return (l[0]) * np.sum(x) + rng.laplace(0, 1.0)


# a for loop over an item.
@A(**FD)
def for_target_item(x, rng):
    l = [0.0]
    for l[0] in [1.0, 100.0]:
        pass
    return l[0] * np.sum(x) + rng.laplace(0, 1.0)


class S:
    __slots__ = ("debug", "__dict__")


SLOTS = S()
SLOTS.__dict__["debug"] = 0.0
SLOTS.debug = 1.0


# a slot before the instance's own dict.
@A(**FD)
def slots(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0 if SLOTS.debug < 0.5 else 1e-6)


class P:
    @property
    def wide(self):
        return 1e-6


PROPERTY = P()
PROPERTY.__dict__["wide"] = 1.0


# a property before the instance's own dict.
@A(**FD)
def property_first(x, rng):
    return np.sum(x) + rng.laplace(0, PROPERTY.wide)


MASKED = np.ma.masked_array([1.0, 2.0], mask=[True, False])


# a masked array is no array.
@A(**FD)
def masked(x, rng):
    return np.sum(x) * MASKED[0] + rng.laplace(0, 1.0)


# round of an array raises TypeError, and is read as a number; scalar @ vector raises, too: by the rules alone, and whether
# it raises rests on the code only.
@A(only_rules=True, **FD)
def round_of_array(x, rng):
    return round(np.sum(x) + rng.laplace(0, 2.0, size=2))


@A(only_rules=True, **FD)
def scalar_matmul(x, rng):
    return (np.sum(x) + rng.laplace(0, 1.0)) @ np.array([0.5, 2.0])


# numpy conditions for each record stop.
@A(**FD)
def numpy_trues(x, rng):
    ones = [np.True_ for v in x]
    counts = np.zeros(50)
    for b in ones:
        counts[b] += 1.0
    return counts + rng.laplace(0, 1.001, size=50)


# a condition of the record itself as a place.
@A(**FD)
def condition_as_place(x, rng):
    counts = np.zeros(50)
    for v in x:
        counts[v > 0.5] += 1.0
    return counts + rng.laplace(0, 1.001, size=50)


# True as a place in one way of a record.
@A(**FD)
def known_true_as_place(x, rng):
    counts = np.zeros(50)
    for v in x:
        counts[True if v > 0.5 else 0] += 1.0
    return counts + rng.laplace(0, 1.001, size=50)


# a list of True as a mask.
@A(**FD)
def trues_as_mask(x, rng):
    ones = [True for v in x]
    return np.sum(x[ones]) + rng.laplace(0, 1.0)


# keys 1 and "1" are one field: derive raises ValueError.
COLUMNS = {1: np.array([0.5, 1.0]), "1": np.array([0.5, 0.25])}


@A(
    data=COLUMNS,
    bounds="0:1",
    d0={1: np.array([]), "1": np.array([])},
    d1={1: np.array([1.0]), "1": np.array([0.0])},
)
def columns_of_one_name(d, rng):
    return 100 * np.sum(d[1] - d["1"]) + rng.laplace(0, 1.0)
