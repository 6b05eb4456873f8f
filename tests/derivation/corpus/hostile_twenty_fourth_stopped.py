"""Attacks of the twenty-fourth reading (Python and numpy) that stop, or are above the claim, or whose proofs are true (`TRUE`)."""

import functools
import itertools
import math
import operator
import random
from dataclasses import dataclass, field

import numpy as np

ATTACKS = {}
TRUE = ("alias_by_plus", "alias_by_power", "chained")
ONE = np.ones(1)[0, ...]
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
ID = dict(data=[1, 2], bounds="0:3", d0=[], d1=[3])
KD = dict(data=np.array([1, 2]), bounds="0:3", d0=np.array([], dtype=int), d1=np.array([3]))
BD = dict(data=[True, False], d0=[], d1=[True])
ND = dict(data=np.array([True, False]), d0=np.array([], dtype=bool), d1=np.array([True]))
XD = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
RD = dict(data=[(0.5, "a"), (1.0, "b")], records="(float(0, 1), choice('a', 'b'))", d0=[], d1=[(1.0, "a")])
CD = dict(
    data={"x": np.array([0.5]), "k": np.array([1]), "l": [0.5]}, bounds={"x": (0.0, 1.0), "k": (0, 3), "l": (0.0, 1.0)}
)


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def lap(rng):
    return rng.laplace(scale=1.0)


# --- scopes
@A(**LD)
def nonlocal_total(data, rng):
    total = 0.0

    def add(x):
        nonlocal total
        total += 2 * x

    for x in data:
        add(x)
    return total + lap(rng)


SEEN = [0.0]


@A(**LD)
def global_list(data, rng):
    for x in data:
        SEEN[0] += x
    return SEEN[0] + lap(rng)


@A(**LD)
def global_statement(data, rng):
    global SEEN
    SEEN = [sum(data)]
    return sum(data) + lap(rng)


@A(**LD)
def last_record(data, rng):
    x = 0.0
    for x in data:
        pass
    return x


@A(**LD)
def last_record_in_lambda(data, rng):
    x = 0.0
    f = lambda: x
    for x in data:
        pass
    return f()


@A(**LD)
def late_binding_of_records(data, rng):
    fs = []
    for x in data:
        fs.append(lambda: x)
    return [f() for f in fs]


@A(**LD)
def lambda_of_last(data, rng):
    f = lambda: 0.0
    for x in data:
        f = lambda x=x: x
    return f()


@A(**LD)
def default_of_inner(data, rng):
    def seen(x, acc=[]):
        acc.append(1)
        return len(acc)

    return sum([seen(x) for x in data]) + lap(rng)


@A(**LD)
def default_evaluated_once(data, rng, acc=[0]):
    acc[0] = 1
    return sum(data) + rng.laplace(scale=1.0 if acc[0] else 0.001)


@A(**LD)
def default_list_grows(data, rng, acc=[]):
    acc.append(sum(data))
    return acc


@A(**LD)
def walrus(data, rng):
    last = 0
    s = sum([(last := x) for x in data])
    return last, s + lap(rng)


@A(**LD)
def deleted(data, rng):
    x = 1
    del x
    return sum(data) + lap(rng)


@A(**LD)
def with_statement(data, rng):
    with open("/dev/null"):
        return sum(data) + lap(rng)


@A(**LD)
def finally_return(data, rng):
    try:
        return sum(data)
    finally:
        return sum(data) + lap(rng)


@A(**LD)
def except_tells(data, rng):
    try:
        y = 1 / sum(data)
    except ZeroDivisionError:
        return "none"
    return sum(data) + lap(rng)


@A(**LD)
def class_body(data, rng):
    class C:
        s = sum(data)

    return C.s


@A(**LD)
def matched(data, rng):
    match len(data):
        case 0:
            return 0.0
        case _:
            return sum(data) + lap(rng)


@A(**LD)
def for_else(data, rng):
    for x in data:
        if x > 2:
            break
    else:
        return 0.0
    return sum(data) + lap(rng)


