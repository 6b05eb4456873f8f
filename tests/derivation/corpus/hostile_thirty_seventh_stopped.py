"""Attacks of the thirty-seventh reading that were rightly not proved; those in `PROVED` are right, and are proved.

Beside them 1,900 random programs were read (columns, histograms, arrays of private numbers, loops over records, released
arrays; bounds -2..3 and -4e12..9e12), 650 of them derived and run beside their code: no difference.
`np_add_of_python_ints` to `np_subtract_of_python_ints` pass the rules (numpy.add of two known Python integers is said to have
no end) and are stopped by the second wall only, which sees that the number lies outside of its range.
"""

import math
from collections import Counter

import numpy as np

ATTACKS = {}
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
LI = [1, 2]
X = np.array([[0.5, 1.0], [0.2, 0.1]])
U = 1e-14
SECONDS = 3_600
K = 2**31 + 3
PROVED = {
    "late_binding_after",
    "closure_then_rebound_in_loop",
    "loop_in_comprehension_frame",
    "def_in_loop",
    "array_kept_by_pos",
}
PROVED |= {"as_int", "greater_one", "floats_first"}


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def signed(v):
    return (v + 2**63) % 2**64 - 2**63


@A(data=F, bounds="0:1")
def np_add_of_python_ints(data, rng):
    w = 1.0 - float(np.add(2**62, 2**62)) / 2.0**63
    return np.sum(data * (U + w * 10 * U)) + rng.laplace(scale=U)


@A(data=F, bounds="0:1")
def np_negative_of_python_int(data, rng):
    w = 1.0 - float(np.negative(-(2**63))) / 2.0**63
    return np.sum(data * (U + w * 10 * U)) + rng.laplace(scale=U)


@A(data=F, bounds="0:1")
def np_multiply_of_python_ints(data, rng):
    w = 1.0 / (1.0 + float(np.multiply(2**32, 2**32)))
    return np.sum(data * (U + w * 10 * U)) + rng.laplace(scale=U + 1e-40)


@A(data=F, bounds="0:1")
def np_multiply_scale(data, rng):
    w = max(float(np.multiply(2**32, 2**32)) / 2.0**64, 1e-9)
    return np.sum(data * U) + rng.laplace(scale=U * w)


@A(data=F, bounds="0:1")
def np_subtract_of_python_ints(data, rng):
    w = 1.0 - float(np.subtract(2**62, -(2**62))) / 2.0**63
    return np.sum(data * (U + w * 10 * U)) + rng.laplace(scale=U)


@A(data=F, bounds="0:1")
def weight_index(data, rng):
    k = int(np.add(2**62, 2**62)) // 2**62
    return np.sum(data * U) * [1.0, 1.0, 1.0, 50.0][k] + rng.laplace(scale=U)


@A(data=F, bounds="0:1")
def np_compare(data, rng):
    w = 1.0 if np.less(0, np.add(2**62, 2**62)) else 50.0
    return np.sum(data * U) * w + rng.laplace(scale=U)


@A(data=F, bounds="0:1")
def late_binding(data, rng):
    fs = [lambda v: v * i for i in [0.0, 1.0, 5.0]]
    return fs[0](np.sum(data)) + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def late_binding_after(data, rng):
    k = 1.0

    def g(v):
        return v * k

    s = g(np.sum(data))
    k = 7.0
    return s + g(np.sum(data)) * 0 + rng.laplace(scale=1.0), g(1.0)


@A(data=F, bounds="0:1")
def closure_then_rebound_in_loop(data, rng):
    k = 1.0

    def g(v):
        return v * k

    t = 0.0
    for x in data:
        k = 1.0
        t += g(x)
        k = 3.0
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def closure_rebound_before_loop(data, rng):
    k = 1.0
    g = lambda v, k=k: v * k
    h = lambda v: v * k
    k = 3.0
    t = 0.0
    for x in data:
        t += h(x) - g(x) * 2
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def stateful_default(data, rng):
    def g(v, acc=[]):
        acc.append(v)
        return len(acc)

    g(0)
    g(0)
    return np.sum(data) * g(0) + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def stateful_default_loop(data, rng):
    def g(v, acc=[0.0]):
        acc[0] += 1.0
        return v * acc[0]

    t = 0.0
    for x in data:
        t += g(x)
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def comp_scope(data, rng):
    x = 5.0
    ys = [x for x in (1.0, 0.5)]
    return np.sum(data) * x + rng.laplace(scale=1.0), ys


@A(data=F, bounds="0:1")
def nested_comp_same(data, rng):
    k = [x for x in [1.0, 2.0] for x in [x, x * 3]][-1]
    return np.sum(data) * k + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def comp_condition_closure(data, rng):
    fs = [(lambda: j) for j in range(4) if j < 2]
    return np.sum(data) * fs[0]() + rng.laplace(scale=1.0)  # last j is 3


