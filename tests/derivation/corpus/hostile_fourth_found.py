"""Proved, but false. Above each: the root cause. ATTACKS[name]: f, claim, data, relation, d0, d1 (run both)."""

import functools
import math

import numpy as np

ATTACKS = {}
EX = [0.2, 0.9, 0.5]
ARR = np.array(EX)
MAT = np.array([[0.2, 0.9], [0.5, 0.1]])


def add(f, data=EX, claim="PureDP(epsilon=1)", relation="add-remove", d0=None, d1=None, name=None, **kw):
    ATTACKS[name or f.__name__] = dict(f=f, data=data, claim=claim, relation=relation, d0=d0, d1=d1, **kw)


def case(*a, **k):
    def keep_case(f):
        add(f, *a, **k)
        return f

    return keep_case


def keep(a, box, v):
    box.append(a)
    return v


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
def aug_alias_scale(data, rng):
    box = []
    a = np.ones(1) + 0.0
    a *= keep(a, box, 1e-6)
    return len(data) + rng.laplace(scale=box[0][0])


add(aug_alias_scale, d0=[], d1=[0.5])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
def aug_alias_loop(data, rng):
    counts = np.zeros(1)
    for x in data:
        box = []
        counts[0] += keep(counts, box, 1.0)
        counts = box[0]
    return counts


add(aug_alias_loop, d0=[], d1=[0.5])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
def aug_alias_loop_whole(data, rng):
    total = np.zeros(1)
    for x in data:
        box = []
        total += keep(total, box, 1.0)
        total = box[0]
    return total


add(aug_alias_loop_whole, d0=[], d1=[0.5])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
def aug_alias_private(data, rng):
    s = np.zeros(1) + np.sum(np.clip(np.nan_to_num(data), 0, 1))
    box = []
    s *= keep(s, box, 1000.0)
    return box[0] + rng.laplace(scale=1.0, size=1)


add(aug_alias_private, ARR, d0=np.array([]), d1=np.array([1.0]))


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
def aug_alias_lambda(data, rng):
    box = []
    a = np.ones(1) + 0.0
    g = lambda: keep(a, box, 1e-6)
    a *= g()
    return len(data) + rng.laplace(scale=box[0][0])


add(aug_alias_lambda, d0=[], d1=[0.5])


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
def none_first(data, rng):
    first = None
    total = 0.0
    for x in data:
        if first is None:
            total += 1000.0
            first = 1
        total += min(max(0.0, x), 1.0)
    return total + rng.laplace(scale=1.0)


add(none_first, d0=[], d1=[0.5])


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
def none_first_leak(data, rng):
    first = None
    for x in data:
        if first is None:
            first = 1
    return first


add(none_first_leak, d0=[], d1=[0.5])


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
def none_cell(data, rng):
    first = [None]
    for x in data:
        if first[0] is None:
            first[0] = 1.0
    return first[0]


add(none_cell, d0=[], d1=[0.5])


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
def none_dict(data, rng):
    first = {"a": None}
    for x in data:
        first["a"] = 1.0 if first["a"] is None else first["a"]
    return first["a"]


add(none_dict, d0=[], d1=[0.5])


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
def not_none(data, rng):
    seen = None
    total = 0.0
    for x in data:
        if seen is not None:
            total += 0.0
        else:
            total = total + 1.0 / (1 - 1) if False else total + 1e6
        seen = seen
    return total + rng.laplace(scale=1.0)


add(not_none, d0=[], d1=[0.5])


# F: items.py _of_instance reads the attributes of the reader's own Local object; Python raises AttributeError
def local_attr(data, rng):
    def g(v):
        return v

    total = 0.0
    for x in data:
        g.name
        total += 1.0
    return total + rng.laplace(scale=1.0)


add(local_attr, d0=[], d1=[0.5])


# F: items.py _of_instance reads the attributes of the reader's own Local object; Python raises AttributeError
def local_attr2(data, rng):
    g = lambda v: v
    total = 0.0
    for x in data:
        total += 1.0 if g.name == "<lambda>" else 0.0
    return total + rng.laplace(scale=1.0)