@A(**LD)
def while_else(data, rng):
    n = lap(rng)
    while n > 5:
        n -= 1
    else:
        n += 1000 * 0
    return sum(data) + lap(rng)


@A(**LD)
def target_is_an_item(data, rng):
    kept = [0.0]
    for kept[0] in data:
        pass
    return kept[0]


@A(**LD)
def target_is_an_item_of_comprehension(data, rng):
    kept = [0.0]
    s = sum([kept[0] for kept[0] in data])
    return kept[0], s + lap(rng)


@A(**LD)
def swapped_totals(data, rng):
    a, b = 0.0, 0.0
    for x in data:
        a, b = b + x, a
    return a + lap(rng)


@A(**LD)
def exchanged_cells(data, rng):
    t = [0.0, 0.0]
    for x in data:
        t[0] += x
        t[0], t[1] = t[1], t[0]
    return t[0] + lap(rng)


@A(**LD)
def total_within_total(data, rng):
    a = b = 0.0
    for x in data:
        a += x
        b += a
    return b + lap(rng)


@A(**LD)
def total_in_a_list(data, rng):
    a = 0.0
    for x in data:
        t = [a]
        t[0] += x
        a = t[0] + t[0]
    return a + lap(rng)


@A(**LD)
def total_twice(data, rng):
    a = 0.0
    for x in data:
        a = a + x + x
    return a + lap(rng)


@A(**LD)
def count_of_a_loop(data, rng):
    n = 0
    for _ in data:
        n = n + 1
    return n


@A(**LD)
def appended_twice(data, rng):
    l = []
    for x in data:
        m = l
        m.append(x)
        l.append(x)
    return sum(l) + lap(rng)


@A(**LD)
def appended_by_a_helper(data, rng):
    l = []

    def put(m, x):
        m.append(x)

    for x in data:
        put(l, x)
        l.append(x)
    return sum(l) + lap(rng)


@A(**LD)
def extended(data, rng):
    l = []
    for x in data:
        l.extend([x, x])
    return sum(l) + lap(rng)


@A(**LD)
def list_plus(data, rng):
    l = []
    for x in data:
        l = l + [x, x]
    return sum(l) + lap(rng)


@A(**LD)
def alias_of_counts(data, rng):
    c = [0.0]
    d = c
    for x in data:
        c[0] += x
    return d[0]


@A(**LD)
def alias_within_a_tuple(data, rng):
    c = [0.0]
    t = (c, 1)
    for x in data:
        c[0] += x
    return t[0][0]


@A(**FD)
def alias_of_array(x, rng):
    a = np.zeros(1)
    b = a
    a += x.sum()
    return b


@A(**FD)
def alias_of_view(x, rng):
    a = np.zeros(2)
    b = a[:1]
    a[0] = x.sum()
    return b


@A(**FD)
def alias_of_transposed(x, rng):
    a = np.zeros((1, 1))
    b = a.T
    a[0, 0] = x.sum()
    return b


@A(**FD)
def alias_of_asarray(x, rng):
    a = np.zeros(1)
    b = np.asarray(a)
    a[0] = x.sum()
    return b


@A(**FD)
def alias_of_rows(x, rng):
    a = np.zeros((1, 1))
    b = list(a)
    a[0, 0] = x.sum()
    return b


@A(**FD)
def alias_in_a_zip(x, rng):
    a = np.zeros(1)
    z = zip(a, [1])
    a[0] = x.sum()
    return list(z)


@A(**FD)
def alias_of_a_for(x, rng):
    a = np.zeros((2, 1))
    kept = []
    for r in a:
        kept.append(r)
    a[0, 0] = x.sum()
    return kept


@A(**FD)
def alias_by_two_targets(x, rng):
    a = b = np.zeros(1)
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_condition(x, rng):
    a = np.zeros(1)
    b = a if a.size else None
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_or(x, rng):
    a = np.zeros(1)
    b = None or a
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_default(x, rng):
    a = np.zeros(1)

    def g(a=a):
        return a

    a[0] = x.sum()
    return g()


