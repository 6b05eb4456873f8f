"""Attacks that were correctly not proved."""

import functools
import math

import numpy as np

A_TEXT = "a"
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


ONE = np.ones(1)

A1 = np.ones((1, 1))
B1 = np.ones((1, 1))

SC11 = np.ones((1, 1))

TINY = np.full((1, 1), 1e-9)

ZERO = 0.0


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


class Odd:
    n = 0

    def __eq__(self, o):
        Odd.n += 1
        return Odd.n > 3

    def __hash__(self):
        return 0


ODDS = [Odd()]

OD = {Odd(): 1e-6}

from dpverify.derivation.values import Generator as _G


class Fake:
    @property
    def __class__(self):
        return _G

    def laplace(self, scale):
        return 0.0


FAKE = Fake()


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


_M2__g = 1.0


class M2:
    def __call__(self, data, rng):
        total = 0.0
        for x in data:

            def __g():
                return 0

            total += min(_M2__g, 1.0)
        return total + rng.laplace(scale=1.0)


_M3__m = 1.0


class M3:
    def __call__(self, data, rng):
        import math as __m

        total = 0.0
        for x in data:
            total += min(_M3__m, 1.0)
        return total + rng.laplace(scale=1.0)


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

SC = np.array([1.0, 1e-6])

SCL = [1.0, 1e-6]

SL2 = slice(Idx(), None)


class Fint:
    n = 0

    @property
    def __class__(self):
        return int

    def __index__(self):
        Fint.n += 1
        return 0 if Fint.n < 2 else 1


FI = Fint()


@case(TX, d0=[], d1=["c"])
def text_missing_key(data, rng):
    c = {"a": 0, "b": 0}
    for t in data:
        c[t] += 1
    return {k: v + rng.laplace(scale=1.0) for k, v in c.items()}


@case(TX, d0=[], d1=["c"])
def text_in_and_else(data, rng):
    c = {"a": 0, "b": 0}
    for t in data:
        if t in ("a", "b", "c"):
            c[t] += 1
    return {k: v + rng.laplace(scale=1.0) for k, v in c.items()}


@case(TX, d0=[], d1=["c"])
def text_key_returned(data, rng):
    last = {"a": 0}
    for t in data:
        last = {t: 0}
    return last


@case(TX)
def text_truth(data, rng):
    total = 0
    for t in data:
        if t:
            total += 1
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_fstring(data, rng):
    total = 0
    for t in data:
        total += 1 if f"{t}" == "a" else 0
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_len(data, rng):
    total = 0
    for t in data:
        total += len(t)
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_minus(data, rng):
    c = {"a": 0, "b": 0}
    for t in data:
        if t in c:
            c[t] += 1
            c["a"] += 1
    return [v + rng.laplace(scale=1.0) for v in c.values()]


@case(TX)
def text_twice(data, rng):
    c = {"a": 0, "b": 0}
    d = {"a": 0, "b": 0}
    for t in data:
        if t in c:
            c[t] += 1
        if t in d:
            d[t] += 1
    return [v + rng.laplace(scale=1.0) for v in (*c.values(), *d.values())]


@case(PAIRS)
def text_weighted(data, rng):
    c = {"a": 0.0, "b": 0.0}
    for t, v in data:
        if t in c:
            c[t] += v
    return [v + rng.laplace(scale=1.0) for v in c.values()]


@case(PAIRS)
def text_index_list(data, rng):
    w = {"a": 1.0, "b": 5.0}
    total = 0.0
    for t, v in data:
        if t in w:
            total += w[t]
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_compare_text(data, rng):
    total = 0.0
    for t in data:
        total += 1.0 if t == t else 3.0
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_not_in(data, rng):
    total = 0.0
    for t in data:
        total += 1.0 if t not in ("a",) else 3.0
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_in_string(data, rng):
    total = 0.0
    for t in data:
        total += 1.0 if t in "ab" else 0.5
    return total + rng.laplace(scale=1.0)


