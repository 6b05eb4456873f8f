"""Attacks of the same reading that are not proved, or whose proof is true (`true=True`)."""

import numpy as np
import math

ATTACKS = {}
L = [0.5, 1.5, 2.5]
A = np.array(L)
LI = [1, 2, 3]
AI = np.array(LI)
R = [(0.5, 1.0), (1.5, 2.0)]
RT = [("a", 1.0), ("b", 2.0)]
X = np.array([[0.5, 1.0], [1.5, 2.0]])
B = np.array([True, False])
LB = [True, False]


def atk(data=L, d0=None, d1=None, claim="PureDP(epsilon=1)", **kw):
    more = np.concatenate([data, data[:1]]) if isinstance(data, np.ndarray) else [*data, data[0]]

    def keep(f):
        given = dict(d0=data if d0 is None else d0, d1=more if d1 is None else d1)
        ATTACKS[f.__name__] = dict(claim=claim, data=data, **given, **kw)
        return f

    return keep


def c01(x):
    return min(1.0, max(0.0, x))


@atk()
def late_closure_scale(data, rng):
    fs = [lambda: s for s in (1.0, 0.001)]
    return len(data) + rng.laplace(0, fs[0]())


@atk()
def loop_leak_scale(data, rng):
    for s in (1.0, 0.001):
        pass
    return len(data) + rng.laplace(0, s)


@atk()
def late_lambda(data, rng):
    s = 1.0
    f = lambda: s
    s = 0.001
    return len(data) + rng.laplace(0, f())


@atk()
def default_list_twice(data, rng):
    def g(l=[]):
        l.append(1)
        return len(l)

    g()
    return len(data) + rng.laplace(0, [9, 1.0, 0.001][g()])


@atk()
def alias_list_scale(data, rng):
    a = [1.0]
    b = a
    b[0] = 0.001
    return len(data) + rng.laplace(0, a[0])


@atk()
def slice_copy_scale(data, rng):
    a = [0.001]
    b = a[:]
    b[0] = 1.0
    return len(data) + rng.laplace(0, a[0])


@atk()
def shadow_comp(data, rng):
    s = 0.001
    t = [s for s in (1.0, 2.0)]
    return len(data) + rng.laplace(0, s)


@atk()
def posonly_kw(data, rng):
    def h(a, /, **kw):
        return kw["a"]

    return len(data) + rng.laplace(0, h(1.0, a=0.001))


@atk()
def star_then_kw(data, rng):
    def h(a, *b, c=1.0, **d):
        return b[0] * c

    return len(data) + rng.laplace(0, h(1, *(0.001,), c=1.0))


@atk()
def enumerate_start(data, rng):
    s = [i for i, v in enumerate((1, 2), 1)][0] * 0.001
    return len(data) + rng.laplace(0, s)


@atk()
def zip_short(data, rng):
    s = sum([1 for _ in zip((1, 2, 3), (1,))]) * 0.001
    return len(data) + rng.laplace(0, s)