@A(**FD)
def closure_over_array(x, rng):
    a = np.zeros(1)
    g = lambda: a
    a[0] = x.sum()
    return g()


@A(**FD)
def alias_by_ellipsis(x, rng):
    a = np.zeros(1)
    b = a[...]
    a[0] = x.sum()
    return b


@A(**FD)
def alias_of_no_dimensions(x, rng):
    a = np.zeros(1)
    b = a[0, ...]
    a[0] = x.sum()
    return b * 1.0


@A(**FD)
def alias_by_reshape(x, rng):
    a = np.zeros(1)
    b = a.reshape(1, 1)
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_plus(x, rng):
    a = np.zeros(1)
    b = +a
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_power(x, rng):
    a = np.zeros(1)
    b = a**1
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_max(x, rng):
    a = np.zeros(1)
    b = max([a])
    a[0] = x.sum()
    return b


@A(**FD)
def alias_by_unpacking(x, rng):
    (a,) = [np.zeros(1)]
    (b,) = [a]
    a[0] = x.sum()
    return b


@A(**FD)
def in_place_within_a_list(x, rng):
    l = [np.zeros(1)]
    m = l[0]
    l[0] += x.sum()
    return m


@A(**FD)
def in_place_of_data(x, rng):
    x += 1
    return (x - 1).sum() + lap(rng)


@A(**FD)
def in_place_of_a_view(x, rng):
    y = np.asarray(x)
    y *= 0
    return x.sum() + lap(rng)


@A(**FD)
def item_of_data(x, rng):
    x[0] = 5.0
    return np.clip(x, 0, 1).sum() + lap(rng)


@A(**FD)
def mask_of_data(x, rng):
    y = x * 1.0
    y[y > 0.5] = 9.0
    return y.sum() + lap(rng)


# --- arguments that other functions take
@A(**FD)
def sum_with_out(x, rng):
    held = np.zeros(1)
    np.sum(x[:, None], axis=0, out=held)
    return held


@A(**FD)
def sum_with_out_by_place(x, rng):
    held = np.zeros(1)
    np.sum(x[:, None], 0, None, held)
    return held


@A(**FD)
def method_sum_with_out(x, rng):
    held = np.zeros(1)
    x[:, None].sum(0, None, held)
    return held


@A(**FD)
def clip_with_out(x, rng):
    np.clip(x, 0, 0, x)
    return x.sum() + lap(rng)


@A(**FD)
def clip_with_out_in_a_tuple(x, rng):
    np.clip(x, 0, 0, (x,))
    return x.sum() + lap(rng)


@A(**FD)
def method_clip_out(x, rng):
    x.clip(0, 0, out=x)
    return x.sum() + lap(rng)


@A(**FD)
def add_out(x, rng):
    held = np.zeros(1)
    np.add(x.sum(), 0.0, held)
    return held


@A(**FD)
def maximum_out(x, rng):
    held = np.zeros(1)
    np.maximum(np.zeros(1), np.ones(1), held)
    return held * x.sum() + rng.laplace(scale=1.0, size=1)


@A(**FD)
def round_out(x, rng):
    s = x.sum() * np.ones(1) + rng.laplace(scale=1.0, size=1)
    held = np.zeros(1)
    np.round(s, 0, held)
    return held


@A(**FD)
def nan_to_num_in_place(x, rng):
    np.nan_to_num(x, copy=False, nan=5.0)
    return x.sum() + lap(rng)


@A(**FD)
def sum_where(x, rng):
    return np.sum(x, where=x > 0.5) + lap(rng)


@A(**FD)
def sum_initial(x, rng):
    return np.sum(x, initial=x[0]) + lap(rng)


@A(**FD)
def sum_dtype(x, rng):
    return np.sum(x, dtype=np.float16) + lap(rng)


@A(**KD)
def bincount_weights(x, rng):
    return np.bincount(x, x * 100, 4) + rng.laplace(scale=1.0, size=4)


@A(**FD)
def histogram_density(x, rng):
    return np.histogram(x, [0, 0.5, 1], None, True)[0] + rng.laplace(scale=1.0, size=2)


