"""Functions whose claims are false, and that the second version proved."""

import functools
import math

import numpy as np

P1 = "PureDP(epsilon=1)"
NUM = [0.2, 0.9, 1.0, 0.0]
ARR = np.array(NUM)
WHOLE = [1, 2, 9]
WARR = np.array(WHOLE)
ROWS = np.array([[0.1, 0.2], [0.3, 0.4]])
GLOBAL = np.zeros(1)
U = dict(bounds=(0, 1))
ATTACKS = {}


def case(data, claim=P1, **k):
    def keep(f):
        ATTACKS[f.__name__] = dict(claim=claim, data=data, **k)
        return f

    return keep


@case(ARR, bounds=(0, 1))
def cell_array_alias(data, rng):
    z = np.zeros(1)
    sums = [z]
    for x in data:
        sums[0] += x
    return z


@case(ARR, bounds=(0, 1))
def cell_array_twice(data, rng):
    sums = [np.zeros(1)] * 2
    for x in data:
        sums[0] += x
        sums[1] += x
    return sums[0] + rng.laplace(scale=2.0, size=1)


@case(ARR, bounds=(0, 1))
def cell_array_global(data, rng):
    sums = [GLOBAL]
    for x in data:
        sums[0] += x
    return sums[0] + rng.laplace(scale=1.0, size=1)


@case(NUM, bounds=(0.0, 1.0))
def doubled_keyword(data, rng):
    def g(x, w):
        return x * w

    total = 0.0
    for x in data:
        total += g(x, w=1.0, **{"w": 1.0})
    return total + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def identity_of_array(data, rng):
    a = np.zeros(2)
    if np.asarray(a) is a:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def identity_of_constants(data, rng):
    a = 1000.5
    b = 1000.5
    if a is b:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def annotation_runs(data, rng):
    flag = [0]

    def g(a: flag.append(1)):
        return a

    if len(flag) == 2:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def annotation_prints(data, rng):
    def g(a: print(data.sum())):
        return a

    return data.sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def annotation_raises_in_loop(data, rng):
    total = 0.0
    for x in data:

        def g(a: 1 / 0):
            return a

        total += x
    return total + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def bare_annotation_runs(data, rng):
    flag = [0]
    (flag.append(1) or flag)[0]: int
    if len(flag) == 2:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(WHOLE, records="int(0, 10)")
def min_list(data, rng):
    a = np.asarray([min(x, 9.5) for x in data])
    return (a * 2**62).sum() + rng.laplace(scale=9.5 * 2**62)


@case(ARR, bounds=(0, 1))
def max_of_bool_subtract(data, rng):
    total = 0.0
    for x in data:
        m = max(x > 0.5, 0)
        total += m - m
    return total + rng.laplace(scale=1.0)


@case(WARR, records="int(0, 1099511627776)")
def ways_of_other_types(data, rng):
    total = 0
    for x in data:
        if x > 2**39:
            total += 0.5
        else:
            total += x * 2**20
    return total + rng.laplace(scale=2.0**59)


@case(ARR, bounds=(0, 1))
def ways_bool(data, rng):
    total = False
    for x in data:
        if x > 0.9:
            total += 0.0
        else:
            total += x > 0.5
    return total + rng.laplace(scale=1.0)


@case(NUM, bounds=(0, 1))
def empty_is_int(data, rng):
    a = np.array([sum(data), 2**62]) * 2
    return a + rng.laplace(scale=2.0, size=2)


@case(NUM, bounds=(0, 1))
def empty_is_int_loop(data, rng):
    total = 0
    for x in data:
        total += x
    a = np.array([total, 2**62]) * 2
    return a + rng.laplace(scale=2.0, size=2)


@case(NUM, bounds=(0, 1))
def where_wraps(data, rng):
    total = 0
    for x in data:
        total += np.where(x > 0, 2**62, 0)
    return total + rng.laplace(scale=2.0**62)


@case(NUM, bounds=(0, 1))
def np_add_wraps(data, rng):
    total = 0
    for x in data:
        total = np.add(total, 2**62)
    return total + rng.laplace(scale=2.0**62)


@case(WHOLE)
def huge_int_meets_float64(data, rng):
    t = np.float64(1.0)
    return sum([1 for x in data if x > t]) + rng.laplace(scale=1.0)


@case(NUM)
def geometric_wraps(data, rng):
    p = -math.expm1(-(2.0**-50))
    return len(data) * 2**50 + (rng.geometric(p) - rng.geometric(p))


@case(WHOLE)
def fabs_is_float(data, rng):
    p = -math.expm1(-1 / 5)
    return sum([math.fabs(min(max(x, 0), 5)) for x in data]) + (rng.geometric(p) - rng.geometric(p))


@case(WHOLE)
def square_is_float(data, rng):
    p = -math.expm1(-1 / 25)
    return sum([min(max(x, 0), 5) ** 2.0 for x in data]) + (rng.geometric(p) - rng.geometric(p))


@case(ARR, bounds=(0, 1))
def sum_from_false(data, rng):
    s = sum([x > 0.5 for x in data], False)
    return (s - s) + rng.laplace(scale=1.0)