@case(TX)
def text_identity(data, rng):
    total = 0.0
    for t in data:
        total += 1.0 if t is A_TEXT else 0.0
    return total + rng.laplace(scale=1.0)


@case([1, 2, 3], d0=[], d1=[7])
def int_key_missing(data, rng):
    c = {1: 0, 2: 0, 3: 0}
    for t in data:
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c.values()]


@case([1, 2, 3], d0=[], d1=[3], bounds=(0, 3))
def int_place_beyond(data, rng):
    c = [0, 0, 0]
    for t in data:
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c]


@case([True, False])
def bool_place(data, rng):
    c = [0, 0]
    for t in data:
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c]


@case([True, False])
def bool_key(data, rng):
    c = {0: 0, 1: 0}
    for t in data:
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c.values()]


@case(EX, bounds=(0, 1))
def float_key(data, rng):
    c = {0: 0, 1: 0}
    for t in data:
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c.values()]


@case()
def zip_live(data, rng):
    xs = [1.0, 1.0]
    z = zip(xs, xs)
    xs[0] = 1e-6
    return len(data) + rng.laplace(scale=list(z)[0][0])


@case()
def view_live(data, rng):
    d = {"a": 1.0}
    v = d.values()
    d["a"] = 1e-6
    return len(data) + rng.laplace(scale=list(v)[0])


@case()
def view_live_loop(data, rng):
    d = {"a": 0.0}
    v = d.values()
    for x in data:
        d["a"] += 1.0
    return [list(v)[0]]


@case()
def zip_used_by_in(data, rng):
    z = zip([1.0], [2.0])
    q = (1.0, 2.0) in z
    return len(data) + rng.laplace(scale=1.0 if q else 1.0)


@case()
def zip_then_max(data, rng):
    z = zip([1.0], [2.0])
    a = list(z)
    b = list(z)
    return len(data) + rng.laplace(scale=1.0 if b else 1e-6)


@case()
def zip_of_zip(data, rng):
    z = zip([1.0, 1e-6], [1.0, 2.0])
    return len(data) + rng.laplace(scale=list(zip(z, z))[0][1][0])


@case()
def range_twice(data, rng):
    r = reversed([1e-6, 1.0])
    a = [v for v in r]
    b = [v for v in r]
    return len(data) + rng.laplace(scale=1.0 if b else 1e-6)


@case(d0=[], d1=[0.5])
def local_frame_names(data, rng):
    g = lambda: 0
    s = 1.0
    n = len(data)
    g.frame.names["s"] = 2.0
    return n + rng.laplace(scale=s)


@case(d0=[], d1=[0.5])
def zip_object_attr(data, rng):
    total = 0.0
    for x in data:
        z = zip([1], [2])
        z.used
        total += 1.0
    return total + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def method_attr(data, rng):
    total = 0.0
    for x in data:
        math.sqrt.foo
        total += 1.0
    return total + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def set_attr(data, rng):
    s = {1, 2}
    total = 0.0
    for x in data:
        s.add
        total += 1.0
    return total + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def set_order(data, rng):
    return len(data) + rng.laplace(scale=[v for v in {1, 2}][0])


@case(d0=[], d1=[0.5])
def set_alias(data, rng):
    s = {1, 2}
    return len(data) + rng.laplace(scale=1.0 if 1 in s else 1e-6)


@case(d0=[], d1=[0.5])
def not_is_none(data, rng):
    last = None
    n = 0.0
    for x in data:
        if not (last is None):
            n += 1.0
        last = None
    return n


I3 = [0, 1, 2]

B = dict(bounds=(0, 2))


@case(I3, d0=[], d1=[1], **B)
def place_shifted(data, rng):
    c = [0, 0, 0]
    for t in data:
        c[t] = c[0] + 1
    return [v + rng.laplace(scale=1.0) for v in c]


@case(I3, d0=[], d1=[1], **B)
def place_in_tuple(data, rng):
    w = (0.0, 1.0, 100.0)
    total = 0.0
    for t in data:
        total += w[t]
    return total + rng.laplace(scale=1.0)