@A(data=F, bounds="0:1")
def dict_comp_closure(data, rng):
    fs = {j: (lambda: j) for j in range(4)}
    return np.sum(data) * fs[0]() + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def for_closure(data, rng):
    fs = []
    for j in range(4):

        def g():
            return j

        fs.append(g)
    return np.sum(data) * fs[0]() + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def loop_var_after_break(data, rng):
    for j in range(4):
        if j == 3:
            break
    return np.sum(data) * j + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def loop_in_comprehension_frame(data, rng):
    k = 1.0
    g = lambda: k
    vs = [g() for k in [5.0]]
    return np.sum(data) * vs[0] + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def comp_function_called_later(data, rng):
    h = [lambda: m for m in [1.0, 9.0]][0]
    t = 0.0
    for x in data:
        t += x * h()
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def comp_function_in_loop(data, rng):
    t = 0.0
    for x in data:
        fs = [lambda: x * m for m in [1.0, 9.0]]
        t += fs[0]()
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def def_in_loop(data, rng):
    t = 0.0
    for x in data:

        def g(v=x):
            return v

        x = 5.0
        t += g() + x * 0
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def def_in_loop_late(data, rng):
    t = 0.0
    for x in data:

        def g():
            return x

        x = 5.0
        t += g()
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def lambda_over_total(data, rng):
    t = 0.0
    g = lambda: t
    for x in data:
        t = g() + x
        t = g() + x
    return t + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def lambda_over_list(data, rng):
    n = [0.0]
    g = lambda: n
    for x in data:
        n[0] += x
    return g()[0] + n[0] + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def list_by_lambda_in_loop(data, rng):
    n = [0.0]
    g = lambda: n[0]
    for x in data:
        n[0] = g() + x + x
    return n[0] + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def array_by_lambda(data, rng):
    n = np.zeros(1)
    g = lambda: n
    v = g()
    for x in data:
        n[0] += x
    return n[0] + rng.laplace(scale=1.0), v[0]


@A(data=F, bounds="0:1")
def array_by_lambda_sum(data, rng):
    n = np.zeros(1)
    g = lambda: n + 0
    for x in data:
        n += g() * 0 + x
    return n[0] + rng.laplace(scale=1.0)


@A(data=F, bounds="0:1")
def array_read_through_closure(data, rng):
    n = np.zeros(2)

    def read():
        return n[0]

    n[0] = np.sum(data)
    a = read()
    n[0] = 0.0
    return a + rng.laplace(scale=1.0), read()


@A(data=F, bounds="0:1")
def array_passed_and_kept(data, rng):
    n = np.zeros(2)

    def keep(v):
        return v[1:]

    k = keep(n)
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[0]


@A(data=F, bounds="0:1")
def array_kept_in_star(data, rng):
    n = np.zeros(2)

    def keep(*v, **w):
        return v[0]

    k = keep(n)
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[0] + k[1]


@A(data=F, bounds="0:1")
def array_kept_in_kw(data, rng):
    n = np.zeros(2)

    def keep(**w):
        return w["v"]

    k = keep(v=n)
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[0] + k[1]


@A(data=F, bounds="0:1")
def array_kept_by_or(data, rng):
    n = np.zeros(2)
    k = None or n
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[0] + k[1]


@A(data=F, bounds="0:1")
def array_kept_by_and(data, rng):
    n = np.zeros(2)
    k = [1] and n
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[0] + k[1]


@A(data=F, bounds="0:1")
def array_kept_by_dict(data, rng):
    n = np.zeros(2)
    d = dict([("a", n)])
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), d["a"][1]


@A(data=F, bounds="0:1")
def array_kept_by_append(data, rng):
    n = np.zeros(2)
    d = []
    d.append(n)
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), d[0][1]


@A(data=F, bounds="0:1")
def array_kept_by_extend(data, rng):
    n = np.zeros((1, 2))
    d = []
    d.extend(n)
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), d[0][1]


@A(data=F, bounds="0:1")
def array_kept_by_for(data, rng):
    n = np.zeros((1, 2))
    for r in n:
        k = r
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_unpacking(data, rng):
    n = np.zeros((2, 2))
    a, b = n
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), a[1]


@A(data=F, bounds="0:1")
def array_kept_by_star_call(data, rng):
    n = np.zeros((2, 2))

    def first(a, b):
        return a

    k = first(*n)
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_max(data, rng):
    n = np.zeros((2, 2))
    k = list(reversed(n))[1]
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_conditional(data, rng):
    n = np.zeros(2)
    k = n if True else 0
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_sum(data, rng):
    n = np.zeros((1, 2))
    k = sum(n)  # 0 + row: new
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_sum_start(data, rng):
    n = np.zeros(2)
    k = sum([], n)  # n itself
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_min_of_one(data, rng):
    n = np.zeros(2)
    k = max([n])
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_max_one_row(data, rng):
    n = np.zeros((1, 2))
    k = max(n)
    n[0, 1] = np.sum(data)
    return n[0, 1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_pos(data, rng):
    n = np.zeros(2)
    k = +n
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), k[1]


@A(data=F, bounds="0:1")
def array_kept_by_fstring_key(data, rng):
    n = np.zeros(2)
    d = {f"{0}": n}
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), d["0"][1]