add(local_attr2, d0=[], d1=[0.5])


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
def alias_next_iteration(data, rng):
    a = np.zeros(1)
    b = np.zeros(1)
    for x in data:
        a += 1.0
        b += 1000.0
        b = a
    return a + rng.laplace(scale=1.0, size=1)


add(alias_next_iteration, d0=[0.5], d1=[0.5, 0.5])


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
def alias_next_iteration_known(data, rng):
    one = np.ones(1) + 0.0
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = one
    return one


add(alias_next_iteration_known, d0=[0.5], d1=[0.5, 0.5])


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
def alias_next_scale(data, rng):
    one = np.ones(1) + 0.0
    b = np.zeros(1)
    for x in data:
        b -= 0.3
        b = one
    return len(data) + rng.laplace(scale=abs(one[0]))


add(alias_next_scale, d0=[0.5] * 3, d1=[0.5] * 4)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
def alias_next_item(data, rng):
    one = np.ones(1) + 0.0
    b = np.zeros(1)
    for x in data:
        b[0] += 1.0
        b = one
    return one


add(alias_next_item, d0=[0.5], d1=[0.5, 0.5])

ONE = np.ones(1)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
def alias_next_global(data, rng):
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = ONE
    return ONE.copy()


add(alias_next_global, d0=[0.5], d1=[0.5, 0.5])


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
def alias_next_swap(data, rng):
    a = np.zeros(1)
    b = np.zeros(1)
    for x in data:
        a += 1.0
        b += 1000.0
        b = a if x > 0.5 else b
    return a + rng.laplace(scale=1.0, size=1)


add(alias_next_swap, d0=[0.9], d1=[0.9, 0.5])

A1 = np.ones((1, 1))
B1 = np.ones((1, 1))


# E: items.py method: positional `out` of ndarray.dot writes into a real array
def dot_out(data, rng):
    out = np.zeros((1, 1))
    for x in data:
        A1.dot(B1, out)
    return out[0, 0]


add(dot_out, d0=[], d1=[0.5])

SC11 = np.ones((1, 1))

TINY = np.full((1, 1), 1e-9)


# E: items.py method: positional `out` of ndarray.dot writes into a real array
def dot_out_global(data, rng):
    s = SC11[0, 0]
    A1.dot(TINY, SC11)
    return len(data) + rng.laplace(scale=s)


add(dot_out_global, d0=[], d1=[0.5])

ZERO = 0.0


# G: loops.py assigned() forgets MatchMapping.rest
def match_rest(data, rng):
    if 0 > 1:
        match {}:
            case {**ZERO}:
                pass
    total = 0.0
    for x in data:
        total += 1.0 + ZERO
    return total + rng.laplace(scale=1.0)


add(match_rest, d0=[], d1=[0.5])


def kws(**kw):
    return kw


class C:
    def __call__(self, data, rng):
        s = 1e-6 if "_C__s" in kws(__s=1) else 1.0
        return len(data) + rng.laplace(scale=s)


class C2:
    def __call__(self, data, rng):
        def h(__x=0.0, **kw):
            return kw

        s = 1.0 if "_C2__x" in h(_C2__x=5) else 1e-6
        return len(data) + rng.laplace(scale=s)


add(C2(), name="mangled_parameter", d0=[], d1=[0.5])


class Odd:
    n = 0

    def __eq__(self, o):
        Odd.n += 1
        return Odd.n > 3

    def __hash__(self):
        return 0


ODDS = [Odd()]

OD = {Odd(): 1e-6}


# J: items.item / items.method run __eq__ of objects in lists and dicts
def odd_count(data, rng):
    s = 1.0 if ODDS.count(1) == 0 else 1e-6
    return len(data) + rng.laplace(scale=s)


add(odd_count, d0=[], d1=[0.5])

from dpverify.derivation.values import Generator as _G


class Fake:
    @property
    def __class__(self):
        return _G

    def laplace(self, scale):
        return 0.0


FAKE = Fake()


# K: isinstance(value, Lifted) believes __class__, and Lifted objects from outside pass
def spoofed_generator(data, rng):
    return len(data) + FAKE.laplace(scale=1.0)


add(spoofed_generator, d0=[], d1=[0.5])


class Fake2(np.ndarray):
    pass


TX = ["a", "b", "a"]

PAIRS = [("a", 0.2), ("b", 0.9)]