@case(I3, d0=[], d1=[1], **B)
def place_array_int_float(data, rng):
    c = np.zeros(3, int)
    for t in data:
        c[t] += 0.5
    return c + rng.laplace(scale=1.0, size=3)


@case(I3, d0=[], d1=[1], **B)
def place_array_slice_alias(data, rng):
    c = np.zeros(3)
    v = c[1:]
    for t in data:
        c[t] += 1
    return v


@case(I3, d0=[], d1=[1], **B)
def place_range(data, rng):
    total = 0.0
    r = range(0, 300, 100)
    for t in data:
        total += r[t]
    return total + rng.laplace(scale=1.0)


@case(I3, **B)
def two_cells_one(data, rng):
    c = [0, 0, 0]
    for t in data:
        c[t] += 1
        c[-1] += 1
    return [v + rng.laplace(scale=1.0) for v in c]


@case(I3, **B)
def nested_places(data, rng):
    p = (0, 0, 0)
    c = [0, 0, 0]
    for t in data:
        c[p[t]] += 1
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c]


@case(TX, d0=[], d1=["c"], records='choice("a", "b", "c")')
def choice_missing(data, rng):
    c = {"a": 0, "b": 0}
    for t in data:
        c[t] += 1
    return [v + rng.laplace(scale=1.0) for v in c.values()]


@case(TX, d0=[], d1=["b"], records='choice("a", "b")')
def choice_other_text(data, rng):
    total = 0
    for t in data:
        if t == "a":
            total += 1
        elif t == "zzz":
            total += 1
        else:
            total += 5
    return total + rng.laplace(scale=1.0)


@case([("a", "c"), ("b", "a")], d0=[], d1=[("b", "c")], records='(choice("a", "b"), choice("a", "c"))')
def choice_two_fields(data, rng):
    total = 0
    for s, t in data:
        if s == "b" and t == "c":
            total += 5
    return total + rng.laplace(scale=1.0)


@case(I3, d0=[], d1=[1], **B)
def first_seen_dict(data, rng):
    seen = {0: None, 1: None, 2: None}
    for t in data:
        if seen[t] is None:
            seen[t] = 1
    return seen


@case(d0=[], d1=[0.7])
def none_total(data, rng):
    total = None
    for x in data:
        total = 1.0 if total is None else total + 1.0
    return (0.0 if total is None else total) + rng.laplace(scale=1.0)


@case(d0=[0.5], d1=[0.5, 0.5])
def alias_zero_d(data, rng):
    one = np.ones(())
    b = np.zeros(())
    for x in data:
        b += 1.0
        b = one
    return one + 0.0


@case(d0=[0.5], d1=[0.5, 0.5])
def alias_list(data, rng):
    one = [1.0]
    b = [0.0]
    for x in data:
        b[0] += 1.0
        b = one
    return one


@case(d0=[0.5], d1=[0.5, 0.5])
def alias_list_helper(data, rng):
    def bump(c):
        c[0] += 1.0

    one = [1.0]
    b = [0.0]
    for x in data:
        bump(b)
        b = one
    return one


def keep(a, box, v):
    box.append(a)
    return v


@case(d0=[], d1=[0.5])
def aug_subscript(data, rng):
    a = np.ones(1) + 0.0
    box = []
    a[0] *= keep(a, box, 1e-6)
    return len(data) + rng.laplace(scale=box[0][0])


@case(d0=[], d1=[0.5])
def binary_left_alias(data, rng):
    xs = [1.0]

    def g():
        xs[0] = 1e-6
        return []

    return len(data) + rng.laplace(scale=(xs + g())[0])


@case(d0=[], d1=[0.5])
def compare_order(data, rng):
    xs = [1.0]

    def g():
        xs[0] = 1e-6
        return 0.5

    s = 1.0 if xs[0] < g() else xs[0]
    return len(data) + rng.laplace(scale=s)