@A(**FD)
def histogram_weights(x, rng):
    return np.histogram(x, [0, 0.5, 1], weights=x * 9)[0] + rng.laplace(scale=1.0, size=2)


@A(**XD)
def norm_of_order_one(X, rng):
    return np.linalg.norm(X, 1, axis=1).sum() + rng.laplace(scale=1.5)


@A(**XD)
def norm_of_order_true(X, rng):
    return np.linalg.norm(X, True, axis=1).sum() + rng.laplace(scale=1.5)


@A(**XD)
def norm_of_order_two_double(X, rng):
    return np.linalg.norm(X, 2.0, axis=1).sum() + rng.laplace(scale=1.0)


@A(**XD)
def norm_of_the_matrix(X, rng):
    return np.linalg.norm(X, 2) + lap(rng)


@A(**XD)
def count_along(X, rng):
    return np.count_nonzero(X, 0) + rng.laplace(scale=1.0, size=2)


@A(**XD)
def dot_of_transposed(X, rng):
    return X.T.dot(X) + rng.laplace(scale=1.0, size=(2, 2))


@A(**FD)
def integers_with_endpoint(x, rng):
    return x.sum() + rng.laplace(scale=rng.integers(1, 1, endpoint=True))


@A(**FD)
def normal_with_out(x, rng):
    held = np.zeros(1)
    rng.standard_normal(out=held)
    return x.sum() + held


@A(**FD)
def choice_without_replacement(x, rng):
    return rng.choice(3, 2, False) * 1.0 + x.sum() + rng.laplace(scale=1.0, size=2)


@A(**FD)
def shuffled(x, rng):
    l = [1.0, 2.0]
    rng.shuffle(l)
    return x.sum() + rng.laplace(scale=l[0])


@A(**FD)
def permuted(x, rng):
    return rng.permutation(x)[0]


@A(**FD)
def private_location_array(x, rng):
    return rng.laplace(np.array([x.sum(), x.sum()]), 1.0)


@A(**FD)
def private_location_of_size(x, rng):
    return rng.laplace(x.sum(), 1.0, 2)


@A(**FD)
def private_scale(x, rng):
    return rng.laplace(0.0, 1.0 + x.sum())


@A(**FD)
def size_of_records(x, rng):
    return rng.laplace(size=len(x))


@A(**FD)
def draw_for_each(x, rng):
    return sum([v + rng.laplace(scale=1.0) for v in x])


@A(**FD)
def noise_twice(x, rng):
    n = rng.laplace(scale=1.0)
    return x.sum() + n, n


@A(**FD)
def noise_of_one_array(x, rng):
    n = rng.laplace(scale=1.0, size=2)
    return x.sum() + n[0], (x * x).sum() + n[0]


@A(**FD)
def noise_reversed(x, rng):
    n = rng.laplace(scale=2.0, size=2)
    return x.sum() + n[0], x.sum() + n[::-1][1]


@A(**FD)
def module_random(x, rng):
    return x.sum() + random.gauss(0, 1)


@A(**FD)
def seeded(x, rng):
    return x.sum() + np.random.default_rng(0).laplace(scale=1.0)


@A(**FD)
def legacy(x, rng):
    return x.sum() + np.random.laplace(scale=1.0)


@A(**FD)
def spawned(x, rng):
    a, b = rng.spawn(2)
    return x.sum() + a.laplace(scale=1.0)


@A(**FD)
def generator_of_generator(x, rng):
    return x.sum() + np.random.default_rng(rng).laplace(scale=1.0)


# --- types that tell
@A(**LD)
def type_of_a_sum(data, rng):
    return sum(data) * 0 + lap(rng) * 0 + 1 if False else sum(data) * 0


@A(**LD)
def integer_of_no_record(data, rng):
    s = sum([x * 0 for x in data])
    return 0 * (s + (rng.geometric(0.3) - rng.geometric(0.3)))


@A(**ID)
def half_an_integer(data, rng):
    t = 0
    for x in data:
        t += x / 2
    return t + rng.geometric(0.5) - rng.geometric(0.5)