@case(np.array([1, 2, 3]), records="int(0, 3)")
def min_of_int_and_float(data, rng):
    total = 0
    for x in data:
        total += min(x, 1.5) * 2**62
    return total + rng.laplace(scale=1.5 * 2**62)


@case([0.5, 1.0], bounds=(0, 1))
def real_arithmetic(data, rng):
    return sum([((x * 0.001 + 2.0**52) - 2.0**52) * 1e6 for x in data]) + rng.laplace(scale=1.0)


@case([0.5, 1.0], bounds=(0, 1))
def real_underflow(data, rng):
    return sum(data) * 1e-200 * 1e-200 * 1e200 * 1e200 + rng.laplace(scale=0.01)


@case(ARR, bounds=(0, 1))
def lazy_start(data, rng):
    lst = []
    n = sum((len(lst) for i in range(1)), lst.append(1) or 0)
    if n == 1:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def scale_wraps(data, rng):
    t = len(data) + rng.laplace(scale=2.0)
    s = np.where(t > 0, 2**62, 2**62) * 4
    return data.sum() + rng.laplace(scale=s)


@case(WHOLE)
def huge_int_meets_array(data, rng):
    t = np.array([1.0, 2.0])
    total = np.zeros(2)
    for x in data:
        total += np.where(t < x, 1.0, 0.0)
    return total + rng.laplace(scale=2.0, size=2)


@case(ARR, bounds=(0, 1))
def raise_at_return_annotation(data, rng):
    total = 0.0
    for x in data:
        total += x

        def g() -> nothing:
            return 1.0

    return total + rng.laplace(scale=1.0)


@case(NUM, bounds=(0, 1))
def empty_int_times(data, rng):
    total = 0
    for x in data:
        total += x
    y = np.concatenate([np.array([total]), np.array([2**62])]) * 2
    return y + rng.laplace(scale=2.0, size=2)


@case(NUM, bounds=(0, 1))
def empty_item(data, rng):
    s = sum(data)
    a = np.zeros(2, dtype=int) + s
    b = a + 2**62
    return b * 2 + rng.laplace(scale=4.0, size=2)


@case(NUM, bounds=(0, 1))
def empty_numpy(data, rng):
    s = np.multiply(sum(data), 1)
    b = np.add(s, 2**62)
    return b * 2 + rng.laplace(scale=2.0)


@case(NUM, bounds=(0, 1))
def empty_start(data, rng):
    s = np.int64(2**62)
    for x in data:
        s += x
    return s * 2 + rng.laplace(scale=2.0)


@case(ARR, bounds=(0, 1))
def list_of_rows(data, rng):
    a = np.zeros((2, 1))
    rows = list(a)
    for x in data:
        rows[0] += x
    return a[0]


@case(NUM, bounds=(0, 1))
def annotated_star(data, rng):
    flag = [0]

    def g(*a: flag.append(1)) -> flag.append(2):
        return 1.0

    return sum(data) if len(flag) == 3 else sum(data) + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def same_string(data, rng):
    a = "x y"
    b = "x y"
    if a is b:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def bool_plus_bool(data, rng):
    total = 0.0
    for x in data:
        m = max(x > 0.5, 0)
        total += -m
    return total + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def call_kw_twice_in_comprehension(data, rng):
    def g(**k):
        return 1.0

    return sum([g(**{"a": 1}, **{"a": 2}) for x in data]) + rng.laplace(scale=1.0)


@case(ARR, **U)
def sqrt_out_minus_zero(data, rng):
    z = np.zeros(1)
    np.sqrt(np.array([-0.0]), z)
    if math.copysign(1.0, z[0]) < 0:
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


@case(NUM, **U)
def bool_scale(data, rng):
    t = np.abs(len(data) + rng.laplace(scale=2.0))
    k = max(t > -1.0, 0.5)
    return sum(data) + rng.laplace(scale=k + k)


@case(ARR, **U)
def where_alias_in_loop(data, rng):
    total = 0.0
    for x in data:
        a = np.where(x > 0.5, 1.0, 0.0)
        b = a
        a += 1.0
        total += b - 1.0 if x > 0.5 else 0.0
    return total + rng.laplace(scale=0.1)


@case(ARR, **U)
def where_alias_scale(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    a = np.where(t > 0, 2.0, 2.0)
    b = a
    a *= 0.25
    return data.sum() + rng.laplace(scale=b)


@case(ARR, **U)
def where_total_alias(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    total = np.where(t > 0, 0.0, 0.0)
    kept = total
    for x in data:
        total += x
    return kept, total + rng.laplace(scale=2.0)


class Keeps:
    def __init__(self):
        self.acc = [np.zeros(1)]

    def __call__(self, data, rng):
        sums = list(self.acc)
        for x in data:
            sums[0] += x
        return sums[0] + rng.laplace(scale=1.0, size=1)


callable_keeps_sums = Keeps()
ATTACKS["callable_keeps_sums"] = dict(claim=P1, data=ARR, **U)