@case(d0=[], d1=[0.5])
def arguments_order(data, rng):
    xs = [1.0]

    def g():
        xs[0] = 1e-6
        return 0

    def h(a, b):
        return a[0]

    return len(data) + rng.laplace(scale=h(xs, g()))


@case(d0=[], d1=[0.5])
def chain_target_order(data, rng):
    xs = [1.0, 1.0]
    i = 0
    i = xs[i] = 1
    s = xs[0]
    xs[1] = 1e-6
    return len(data) + rng.laplace(scale=xs[i])


@case(d0=[], d1=[0.5])
def default_then_changed(data, rng):
    xs = [1.0]

    def g(v=xs):
        return v[0]

    xs[0] = 1e-6
    return len(data) + rng.laplace(scale=g())


@case(d0=[], d1=[0.5])
def list_times_alias(data, rng):
    xs = [[1.0]] * 2
    xs[1][0] = 1e-6
    return len(data) + rng.laplace(scale=xs[0][0])


@case(d0=[], d1=[0.5])
def copy_shallow(data, rng):
    xs = [[1.0]]
    ys = xs.copy()
    ys[0][0] = 1e-6
    return len(data) + rng.laplace(scale=xs[0][0])


@case(d0=[], d1=[0.5])
def late_bound(data, rng):
    fs = [lambda: k for k in (1.0, 1e-6)]
    return len(data) + rng.laplace(scale=fs[0]())


@case(d0=[], d1=[0.5])
def shadow_comprehension(data, rng):
    s = 1e-6
    [s for s in (1.0,)]
    return len(data) + rng.laplace(scale=s)


@case(d0=[], d1=[0.5])
def sum_lists(data, rng):
    a = [1.0]
    b = sum([[a]], [])
    b[0][0] = 1e-6
    return len(data) + rng.laplace(scale=a[0])


@case(d0=[], d1=[0.5])
def get_default(data, rng):
    a = [1.0]
    d = {"k": a}
    e = d.get("k")
    e[0] = 1e-6
    return len(data) + rng.laplace(scale=a[0])


@case(d0=[], d1=[0.5])
def max_list(data, rng):
    a = [1.0]
    e = max([a, [0.5]])
    e[0] = 1e-6
    return len(data) + rng.laplace(scale=a[0])


@case(d0=[], d1=[0.5])
def or_alias(data, rng):
    a = [1.0]
    e = a or []
    e[0] = 1e-6
    return len(data) + rng.laplace(scale=a[0])


@case(d0=[], d1=[0.5])
def assert_records(data, rng):
    n = 0
    for x in data:
        assert x < 5
        n += 1
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def while_records(data, rng):
    n = 0
    for x in data:
        y = min(max(0.0, x), 1.0)
        while y > 0.5:
            y = y - 0.5
            n += 1
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def recursion_records(data, rng):
    def r(x, k):
        return 0.0 if k == 0 else x + r(x, k - 1)

    total = 0.0
    for x in data:
        total += r(min(max(0.0, x), 1.0), 5)
    return total + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def closure_total(data, rng):
    total = 0.0

    def g():
        return total

    for x in data:
        total += 1.0
        y = g()
        total = y + y - y
    return total + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def other_name_for_total(data, rng):
    total = 0.0
    other = 0.0
    for x in data:
        total += 1.0
        other, total = total, other
    return total + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def property_live(data, rng):
    return len(data) + rng.laplace(scale=P.s)


class P_:
    def __init__(self):
        self.v = [1.0]

    @property
    def s(self):
        self.v[0] = self.v[0] / 10
        return self.v[0]


P = P_()


@case(d0=[], d1=[0.5])
def slots_default(data, rng):
    return len(data) + rng.laplace(scale=Q.s)


class Q_:
    __slots__ = ("s",)


Q = Q_()
Q.s = 1.0


class Ns(dict):
    def __missing__(self, k):
        return 1e-6


NS = Ns(a=1.0)


@case(d0=[], d1=[0.5])
def missing_dict(data, rng):
    return len(data) + rng.laplace(scale=NS["b"])


class Arr(np.ndarray):
    pass