@A(**LD)
def one_or_one(data, rng):
    t = 0
    for x in data:
        t += 1 if x > 0.5 else 1.0
    return t + rng.geometric(0.5) - rng.geometric(0.5)


@A(**KD)
def array_takes_another_type(x, rng):
    c = np.zeros(2, dtype=int)
    for v in x:
        c = c + np.array([v * 0.5, 0.0])
    return c[:1] * 0 + np.zeros(1)


@A(**KD)
def whole_array_gets_doubles(x, rng):
    c = np.zeros(2, dtype=int)
    for v in x:
        c[0] += v * 0.5
    return c + rng.laplace(scale=1.5, size=2)


@A(**ND)
def conditions_added(x, rng):
    return (x + x).sum() + lap(rng)


@A(**ND)
def conditions_subtracted(x, rng):
    return (x - x).sum() + lap(rng)


@A(**BD)
def conditions_of_python_added(data, rng):
    return sum([x + x for x in data]) + lap(rng)


@A(**BD)
def inverted_condition(data, rng):
    return sum([~x for x in data]) + lap(rng)


@A(**BD)
def negative_condition(data, rng):
    return sum([-x for x in data]) * 2 + lap(rng)


@A(**KD)
def integer_power(x, rng):
    return (x**-1).sum() + lap(rng)


@A(**ID)
def negative_modulo(data, rng):
    return sum([(-x) % 3 for x in data]) + lap(rng)