DICTS = [{"k": "a", "v": 0.2}, {"k": "b", "v": 0.9}]

BIN = dict(records="row(2, float(-1, 1))")

_M__x = 1.0


class M:
    def __call__(self, data, rng):
        def h(__x=1e-6):
            return _M__x

        return len(data) + rng.laplace(scale=h())


add(M(), name="mangled_read", d0=[], d1=[0.5])

_M2__g = 1.0


class M2:
    def __call__(self, data, rng):
        total = 0.0
        for x in data:

            def __g():
                return 0

            total += min(_M2__g, 1.0)
        return total + rng.laplace(scale=1.0)


add(M2(), name="mangled_def", d0=[], d1=[0.5])

_M3__m = 1.0


class M3:
    def __call__(self, data, rng):
        import math as __m

        total = 0.0
        for x in data:
            total += min(_M3__m, 1.0)
        return total + rng.laplace(scale=1.0)


add(M3(), name="mangled_import", d0=[], d1=[0.5])


class Idx:
    def __init__(self):
        self.n = 0

    def __index__(self):
        self.n += 1
        return 0 if self.n < 2 else 1

    def __eq__(self, o):
        return True


SL = slice(Idx(), None)


class One:
    def __index__(self):
        return 1

    def __eq__(self, o):
        return True


SL1 = slice(One(), None)


# I: known.plain accepts any slice; items.item takes isinstance(int)
@case(ARR, d0=np.array([0.1, 0.2]), d1=np.array([0.1, 0.2, 0.3]))
def slice_equal(data, rng):
    y = np.clip(np.nan_to_num(data), 0, 1)
    return np.sum(y[SL1] * y) + rng.laplace(scale=1.0)


SC = np.array([1.0, 1e-6])

SCL = [1.0, 1e-6]

SL2 = slice(Idx(), None)


# I: known.plain accepts any slice; items.item takes isinstance(int)
@case(d0=[], d1=[0.5])
def slice_index(data, rng):
    return len(data) + rng.laplace(scale=SCL[SL2][0])