@case(d0=[], d1=[0.5])
def sub_array(data, rng):
    return len(data) + rng.laplace(scale=AA[0])


AA = np.ones(1).view(Arr)

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

KEY2 = Key()

TABLE2 = {KEY2: 1e-6}

KEY3 = Key()

L3 = [KEY3, "s"]


class Raises:
    def __eq__(self, o):
        raise RuntimeError if Raises.on else None

    on = False


class Format(str):
    pass


@case(d0=[], d1=[0.5])
def str_subclass(data, rng):
    return len(data) + rng.laplace(scale=float(SS))


SS = Format("1.0")


@case(d0=[], d1=[0.5])
def copy_of_dict_then_loop(data, rng):
    c = {"a": 0.0}
    d = c.copy()
    for x in data:
        c["a"] += 1.0
    return d


@case(d0=[], d1=[0.5])
def concat_list_then_loop(data, rng):
    c = [0.0]
    d = [c]
    for x in data:
        c[0] += 1.0
    return d


@case(d0=[], d1=[0.5])
def list_in_closure_then_loop(data, rng):
    c = [0.0]
    g = lambda: c
    d = g()
    for x in data:
        c[0] += 1.0
    return d


@case(d0=[], d1=[0.5])
def list_in_closure_within(data, rng):
    c = [0.0]
    g = lambda: c
    for x in data:
        c[0] += 1.0
        g()[0] = c[0] + 1000.0
    return c[0] + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def append_alias(data, rng):
    out = []
    for x in data:
        o = out
        o.append(min(max(0.0, x), 1.0))
        out.append(min(max(0.0, x), 1.0))
    return sum(out) + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def append_alias_helper(data, rng):
    out = []

    def p(c, v):
        c.append(v)

    for x in data:
        out.append(min(max(0.0, x), 1.0))
        p(out, 1.0)
    return sum(out) + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def append_conditionally(data, rng):
    out = []
    for x in data:
        if x > 0.5:
            out.append(1.0)
        else:
            out = out
    return len(out) + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def append_method_alias(data, rng):
    out = []
    p = out.append
    for x in data:
        p(1.0)
    return out


@case(d0=[], d1=[0.5])
def default_list_grows(data, rng):
    def g(v, acc=[]):
        acc.append(v)
        return len(acc)

    n = 0.0
    for x in data:
        n += g(1)
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def default_list_once(data, rng):
    def g(v, acc=[]):
        acc.append(v)
        return acc

    a = g(1.0)
    b = g(1e-6)
    return len(data) + rng.laplace(scale=a[-1])


@case(d0=[], d1=[0.5])
def unbound_free(data, rng):
    def g():
        return later

    n = 0.0
    for x in data:
        n += g()
    later = 1.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def unbound_after_loop(data, rng):
    for x in data:
        y = 1.0
    return y


q = 1.0


@case(d0=[], d1=[0.5])
def with_dead(data, rng):
    if False:
        with open("x") as q:
            pass
    n = 0.0
    for x in data:
        n += q
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def try_dead(data, rng):
    if False:
        try:
            pass
        except ValueError as q:
            pass
    n = 0.0
    for x in data:
        n += q
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def del_dead(data, rng):
    if False:
        del q
    n = 0.0
    for x in data:
        n += q
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def class_dead(data, rng):
    if False:

        class q:
            pass

    n = 0.0
    for x in data:
        n += q
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def match_as_dead(data, rng):
    if False:
        match 1:
            case [*q]:
                pass
    n = 0.0
    for x in data:
        n += q
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def import_dead(data, rng):
    if False:
        import q.r
    n = 0.0
    for x in data:
        n += q
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def star_kw(data, rng):
    def h(a, /, **kw):
        return kw["a"]

    return len(data) + rng.laplace(scale=h(1e-6, a=1.0))


class Sub(float):
    pass


@case(d0=[], d1=[0.5])
def data_changed(data, rng):
    n = 0
    for x in data:
        x += 1
        n += 1
    return n + rng.laplace(scale=1.0)