@A(**ID)
def negative_floor(data, rng):
    return sum([-x // 2 for x in data]) + lap(rng)


@A(**ID)
def modulo_of_negative(data, rng):
    return sum([x % -3 for x in data]) + lap(rng)


@A(**LD)
def double_modulo(data, rng):
    return sum([x % 0.3 for x in data]) + rng.laplace(scale=0.3)


@A(**ID)
def shifted(data, rng):
    return sum([x << 3 for x in data]) + lap(rng)


@A(**ID)
def bits(data, rng):
    return sum([x & 1 for x in data]) + rng.laplace(scale=0.5)


@A(**ID)
def divided_and_rest(data, rng):
    return sum([divmod(x, 2)[0] for x in data]) + rng.laplace(scale=0.5)


@A(**LD)
def rounded_to_a_digit(data, rng):
    return sum([round(x, 1) for x in data]) + rng.laplace(scale=0.5)


@A(**LD)
def chained(data, rng):
    return sum([1 for x in data if 0.9 < x < 0.1 < x + 5]) + rng.laplace(scale=0.01)


@A(**LD)
def chained_asks_once(data, rng):
    return sum([(0 < x <= 1) * 2.0 for x in data]) + lap(rng)


@A(**LD)
def short_circuit(data, rng):
    return sum([x and 2.0 for x in data]) + lap(rng)


@A(**LD)
def or_of_a_record(data, rng):
    return sum([x or 2.0 for x in data]) + lap(rng)


@A(**LD)
def not_of_a_record(data, rng):
    return sum([2.0 if not x else 0.0 for x in data]) + lap(rng)


@A(**LD)
def is_of_a_record(data, rng):
    return sum([2.0 if x is x else 0.0 for x in data]) + lap(rng)


@A(**RD)
def text_in_a_text(data, rng):
    return sum([2.0 for x, t in data if t in "abc"]) + lap(rng)


@A(**RD)
def text_is_a_method(data, rng):
    return sum([2.0 for x, t in data if t.startswith("a")]) + lap(rng)


@A(**RD)
def text_ordered(data, rng):
    return sum([2.0 for x, t in data if t < "b"]) + lap(rng)


@A(**RD)
def key_of_text(data, rng):
    return sum([{"a": 2.0, "b": 0.0}[t] for x, t in data]) + lap(rng)


@A(**RD)
def counted_texts(data, rng):
    c = {}
    for x, t in data:
        c[t] = c.get(t, 0) + 1
    return {k: v + lap(rng) for k, v in c.items()}


@A(**RD)
def set_default(data, rng):
    c = {"a": 0}
    for x, t in data:
        c.setdefault(t, 0)
    return list(c)


@A(**RD)
def formatted_record(data, rng):
    return [f"{x}" for x, t in data]


@A(**LD)
def key_of_sorted(data, rng):
    return sorted(data, key=lambda x: -x)[0]


@A(**LD)
def max_with_key(data, rng):
    return max(data, key=abs) + lap(rng)


@A(**LD)
def max_with_default(data, rng):
    return max(data, default=0.0) + lap(rng)


@A(**LD)
def reduced_by_functools(data, rng):
    return functools.reduce(operator.add, data, 0.0) + rng.laplace(scale=0.5)


@A(**LD)
def accumulated(data, rng):
    return list(itertools.accumulate(data))[-1]


@A(**LD)
def mapped(data, rng):
    return sum(map(lambda x: 2 * x, data)) + lap(rng)


@A(**LD)
def filtered(data, rng):
    return len(list(filter(None, data)))


@A(**LD)
def generated_twice(data, rng):
    g = (x for x in data)
    return sum(g) + sum(g) + lap(rng)


@A(**LD)
def zipped_twice(data, rng):
    z = zip(data, data)
    return sum([a for a, b in z]) + sum([b for a, b in z]) + lap(rng)


@A(**LD)
def zipped_with_range(data, rng):
    return sum([x * i for x, i in zip(data, range(1000))]) + lap(rng)


@A(**LD)
def numbered(data, rng):
    return sum([x for i, x in enumerate(data) if i == 0]) + lap(rng)


@A(**LD)
def reversed_records(data, rng):
    l = []
    for x in reversed(data):
        l.append(x)
    return l


@A(**LD)
def first_of_an_iterator(data, rng):
    return next(iter(data))


@A(**LD)
def starred_records(data, rng):
    first, *rest = data
    return first + lap(rng)


@A(**LD)
def called_with_records(data, rng):
    return max(*data, 0.0) + lap(rng)


@A(**LD)
def listed_and_indexed(data, rng):
    return list(data)[0]


@A(**LD)
def list_compared(data, rng):
    return data == []


@A(**LD)
def list_is_true(data, rng):
    return 1 if data else 0


@A(**FD)
def array_is_true(x, rng):
    return bool(x.sum())


@A(**LD)
def yielded(data, rng):
    yield sum(data)


@A(**LD)
def lazily(data, rng):
    def g():
        yield sum(data)

    return list(g())


# --- classes
@dataclass
class Settings:
    scale: float = 1.0
    names: list = field(default_factory=list)


SETTINGS = Settings()


@A(**LD)
def attribute_set(data, rng):
    SETTINGS.scale = 0.001
    return sum(data) + rng.laplace(scale=SETTINGS.scale)


@A(**LD)
def attribute_grows(data, rng):
    SETTINGS.names.append(sum(data))
    return sum(data) + lap(rng)


class Counted:
    count = 0.0

    @property
    def scale(self):
        type(self).count += 1
        return 1.0 / type(self).count

    def __len__(self):
        return 0

    @classmethod
    def width(cls):
        return 1.0

    def twice(self):
        return self._once() * 2

    def _once(self):
        return 1.0


class Inherits(Counted):
    def _once(self):
        return 0.001


C, INHERITS = Counted(), Inherits()


@A(**LD)
def property_counts(data, rng):
    return sum(data) + rng.laplace(scale=C.scale)


@A(**LD)
def length_of_an_object(data, rng):
    return sum(data) + rng.laplace(scale=1.0 if len(C) else 0.01)


@A(**LD)
def truth_of_an_object(data, rng):
    return sum(data) + rng.laplace(scale=1.0 if C else 0.01)


@A(**LD)
def class_method(data, rng):
    return sum(data) + rng.laplace(scale=C.width() / 10)


@A(**LD)
def overridden(data, rng):
    return sum(data) + rng.laplace(scale=INHERITS.twice())


@A(**LD)
def made_here(data, rng):
    return sum(data) + rng.laplace(scale=Settings(0.01).scale)


@functools.lru_cache
def cached(n):
    return 1.0


@A(**LD)
def cached_scale(data, rng):
    return sum(data) + rng.laplace(scale=cached(1) / 10)


@functools.singledispatch
def dispatched(v):
    return 1.0


@dispatched.register
def _(v: float):
    return 0.001


@A(**LD)
def dispatched_scale(data, rng):
    return sum(data) + rng.laplace(scale=dispatched(1.0))


def shrinks(f):
    @functools.wraps(f)
    def g(data, rng):
        return f(data, rng) * 1.0 if False else sum(data) + rng.laplace(scale=0.01)

    return g


@A(**LD)
@shrinks
def decorated(data, rng):
    return sum(data) + lap(rng)


# --- numpy
@A(**XD)
def broadcast_over_records(X, rng):
    return (X * X.sum(axis=0)).sum() + lap(rng)


@A(**FD)
def outer_of_records(x, rng):
    return (x[:, None] * x[None, :]).sum() + lap(rng)


@A(**XD)
def flattened(X, rng):
    return X.ravel()[:1]


@A(**XD)
def reshaped(X, rng):
    return X.reshape(-1).sum() + lap(rng)


@A(**XD)
def tensordot(X, rng):
    return np.tensordot(X, X) + lap(rng)


@A(**XD)
def einsum(X, rng):
    return np.einsum("ij->", X) + lap(rng)


@A(**FD)
def averaged_by_weights(x, rng):
    return np.average(x, weights=x) + lap(rng)


@A(**FD)
def cumulated(x, rng):
    return np.cumsum(x)[-1:]


@A(**FD)
def peak_to_peak(x, rng):
    return np.ptp(x) + lap(rng)


@A(**FD)
def digitized(x, rng):
    return np.digitize(x, [0.5]).sum() + lap(rng)


@A(**FD)
def searched(x, rng):
    return np.searchsorted([0.5], x, side="right").sum() * 3 + lap(rng)


@A(**FD)
def uniques(x, rng):
    return len(np.unique(x)) + lap(rng)


@A(**FD)
def piecewise(x, rng):
    return np.piecewise(x, [x > 0.5], [2.0, 0.0]).sum() + lap(rng)


@A(**FD)
def selected(x, rng):
    return np.select([x > 0.5], [2.0], 0.0).sum() + lap(rng)


@A(**FD)
def where_of_one(x, rng):
    return np.where(x > 0.5)[0].sum()


@A(**FD)
def sign_of_a_sum(x, rng):
    return np.sign(x.sum())


@A(**FD)
def clipped_sum(x, rng):
    return np.clip(x.sum(), 0, 1)


@A(**FD)
def reduced_ufunc(x, rng):
    return np.add.reduce(x) + rng.laplace(scale=0.1)


@A(**FD)
def at_of_a_ufunc(x, rng):
    held = np.zeros(1)
    np.add.at(held, [0], x.sum())
    return held


@A(**FD)
def copied_to(x, rng):
    held = np.zeros(1)
    np.copyto(held, x.sum())
    return held


@A(**FD)
def put_into(x, rng):
    held = np.zeros(1)
    np.put(held, 0, x.sum())
    return held


@A(**FD)
def filled(x, rng):
    held = np.zeros(1)
    held.fill(x.sum())
    return held


@A(**FD)
def sorted_in_place(x, rng):
    x.sort()
    return x.sum() + lap(rng)


@A(**FD)
def view_as_integers(x, rng):
    return x.view(np.int64).sum()


@A(**FD)
def item_of_a_sum(x, rng):
    return x.sum().item()


@A(**FD)
def real_part(x, rng):
    return x.sum().real


@A(**FD)
def data_of_a_sum(x, rng):
    return bytes(x.data)


@A(**FD)
def boolean_index(x, rng):
    return x[True].sum() * 2 + lap(rng)


@A(**FD)
def ellipsis_index(x, rng):
    return x[...].sum() * 2 + lap(rng)


@A(**FD)
def reversed_columns(x, rng):
    return x[::-1][:1]


@A(**XD)
def fancy_columns(X, rng):
    return X[:, [0, 0, 0]].sum() + lap(rng)


@A(**XD)
def columns_by_slices(X, rng):
    return X[:, ::-1].sum() + rng.laplace(scale=1.5)


@A(**XD)
def new_axes(X, rng):
    return (X[:, None] * X[:, :, None]).sum() + rng.laplace(scale=3.0)


@A(**FD)
def masked_by_another(x, rng):
    return (x[x > 0.5] * x[x <= 0.5]).sum() + lap(rng)


@A(**FD)
def masked_mean(x, rng):
    return x[x > 0.5].mean() + lap(rng)


@A(**FD)
def count_of_mask(x, rng):
    return len(x[x > 0.5]) / len(x) + lap(rng)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([0.5, 1.0]),
    bounds="0:1",
    relation="replace",
    d0=np.array([0.0]),
    d1=np.array([1.0]),
)
def mean_of_one(x, rng):
    return x.mean() + rng.laplace(scale=0.5 / len(x))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([0.5, 1.0]),
    bounds="0:1",
    relation="replace",
    d0=np.array([0.0]),
    d1=np.array([1.0]),
)
def public_count_of_mask(x, rng):
    return len(x[x > 0.5])