@A(data=F, bounds="0:1")
def array_kept_by_tuple_mult(data, rng):
    n = np.zeros(2)
    d = (n,) * 2
    n[1] = np.sum(data)
    return n[1] + rng.laplace(scale=1.0), d[0][1]


@A(data=LI, bounds=(1, 2**40))
def least_of(data, rng):
    k = np.add(2**31, 3)
    return sum(1000 if min(x, k) * 2**33 == signed(K * 2**33) else 1 for x in data) + rng.laplace(scale=1.0)


@A(data=LI, bounds=(0, 2**42))
def capped_products(data, rng):
    k = np.multiply(4096, 4096)
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 2**42))
def capped_products_loop(data, rng):
    k = np.multiply(4096, 4096)
    total = 0
    for x in data:
        total += min(x * k, 1000)
    return total + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**13))
def milliseconds(data, rng, cap=1000):
    per_hour = np.multiply(SECONDS, 1000)
    return sum(min(x * per_hour, cap) for x in data) + rng.laplace(scale=cap)


@A(data=LI, bounds=(0, 2**42))
def remainder_of_known(data, rng):
    k = max(np.mod(2**24, 2**30), np.float64(1.0))
    return sum(min(x * min(k, np.float64(2.0**24)), 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 2**42))
def quotient_of_known(data, rng):
    k = max(min(np.floor_divide(2**25, 2), np.float64(2.0**24)), np.float64(1.0))
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 2**80))
def sum_overflows(data, rng):
    k = np.add(1, 0)
    return sum(min(x + k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 2**42), relation="replace")
def replaced(data, rng):
    k = np.multiply(4096, 4096)
    return sum(min(x * k, 500) for x in data) + rng.laplace(scale=500.0)


@A(data=LI, bounds=(0, 2**42))
def of_fields(data, rng):
    k = np.negative(-(2**24))
    n = [0, 0]
    for x in data:
        n[0 if x * k >= 0 else 1] += 1
    return n[0] + rng.laplace(scale=1.0), n[1]


@A(data=LI, bounds=(0, 2**42))
def dead_branch(data, rng):
    k = np.subtract(2**24, 0)
    t = 0.0
    for x in data:
        if x * k < 0:
            t += 1e6
        else:
            t += 1.0
    return t + rng.laplace(scale=1.0)


@A(data=[dict(u=1, x=5)], bounds=dict(u=(0, 10), x=(0, 2**42)), unit="u", most_per_unit=2)
def users(rows, rng):
    k = np.multiply(4096, 4096)
    return sum(min(r["x"] * k, 1000) for r in rows) + rng.laplace(scale=2000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def condition_times(data, rng):
    one = np.less(1, 2)
    return sum(min(x * one * 10**9, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def condition_times_known(data, rng):
    one = np.logical_not(False)
    return sum(min((x + one) * 10**9, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def least_of_the_two(data, rng):
    k = min(np.multiply(1_000, 1_000_000), 10**10)
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def as_int(data, rng):
    k = int(np.multiply(1_000, 1_000_000))  # right: Python's again
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def greater_one(data, rng):
    k = np.add(1, 0)
    return sum(min(max(x, k) * 1_000_000_000, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def mod_known(data, rng):
    k = int(np.mod(10**9, 2 * 10**9))
    return sum(min(x * min(max(k, 1), 10**9), 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def floats_first(data, rng):
    k = np.multiply(1e3, 1e6)
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def square_known(data, rng):
    k = np.square(31623)
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=F, bounds=(0, 4 * 10**10))
def int_of_double(data, rng):
    k = np.multiply(1_000, 1_000_000)
    return sum(min(int(x) * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=np.array([1.5, 2.5]), bounds=(0, 4 * 10**10))
def round_of_double(data, rng):
    k = np.multiply(1_000, 1_000_000)
    t = 0
    for x in data:
        t += min(round(x) * k, 1000)
    return t + rng.laplace(scale=1000.0)


@A(data=[dict(t="a", x=1.0)], bounds=dict(x=(0, 1)))
def conditions_of_texts(rows, rng):
    k = np.multiply(4096, 4096)
    return sum(min(int(r["t"] == "a") * k * k * k, 1000) for r in rows) + rng.laplace(scale=1000.0)


@A(data=[(1, 2), (3, 4)], bounds=(0, 10**6))
def products_of_fields(rows, rng):
    k = np.multiply(1_000, 10_000)
    return sum(min(a * b * k, 1000) for a, b in rows) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def rolled(data, rng):
    k = np.negative(np.int64(-(10**9)))
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10))
def item_of_sum(data, rng):
    k = np.add([10**9], [0])[0]
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


# numpy.clip without its upper end raises; the rules take it (derivation/functions.py _clip), the second wall sees it
@A(data=np.array([0.5, 1.0]), bounds="0:1")
def clip_without_an_upper_end(data, rng):
    return np.sum(np.clip(data, 0)) + rng.laplace(scale=1.0)


@A(data=[0.5, 1.0], bounds="0:1")
def clip_of_a_record_without_an_upper_end(data, rng):
    return sum(np.clip(x, 0) for x in data) + rng.laplace(scale=1.0)