@case(MAT, d0=np.zeros((1, 2)), d1=np.zeros((2, 2)))
def row_changed(data, rng):
    for row in data:
        r = row
        r += 1.0
    return len(data) + rng.laplace(scale=1.0)


@case(MAT, d0=np.zeros((1, 2)), d1=np.zeros((2, 2)))
def row_item_changed(data, rng):
    for row in data:
        row[0] = 1.0
    return len(data) + rng.laplace(scale=1.0)


@case(MAT, d0=np.zeros((1, 2)), d1=np.zeros((2, 2)))
def column_changed(data, rng):
    c = data[:, 0]
    c += 1.0
    return len(data) + rng.laplace(scale=1.0)


@case(MAT, d0=np.zeros((1, 2)), d1=np.zeros((2, 2)))
def product_in_place(data, rng):
    t = np.zeros(2) + np.clip(np.nan_to_num(data), 0, 1).sum(axis=0)
    k = t
    t @= np.eye(2) * 1000
    return k + rng.laplace(scale=2.0, size=2)


@case(d0=[], d1=[0.5])
def chained(data, rng):
    n = 0.0
    for x in data:
        n += 1.0 if 0 < x < 1 == True else 5.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def is_chain(data, rng):
    a = None
    n = 0.0
    for x in data:
        n += 0.0 if a is not None is not True else 1000.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def none_in_condition(data, rng):
    label = None
    n = 0.0
    for x in data:
        n += 1000.0 if label in (None,) else 1.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def none_truth(data, rng):
    label = None
    n = 0.0
    for x in data:
        n += 1.0 if label else 1000.0
        label = 1
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def none_or_value(data, rng):
    label = None
    n = 0.0
    for x in data:
        label = label or 1
        n += 1
    return label


@case(d0=[0.5], d1=[0.5, 0.5])
def function_changes_next(data, rng):
    def g(v):
        return v

    n = 0.0
    for x in data:
        n += 1.0
        g += 1
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def huge_int_total2(data, rng):
    c = 10**400
    n = 0.0
    for x in data:
        n += 1.0
        c += 0.5
    return n + rng.laplace(scale=1.0)


from dpverify.derivation.values import Generator as _G, Size as _S

G = _G()


@case(d0=[], d1=[0.5])
def np_seterr(data, rng):
    np.seterr(all="raise")
    return len(data) + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def appended_sum(data, rng):
    out = []
    n = 0.0
    for x in data:
        out.append("t" if x > 0.5 else "u")
    return len(out) + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def len_of_running(data, rng):
    c = np.zeros(3)
    n = 0.0
    for x in data:
        n += len(c) / 3
        c = np.zeros(5)
    return n + rng.laplace(scale=1.0)


@case(d0=[0.5], d1=[0.5, 0.5])
def shape_of_running(data, rng):
    c = np.zeros(1)
    n = 0.0
    for x in data:
        n += c.size
        c = np.zeros(1000)
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def running_in_fstring(data, rng):
    c = 0.0
    n = 0.0
    for x in data:
        t = f"{c}"
        c = c + 1
        n += 1.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def running_stored_in_array(data, rng):
    n = 0.0
    for x in data:
        v = np.zeros(1)
        v[0] = n
        n += 1.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def running_is_running(data, rng):
    n = 0.0
    c = 0.0
    for x in data:
        n += 1.0 if n is c else 2.0
    return n + rng.laplace(scale=1.0)


@case(d0=[], d1=[0.5])
def running_array_item(data, rng):
    n = np.zeros(2)
    for x in data:
        n[5] += 1
    return n + rng.laplace(scale=1.0, size=2)


@case(d0=[], d1=[0.5])
def running_array_float_place(data, rng):
    n = np.zeros(2)
    for x in data:
        n[1.0] += 1
    return n + rng.laplace(scale=1.0, size=2)


@case(d0=[], d1=[0.5])
def running_list_beyond(data, rng):
    n = [0.0]
    for x in data:
        n[1] += 1
    return n[0] + rng.laplace(scale=1.0)