@atk()
def neg_floor(data, rng):
    return len(data) + rng.laplace(0, -7 // 2 + 4.001)


@atk()
def bool_key_dict(data, rng):
    d = {1: 1.0}
    d[True] = 0.001
    return len(data) + rng.laplace(0, d[1])


@atk()
def first_key_kept(data, rng):
    d = {k: v for k, v in [(1, 1.0), (1, 0.001)]}
    return len(data) + rng.laplace(0, d[1])


@atk()
def chained_targets(data, rng):
    i = 0
    l = [1.0, 1.0]
    i = l[i] = 1
    return len(data) + rng.laplace(0, l[0] * 0.001 + (l[1] - 1))


@atk()
def aug_negative_index(data, rng):
    l = [1.0]

    def g():
        l.append(5.0)
        return -0.999

    l[-1] += g()
    return len(data) + rng.laplace(0, l[1])


@atk()
def starred_param_changes(data, rng):
    def h(*a):
        return a[0]

    l = [1.0]
    l[0] = 0.001
    return len(data) + rng.laplace(0, h(*l))


@atk(data=A)
def array_alias_tuple(data, rng):
    a = np.zeros(2)
    t = (a, 1)
    a[0] = 1.0
    return len(data) + rng.laplace(0, t[0][0] + 0.001)


@atk(data=A)
def array_alias_closure(data, rng):
    a = np.ones(2)
    f = lambda: a
    b = f()
    a[0] = 0.001
    return len(data) + rng.laplace(0, b[0])


@atk(data=A)
def array_view_T(data, rng):
    a = np.ones((1, 1))
    b = a.T
    a[0, 0] = 0.001
    return len(data) + rng.laplace(0, b[0, 0])


@atk(data=A)
def array_aug_view(data, rng):
    a = np.ones(2)
    b = a[:]
    a *= 0.001
    return len(data) + rng.laplace(0, b[0])


@atk(data=A)
def array_by_items(data, rng):
    a = np.ones((2, 2))
    for row in a:
        row *= 0.001
    return len(data) + rng.laplace(0, a[0, 0])


@atk(data=A)
def array_by_default(data, rng):
    def g(a=np.ones(2)):
        a *= 0.1
        return a

    g()
    return len(data) + rng.laplace(0, g()[0])


@atk()
def total_alias_list(data, rng):
    l = [0.0]
    m = [l]
    for x in data:
        l[0] += c01(x)
    return l[0] + rng.laplace()


@atk()
def prev_record(data, rng):
    p = 0.0
    t = 0.0
    for x in data:
        t += p
        p = c01(x)
    return t + rng.laplace()


@atk()
def prev_record_cells(data, rng):
    l = [0.0, 0.0]
    for x in data:
        l[0] += l[1]
        l[1] += c01(x)
    return l[0] + rng.laplace()


@atk()
def changes_meaning(data, rng):
    f = c01
    t = 0.0
    for x in data:
        t += f(x)
        f = lambda v: 100.0
    return t + rng.laplace()


@atk()
def swapped_totals(data, rng):
    a, b = 0.0, 0.0
    for x in data:
        a, b = b + c01(x), a
    return a + rng.laplace()


@atk()
def twice_added(data, rng):
    t = 0.0
    for x in data:
        s = t
        t = s + c01(x)
        t = s + c01(x) + c01(x)
    return t + rng.laplace()


@atk()
def total_by_closure(data, rng):
    t = 0.0

    def g(v):
        return t + v

    for x in data:
        t = g(c01(x))
        t = g(c01(x))
    return t + rng.laplace()


@atk()
def flag_first(data, rng):
    first = True
    t = 0.0
    for x in data:
        if first:
            t += 100.0
        first = False
        t += c01(x)
    return t + rng.laplace()


@atk()
def none_first_record(data, rng):
    last = None
    t = 0.0
    for x in data:
        if last is None:
            t += 100.0
        last = 1
        t += c01(x)
    return t + rng.laplace()


@atk()
def list_first_record(data, rng):
    seen = []
    t = 0.0
    for x in data:
        if not seen:
            t += 100.0
        seen.append(1)
    return t + rng.laplace()


@atk()
def dict_first_record(data, rng):
    seen = {}
    t = 0.0
    for x in data:
        if 1 in seen:
            t += 100.0
        seen[1] = 1
    return t + rng.laplace()


@atk()
def default_first_record(data, rng):
    def g(l=[]):
        l.append(1)
        return len(l)

    t = 0.0
    for x in data:
        t += g()
    return t + rng.laplace()


@atk()
def iterator_per_record(data, rng):
    it = zip((1.0, 2.0))
    t = 0.0
    for x in data:
        for (a,) in it:
            t += a
    return t + rng.laplace(0, 3.0)


@atk(data=RT)
def text_dict_missing(data, rng):
    d = {"a": 0}
    for k, v in data:
        d[k] += 1
    return d["a"] + rng.laplace()


@atk(data=RT)
def text_get_default(data, rng):
    d = {"a": 0, "b": 0}
    w = {"a": 1.0}
    t = 0.0
    for k, v in data:
        t += w.get(k, 100.0)
    return t + rng.laplace()


@atk(data=RT)
def text_substring(data, rng):
    return sum([1 for k, v in data if k in "abc"]) + rng.laplace()


@atk(data=RT)
def text_or_default(data, rng):
    return sum([1 for k, v in data if (k or "a") == "a"]) + rng.laplace()


@atk(data=B)
def bool_array_negative(data, rng):
    return sum([-b for b in data]) + rng.laplace()


@atk(data=B)
def bool_array_loop(data, rng):
    t = np.zeros(1, dtype=bool)
    for b in data:
        t += b
    return t[0] + rng.laplace()


@atk(data=B)
def bool_round(data, rng):
    return sum([round(b) for b in data]) + rng.laplace()


@atk(data=A)
def zip_masked(data, rng):
    a = [x for x in data if x > 0]
    return sum([1 for p, q in zip(a, data)]) + rng.laplace()


@atk(data=A)
def zip_array_twice(data, rng):
    z = zip(data, data)
    t = sum([1.0 for p, q in z])
    u = sum([1.0 for p, q in z])
    return t + u + rng.laplace(0, 2.0)


@atk(data=A)
def array_of_running(data, rng):
    t = np.zeros(2)
    for x in data:
        s = t
        t[0] += c01(x)
        s[0] += c01(x)
    return t + rng.laplace(0, 1.0, size=2)


@atk(data=A)
def place_float(data, rng):
    t = [0, 0]
    for x in data:
        t[x > 0] += 1
    return t[0] + rng.laplace()


@atk(data=X)
def row_inplace(data, rng):
    t = 0.0
    for row in data:
        row[0] = 0.0
        t += 1
    return t + rng.laplace()


@atk(data=X)
def row_alias_norm(data, rng):
    t = np.zeros(2)
    for row in data:
        v = np.nan_to_num(np.clip(row, -1, 1))
        v /= 1.0
        t += v
    return t + rng.laplace(0, 0.5, size=2)


@atk()
def released_in_condition(data, rng):
    c = len(data) + rng.laplace()
    return sum([1 for x in data if c > 0]) + rng.laplace()


@atk()
def fstring_of_released(data, rng):
    c = len(data) + rng.laplace()
    return f"{c}"


@atk()
def fstring_of_type(data, rng):
    c = sum(data) + rng.laplace()
    return f"{type(c)}"


@atk()
def or_zero_total(data, rng):
    t = sum([c01(x) for x in data]) or 5.0
    return t + rng.laplace()


@atk()
def choice_list_of_two(data, rng):
    return len(data) + rng.laplace(0, rng.choice([1.0, 0.001]))


@atk()
def choice_weights(data, rng):
    return len(data) + rng.laplace(0, rng.choice([0.001, 1.0], p=np.array([0.0, 1.0])))


@atk()
def assert_record(data, rng):
    t = 0
    for x in data:
        assert x < 1e300 or x >= 1e300 or True
        t += 1
    return t + rng.laplace()


@atk()
def raise_rare(data, rng):
    t = 0
    for x in data:
        if x == 0.123456:
            raise ValueError
        t += 1
    return t + rng.laplace()


@atk(data=LI)
def while_record(data, rng):
    t = 0
    for x in data:
        i = 0
        while i < min(5, max(0, x)):
            i += 1
        t += i
    return t + rng.laplace()


@atk(data=LI)
def comp_filter_record(data, rng):
    return sum([len([w for w in (1, 2, 3) if w < x]) for x in data]) + rng.laplace()


@atk(data=LI)
def known_error_in_way(data, rng):
    t = 0
    for x in data:
        if x == 123456:
            y = (1, 2)[5]
        t += 1
    return t + rng.laplace()


@atk(data=LI)
def key_error_in_way(data, rng):
    t = 0
    d = {1: 2}
    for x in data:
        if x * 7 == 77:
            y = d[2]
        t += 1
    return t + rng.laplace()


@atk(data=LI)
def int_float_list(data, rng):
    v = [1 if x > 0 else 0.5 for x in data]
    return sum(v) * 10**300 * 10**300 + rng.laplace()


@atk(data=A)
def round_no_end(data, rng):
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.geometric(0.39, size=3) - rng.geometric(0.39, size=3)
    scale = 2.0
    if 600 < c[0] < 602:
        big = np.abs(c[0]) * 0 + np.round(c)[0] ** 2 * 2**61
        scale = 2.0 if big >= 0 else 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk(data=A)
def square_of_rounded(data, rng):
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.geometric(0.39, size=3) - rng.geometric(0.39, size=3)
    scale = 2.0
    if 600 < c[0] < 602:
        r = np.round(c)
        big = r[0] * 2**54
        sq = big * 601
        scale = 2.0 if (sq * sq + 1 > 0) else 0.001
        scale = 2.0 if (r * r * r * r * r * r * r)[0] ** 2 >= 0 else 0.001
    return c, len(data) + rng.laplace(0.0, scale)