# I: known.plain accepts any slice; items.item takes isinstance(int)
@case(MAT, d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
def slice_columns(data, rng):
    s = np.clip(np.nan_to_num(data), 0, 1).sum(axis=0)
    t = s * np.array([1.0, 1000.0])
    return t[SL][0] + rng.laplace(scale=1.0)


class Fint:
    n = 0

    @property
    def __class__(self):
        return int

    def __index__(self):
        Fint.n += 1
        return 0 if Fint.n < 2 else 1


FI = Fint()


# I: known.plain accepts any slice; items.item takes isinstance(int)
@case(MAT, d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
def spoof_index(data, rng):
    t = np.clip(np.nan_to_num(data), 0, 1).sum(axis=0) * np.array([1.0, 1000.0])
    return t[FI] + rng.laplace(scale=1.0)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case([1, 2, 3], d0=[], d1=[1], bounds=(0, 2))
def place_array_alias_in_loop(data, rng):
    c = np.zeros(3)
    d = np.zeros(3)
    for t in data:
        c[t] += 1
        d[t] += 100
        d = c
    return c + rng.laplace(scale=1.0, size=3)


# F: items.py _of_instance reads the attributes of the reader's own Local object; Python raises AttributeError
@case(d0=[], d1=[0.5])
def local_defaults(data, rng):
    def g(a=1.0):
        return a

    total = 0.0
    for x in data:
        total += g.defaults[0]
    return total + rng.laplace(scale=1.0)


# F: items.py _of_instance reads the attributes of the reader's own Local object; Python raises AttributeError
@case(d0=[], d1=[0.5])
def local_frame(data, rng):
    g = lambda: 0
    total = 0.0
    for x in data:
        total += 1.0
        g.frame
    return total + rng.laplace(scale=1.0)


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
@case(d0=[], d1=[0.5])
def none_default(data, rng):
    def g(total=None):
        for x in data:
            if total is None:
                total = 1.0
        return total

    return g()


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
@case(d0=[], d1=[0.5])
def none_or(data, rng):
    last = None
    n = 0.0
    for x in data:
        n += 1.0 if last is None else 0.0
        last = x
    return n + rng.laplace(scale=1e-6)


I3 = [0, 1, 2]

B = dict(bounds=(0, 2))


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(I3, d0=[1], d1=[1, 1], **B)
def place_array_alias_in_loop(data, rng):
    c = np.zeros(3)
    d = np.zeros(3)
    for t in data:
        c[t] += 1
        d[t] += 100
        d = c
    return c + rng.laplace(scale=1.0, size=3)


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
@case(d0=[], d1=[0.7])
def first_record(data, rng):
    best = None
    for x in data:
        best = x if best is None else best
    return best


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
@case(ARR, d0=np.array([]), d1=np.array([0.7]))
def first_record_array(data, rng):
    best = None
    for x in data:
        if best is None:
            best = x
    return best


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(MAT, d0=np.zeros((1, 2)), d1=np.zeros((2, 2)))
def row_in_place_next(data, rng):
    last = np.zeros(2)
    total = np.zeros(2)
    for row in data:
        last += 1.0
        last = row
    return np.sum(np.clip(np.nan_to_num(data), 0, 1)) + rng.laplace(scale=2.0)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(ARR, d0=np.array([0.5]), d1=np.array([0.5, 0.5]))
def alias_released(data, rng):
    r = np.zeros(1) + len(data) + rng.laplace(scale=1.0, size=1)
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = r
    return r


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_by_conditional(data, rng):
    one = np.ones(1) + 0.0
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = one if x > 0.1 else b
    return one


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_by_for(data, rng):
    one = np.ones(1) + 0.0
    b = np.zeros(1)
    for x in data:
        b += 1.0
        for b in [one]:
            pass
    return one


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_by_unpack(data, rng):
    one = np.ones(1) + 0.0
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b, c = one, 0
    return one


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_view(data, rng):
    one = np.ones(2) + 0.0
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = one[:1]
    return one


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_list_held(data, rng):
    one = [np.ones(1) + 0.0]
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = one[0]
    return one[0]


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(ARR, d0=np.array([0.5]), d1=np.array([0.5, 0.5]))
def alias_data(data, rng):
    y = np.clip(np.nan_to_num(data), 0, 1)
    b = np.zeros(1)
    for x in data:
        b += 1.0
        b = y
    return np.sum(y) + rng.laplace(scale=1.0)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_in_helper_loop(data, rng):
    def run(a, b):
        b = b + 0.0
        for x in data:
            b += 1.0
            b = a
        return a

    return run(np.ones(1), np.zeros(1))


def keep(a, box, v):
    box.append(a)
    return v


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
@case(d0=[], d1=[0.5])
def aug_default(data, rng):
    a = np.ones(1) + 0.0
    box = []
    a -= keep(a, box, 1 - 1e-6)
    return len(data) + rng.laplace(scale=box[0][0])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
@case(d0=[], d1=[0.5])
def aug_comprehension(data, rng):
    a = np.ones(1) + 0.0
    box = []
    a *= [keep(a, box, 1e-6) for _ in range(1)][0]
    return len(data) + rng.laplace(scale=box[0][0])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
@case(d0=[], d1=[0.5])
def aug_view(data, rng):
    a = np.ones(1) + 0.0
    box = []
    a *= keep(a[:], box, 1e-6)
    return len(data) + rng.laplace(scale=box[0][0])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
@case(d0=[], d1=[0.5])
def aug_transposed(data, rng):
    a = np.ones(1) + 0.0
    box = []
    a *= keep(a.T, box, 1e-6)
    return len(data) + rng.laplace(scale=box[0][0])


# A: statements.py:64-66 and 47-49: `fresh` is checked before the right side is evaluated, which may give the array a second name
@case(d0=[], d1=[0.5])
def aug_lambda_closure(data, rng):
    a = np.ones(1) + 0.0
    late = []

    def g():
        late.append(lambda b=a: b)
        return 1e-6

    a *= g()
    return len(data) + rng.laplace(scale=late[0]()[0])


class P_:
    def __init__(self):
        self.v = [1.0]

    @property
    def s(self):
        self.v[0] = self.v[0] / 10
        return self.v[0]


P = P_()


class Q_:
    __slots__ = ("s",)


Q = Q_()
Q.s = 1.0


class Ns(dict):
    def __missing__(self, k):
        return 1e-6


NS = Ns(a=1.0)


class Arr(np.ndarray):
    pass


AA = np.ones(1).view(Arr)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(MAT, d0=np.zeros((1, 2)), d1=np.array([[0.0, 0.0], [1.0, 1.0]]))
def row_in_place_next(data, rng):
    last = np.zeros(2)
    for row in data:
        last += 1.0
        last = row
    return np.sum(np.clip(np.nan_to_num(data), 0, 1)) + rng.laplace(scale=2.0)


# B: expressions.py `Lifted is None` is False also for a RunningTotal, which stands for a None at the first record
@case(MAT, relation="replace", d0=np.zeros((2, 2)), d1=np.array([[1.0, 1.0], [0.0, 0.0]]))
def row_in_place_replace(data, rng):
    first = None
    for row in data:
        if first is None:
            first = row[0]
    return first


OLD = None


def seterr_(data, rng):
    y = np.clip(np.nan_to_num(data), 0, 1)
    return np.sum(y * y) + rng.laplace(scale=1.0)


class Key:
    def __init__(self):
        self.n = 0

    def __hash__(self):
        return hash("s")

    def __eq__(self, o):
        self.n += 1
        return self.n > 2


class KeyOnce(Key):
    __hash__ = Key.__hash__

    def __eq__(self, o):
        self.n += 1
        return self.n < 2


TABLE = {KeyOnce(): 1.0}


# J: items.item / items.method run __eq__ of objects in lists and dicts
@case(d0=[], d1=[0.5])
def dict_item_key(data, rng):
    n = 0.0
    for x in data:
        n += TABLE["s"]
    return n + rng.laplace(scale=1.0)


KEY2 = Key()

TABLE2 = {KEY2: 1e-6}


# J: items.item / items.method run __eq__ of objects in lists and dicts
@case(d0=[], d1=[0.5])
def dict_get_key(data, rng):
    return len(data) + rng.laplace(scale=TABLE2.get("s", 1.0))


KEY3 = Key()

L3 = [KEY3, "s"]


# J: items.item / items.method run __eq__ of objects in lists and dicts
@case(d0=[], d1=[0.5])
def list_index_key(data, rng):
    return len(data) + rng.laplace(scale=(1e-6, 1.0)[L3.index("s")])


class Raises:
    def __eq__(self, o):
        raise RuntimeError if Raises.on else None

    on = False


class Format(str):
    pass


SS = Format("1.0")

q = 1.0


# G: loops.py assigned() forgets MatchMapping.rest
@case(d0=[], d1=[0.5])
def nested_match_rest_in_helper(data, rng):
    def h():
        if False:
            match 1:
                case {"a": 1, **q}:
                    pass
        return q

    n = 0.0
    for x in data:
        n += h()
    return n + rng.laplace(scale=1.0)


class Sub(float):
    pass


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_scalar_start(data, rng):
    b = np.zeros(1)
    c = 0.0
    for x in data:
        b += 1.0
        c += 1000.0
        c = b
    return b + rng.laplace(scale=1.0, size=1)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_scalar_start_known(data, rng):
    one = np.ones(1)
    c = 0.0
    for x in data:
        c += 1000.0
        c = one
    return one


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def alias_list_by_scalar(data, rng):
    one = [1.0]
    c = 0.0
    for x in data:
        c += 0.0
        c = one
    return one


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def type_changes_next(data, rng):
    c = 0.0
    n = 0.0
    for x in data:
        c += 1.0
        n += 1.0
        c = "text"
    return n + rng.laplace(scale=1.0)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def type_changes_next_int(data, rng):
    c = 0.0
    n = 0.0
    for x in data:
        c -= 1.0
        n += 1.0
        c = None
    return n + rng.laplace(scale=1.0)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def shape_changes_next(data, rng):
    c = np.zeros(2)
    n = 0.0
    for x in data:
        c = c + np.ones(2)
        n += 1.0
        c = np.ones(3)
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def text_total(data, rng):
    label = "a"
    n = 0.0
    for x in data:
        n += 1.0
        label += 1
        label = "b"
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def none_total_add(data, rng):
    label = None
    n = 0.0
    for x in data:
        n += 1.0
        label = label + 1
        label = "b"
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def none_total_add_unused(data, rng):
    label = None
    n = 0.0
    for x in data:
        n += 1.0
        m = label + 1
        label = label
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def list_total_add(data, rng):
    label = [1]
    n = 0.0
    for x in data:
        n += 1.0
        m = label + 1
        label = label
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def bool_cell_add(data, rng):
    label = {"a": "t"}
    n = 0.0
    for x in data:
        n += 1.0
        m = label["a"] + 1
        label["a"] = label["a"]
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def array_shape_add(data, rng):
    c = np.zeros(2)
    n = 0.0
    for x in data:
        n += 1.0
        m = c + np.ones(3)
        c = c
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def array_in_place_shape(data, rng):
    c = np.zeros(2)
    n = 0.0
    for x in data:
        n += 1.0
        c += np.ones(3)
        c = np.zeros(2)
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def array_in_place_type(data, rng):
    c = np.zeros(2, int)
    n = 0.0
    for x in data:
        n += 1.0
        c += 0.5
        c = np.zeros(2)
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def array_total_text(data, rng):
    c = "abc"
    n = 0.0
    for x in data:
        n += 1.0
        m = c - 1.0
        c = c
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def huge_int_total(data, rng):
    c = 10**400
    n = 0.0
    for x in data:
        n += 1.0
        m = c + 0.5
        c = c
    return n + rng.laplace(scale=1.0)


from dpverify.derivation.values import Generator as _G, Size as _S

G = _G()


# K: isinstance(value, Lifted) believes __class__, and Lifted objects from outside pass
@case(d0=[], d1=[0.5])
def lifted_global(data, rng):
    n = 0.0
    for x in data:
        n += 1.0 if G else 0.0
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def cells_text(data, rng):
    c = ["a", 0.0]
    for x in data:
        c[1] += 1.0
        m = c[0] - 1
    return c[1] + rng.laplace(scale=1.0)


# C: loops.py over_records: a name that ends the body as something else (another array, another type) still starts the next record as its own running total
@case(d0=[0.5], d1=[0.5, 0.5])
def array_item_next_shape(data, rng):
    n = 0.0
    c = np.zeros(3)
    for x in data:
        c[2] += 1.0
        n += 1.0
        c = np.zeros(1)
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def helper_text_total(data, rng):
    def g(c):
        return c + 1.0

    n = 0.0
    label = "a"
    for x in data:
        g(label)
        n += 1.0
        label = label
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(MAT, d0=np.zeros((0, 2)), d1=np.zeros((1, 2)))
def total_of_rows_other_shape(data, rng):
    t = np.zeros((2, 2))
    n = 0.0
    for row in data:
        n += 1.0
        u = t + np.ones(2)
        v = t + np.ones((3, 2))
        t = t
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def total_is_generator(data, rng):
    n = 0.0
    g = rng
    for x in data:
        n += 1.0
        h = g + 1
        g = g
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def total_is_data(data, rng):
    n = 0.0
    g = data
    for x in data:
        n += 1.0
        h = g + 1.0
        g = g
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(d0=[], d1=[0.5])
def total_is_module(data, rng):
    n = 0.0
    g = np
    for x in data:
        n += 1.0
        h = g + 1.0
        g = g
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case([1, 2, 3], d0=[], d1=[10**400])
def unbounded_int_and_float(data, rng):
    t = 0.5
    n = 0.0
    for x in data:
        n += 1.0
        h = t + x
        t = t
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case([1, 2, 3], d0=[], d1=[10**400])
def unbounded_int_and_array(data, rng):
    t = np.zeros(1)
    n = 0.0
    for x in data:
        n += 1.0
        h = t + x
        t = t
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(["a", "b"], d0=[], d1=["a"])
def text_and_total(data, rng):
    t = 0.5
    n = 0.0
    for x in data:
        n += 1.0
        h = t + x
        t = t
    return n + rng.laplace(scale=1.0)


# D: loops.py _running / operators.py _changed_state: arithmetic on a RunningTotal is not checked against type and shape of what the variable held; results that are not kept are never checked
@case(["a", "b"], d0=[], d1=["a"])
def text_from_total(data, rng):
    t = 0.5
    n = 0.0
    for x in data:
        n += 1.0
        h = x + t
        t = t
    return n + rng.laplace(scale=1.0)