@A(**FD)
def assertion(x, rng):
    assert x.sum() < 5
    return x.sum() + lap(rng)


@A(**FD)
def assertion_of_noise(x, rng):
    n = x.sum() + lap(rng)
    assert n < 5, x.sum()
    return n


@A(**FD)
def raised(x, rng):
    n = x.sum() + lap(rng)
    if n > 5:
        raise ValueError(x.sum())
    return n


@A(**FD)
def printed(x, rng):
    print(x.sum())
    return x.sum() + lap(rng)


@A(**CD)
def columns_of_other_types(data, rng):
    return sum([a * k for a, k in zip(data["l"], data["k"])]) + lap(rng)


@A(**CD)
def key_from_the_end(data, rng):
    return list(data)[0]


@A(**CD)
def pairs_kept(data, rng):
    p = list(zip(data["x"], data["k"]))
    return len(p) + p[0][0]


# --- arrays of no dimensions: a constant of one cannot be written, so that none meets what is not known
@A(**FD)
def array_of_no_dimensions(x, rng):
    z = np.zeros_like(np.sum(x) * ONE)
    for v in x:
        z = z + v
    z += lap(rng)
    return z


@A(**FD)
def no_dimensions_by_reshape(x, rng):
    z = np.zeros_like(np.sum(x) * np.ones(1).reshape(()))
    for v in x:
        z = z + v
    z += lap(rng)
    return z


@A(**FD)
def no_dimensions_of_noise(x, rng):
    z = np.zeros_like(rng.laplace() * ONE)
    kept = z
    z += np.sum(x)
    return kept


# --- arguments that write, once more
@A(**FD)
def sum_out_in_a_tuple(x, rng):
    seen = np.zeros(1)
    for _ in x:
        np.sum(np.ones((1, 1)), 0, None, (seen,))
    return [[1.0], (1.0,)][int(seen[0])]


@A(**FD)
def root_out_by_place(x, rng):
    seen = np.zeros(1)
    for _ in x:
        np.sqrt(np.ones(1), seen)
    return [[1.0], (1.0,)][int(seen[0])]


@A(**FD)
def dot_out_of_known(x, rng):
    seen = np.zeros(1)
    for _ in x:
        np.ones(1).dot(np.eye(1), out=seen)
    return [[1.0], (1.0,)][int(seen[0])]


@A(**XD)
def dot_out_by_place(X, rng):
    held = np.zeros(2)
    X.sum(axis=0).dot(np.eye(2), held)
    return held


@A(**FD)
def copy_of_an_order(x, rng):
    return np.sum(x.copy(order="F")) + rng.laplace(scale=0.5)


@A(**FD)
def same_names_by_type(x, rng):
    return {1: x.sum(), True: 1.0}[1]
