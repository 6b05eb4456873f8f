"""Attacks of the twenty-seventh reading (Python and numpy) that stop, or are above the claim, or whose proofs are true (`TRUE`)."""

import collections
import enum
import functools
import itertools
import operator
import random
import types
from dataclasses import dataclass

import numpy as np

ATTACKS = {}
TRUE = ("known_in_is_chained",)
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
FR = dict(data=F, bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
AD = dict(data=F, d0=np.array([]), d1=np.array([np.nan]))
LA = dict(data=[0.5, 1.0], d0=[], d1=[float("nan")])
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
ID = dict(data=[1, 2], bounds="0:3", d0=[], d1=[3])
KD = dict(data=np.array([1, 2]), bounds="0:3", d0=np.array([], dtype=int), d1=np.array([3]))
K64 = dict(data=np.array([1, 2]), d0=np.array([], dtype=int), d1=np.array([-(2**63)]))
U8 = dict(data=np.array([1, 2], dtype=np.uint8), d0=np.array([], dtype=np.uint8), d1=np.array([255], dtype=np.uint8))
F32 = dict(
    data=F.astype(np.float32), bounds="0:1", d0=np.array([], dtype=np.float32), d1=np.array([1], dtype=np.float32)
)
F16 = dict(
    data=F.astype(np.float16), bounds="0:1", d0=np.array([], dtype=np.float16), d1=np.array([1], dtype=np.float16)
)
BD = dict(data=np.array([True, False]), d0=np.array([], dtype=bool), d1=np.array([True]))
XD = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
RD = dict(data=[(0.5, "a"), (1.0, "b")], records="(float(0, 1), choice('a', 'b'))", d0=[], d1=[(1.0, "a")])


class Slots:
    __slots__ = ("w",)


class Cached:
    @functools.cached_property
    def w(self):
        return 1000.0


class Property:
    @property
    def w(self):
        return 1000.0


class Dynamic:
    def __getattr__(self, name):
        return 1000.0


class Descriptor:
    def __get__(self, *_):
        return 1000.0


class Described:
    w = Descriptor()


class Base:
    k = 1.0

    def w(self):
        return 1.0


class Derived(Base):
    k = 1000.0

    def w(self):
        return self.k

    @classmethod
    def made(cls):
        return cls.k


class Left(Base):
    pass


class Right(Base):
    def w(self):
        return 1000.0


class Diamond(Left, Right):
    pass


class Hiding(Base):
    pass


@dataclass
class Data:
    w: float = 1000.0


class Kind(enum.Enum):
    W = 1000.0


@functools.lru_cache
def cached():
    return 1000.0


SLOTS = Slots()
SLOTS.w = 1000.0
CACHED, PROPERTY, DYNAMIC, DESCRIBED, DERIVED, DIAMOND, HIDING, DATA = (
    each() for each in (Cached, Property, Dynamic, Described, Derived, Diamond, Hiding, Data)
)
HIDING.w = lambda: 1000.0
POINT = collections.namedtuple("POINT", "w")(1000.0)
SPACE = types.SimpleNamespace(w=1000.0)
PARTIAL = functools.partial(float, "1000")
DEFAULT = collections.defaultdict(lambda: 1000.0)
ORDERED = collections.OrderedDict(w=1000.0)
SEEN = 0


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


@A(**LD)
def shadowed_sum(data, rng):
    sum = max
    return sum([0.0, 5.0]) * len([v for v in data if v > 2]) + len(data) + rng.laplace(scale=0.1)


@A(**LD)
def shadowed_float(data, rng):
    float = int
    return sum([1000.0 * float(v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def shadowed_abs(data, rng):
    abs = lambda v: 1000.0 * v
    return sum([abs(v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def math_named_numpy(data, rng):
    import math as np

    return sum([np.exp(7.0 * v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def numpy_named_math(data, rng):
    import numpy as math

    return sum([math.square(9.0 * v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def import_in_the_loop(data, rng):
    t = 0.0
    for v in data:
        import math

        t += math.exp(3.0 * v)
    return t + rng.laplace(scale=1.0)


@A(**LD)
def import_binds_a_total(data, rng):
    math = 0.0
    for v in data:
        import math
    return len(vars(math)) if math else 0.0


@A(**LD)
def function_in_the_loop(data, rng):
    t = 0.0
    for v in data:

        def g(u=v):
            return u

    return g()


@A(**LD)
def function_named_as_a_total(data, rng):
    t = 0.0
    for v in data:
        t += v

        def t():
            return 1.0

    return t + rng.laplace(scale=1.0)


@A(**LD)
def lambda_sees_the_next(data, rng):
    t = 0.0
    w = 1.0
    g = lambda: w
    for v in data:
        t += g() * v
        w = 1000.0
    return t + rng.laplace(scale=1.0)


@A(**LD)
def inner_sees_the_next(data, rng):
    t, w = 0.0, 1.0

    def g(u):
        return u * w

    for v in data:
        w = 1000.0
        t += g(v)
    return t + rng.laplace(scale=1.0)


@A(**LD)
def total_named_in_a_lambda(data, rng):
    t = 0.0
    g = lambda u: t + u
    for v in data:
        t = g(v) + g(v)
    return t + rng.laplace(scale=1.0)


@A(**LD)
def default_keeps_the_total(data, rng):
    t = 0.0
    for v in data:

        def g(u, k=t):
            return k + u

        t += v
        t = g(v) + v + v
    return t + rng.laplace(scale=0.5)


@A(**LD)
def two_names_of_a_total(data, rng):
    t = u = 0.0
    for v in data:
        t += v
        u = t + v
        t = u
    return t + rng.laplace(scale=1.0)


@A(**LD)
def target_is_the_total(data, rng):
    t = 0.0
    for t in data:
        pass
    return t + rng.laplace(scale=1.0)


@A(**LD)
def target_is_a_known_list(data, rng):
    w = [0.0, 0.0]
    for w[0] in data:
        pass
    return w[0]


@A(**RD)
def target_is_a_pair(data, rng):
    t = 0.0
    for t, g in data:
        pass
    return t


@A(**LD)
def comprehension_shadows_the_data(data, rng):
    t = [data for data in [1.0, 2.0]]
    return sum([5.0 * v for v in data]) + t[0] + rng.laplace(scale=1.0)


@A(**LD)
def comprehension_over_itself(data, rng):
    data = [data for _ in range(1)][0]
    return sum([5.0 * v for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def nested_comprehension_leaks(data, rng):
    return [w for w in [v for v in data]][0:1]


@A(**LD)
def closure_of_a_comprehension(data, rng):
    f = [lambda: v for v in data]
    return f[0]()


@A(**LD)
def closure_counts_calls(data, rng):
    c = []

    def g(u):
        c.append(1)
        return u

    t = sum([g(v) for v in data])
    return len(c)


@A(**LD)
def closure_counts_by_default(data, rng):
    def g(u, c=[]):
        c.append(1)
        return u * len(c)

    return sum([g(v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def closure_counts_in_a_dict(data, rng):
    c = {"n": 0}

    def g(u):
        c["n"] += 1
        return u

    t = sum([g(v) for v in data])
    return c["n"]


@A(**LD)
def recursion_over_records(data, rng):
    def g(u, n):
        return u if n == 0 else g(2.0 * u, n - 1)

    return sum([g(v, 10) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def name_is_unbound_without_records(data, rng):
    for v in data:
        y = 1.0
    return y


@A(**LD)
def name_is_unbound_in_a_branch(data, rng):
    for v in data:
        if v > 0.5:
            y = 1.0
        z = y
    return 0.0


@A(**LD)
def argument_is_the_total(data, rng):
    def add(t, u):
        return t + u + u

    t = 0.0
    for v in data:
        t = add(t, v)
    return t + rng.laplace(scale=1.0)


@A(**LD)
def keywords_in_another_order(data, rng):
    def g(u, *, a, b):
        return u * a - b

    return sum([g(b=1.0, a=1000.0, u=v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def keywords_by_a_dict(data, rng):
    def g(u, **k):
        return u * k["a"]

    return sum([g(v, **{"a": 1000.0}) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def rest_of_arguments(data, rng):
    def g(*r):
        return r[0] * r[-1]

    return sum([g(v, 1.0, 1000.0) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def stars_in_the_middle(data, rng):
    def g(a, b, c):
        return a * b

    return sum([g(v, *[1000.0], 1.0) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def first_of_stars(data, rng):
    a, *b = data
    return a


@A(**LD)
def last_of_stars(data, rng):
    *a, b = [1.0, 2.0]
    return sum([1000.0 * v * b for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def chain_of_targets(data, rng):
    i = w = [0, 1000.0]
    i = w[i[0]] = 1
    return sum([v * w[1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def targets_left_to_right(data, rng):
    i, w = 0, [1.0, 2.0]
    i, w[i] = 1, 1000.0
    return sum([v * w[1] for v in data]) * 1000.0 + rng.laplace(scale=1.0)


@A(**LD)
def augmented_reads_first(data, rng):
    w = [1.0]

    def g():
        w[0] = 1000.0
        return 0.0

    w[0] += g()
    return sum([v * w[0] * 2.0 for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def annotated_total(data, rng):
    t: float = 0.0
    for v in data:
        t += 1000.0 * v
    return t + rng.laplace(scale=1.0)


@A(**LD)
def annotated_only(data, rng):
    t: float
    for v in data:
        t = v
    return t


@A(**LD)
def condition_gives_the_total(data, rng):
    t = 0.0
    for v in data:
        t = (t if v < 0.5 else 1000.0) + v
    return t + rng.laplace(scale=1.0)


@A(**LD)
def total_times_one(data, rng):
    t = 0.0
    for v in data:
        t = t * 2 + v
    return t + rng.laplace(scale=1.0)


@A(**LD)
def negative_total(data, rng):
    t = 0.0
    for v in data:
        t = v - t
    return t + rng.laplace(scale=1.0)


@A(**LD)
def total_in_brackets(data, rng):
    t = [0.0]
    for v in data:
        (t[0]) = t[0] + 1000.0 * v
    return t[0] + rng.laplace(scale=1.0)


@A(**LD)
def cell_by_a_negative_place(data, rng):
    t = [0.0, 0.0]
    for v in data:
        t[-1] += v
        t[1] += v
    return t[1] + rng.laplace(scale=1.0)


@A(**LD)
def cell_of_two_keys(data, rng):
    t = {1: 0.0, True: 1.0}
    for v in data:
        t[1] += 1000.0 * v
    return t[1] + rng.laplace(scale=1.0)


@A(**LD)
def cell_is_a_place(data, rng):
    t = [0, 0]
    for v in data:
        t[t[0]] += 1
    return t[0] + rng.laplace(scale=1.0)


@A(**LD)
def cells_of_a_slice(data, rng):
    t = [0.0, 0.0]
    for v in data:
        t[0:1] = [v]
    return t[0]


@A(**LD)
def append_to_two_names(data, rng):
    t = u = []
    for v in data:
        t.append(v)
        u.append(v)
    return sum(t) + rng.laplace(scale=1.0)


@A(**LD)
def append_in_two_branches(data, rng):
    t = []
    for v in data:
        if v > 0.5:
            t.append(v)
        if v > 0.2:
            t.append(v)
    return sum(t) + rng.laplace(scale=1.0)


@A(**LD)
def append_itself(data, rng):
    t = []
    for v in data:
        t.append(len(t))
    return sum(t) + rng.laplace(scale=1.0)


@A(**LD)
def append_a_known_number(data, rng):
    t = [0.0]
    for v in data:
        t.append(1000.0)
    return sum(t) + rng.laplace(scale=1.0)


@A(**LD)
def append_after_the_loop(data, rng):
    t = []
    for v in data:
        t.append(v)
    t.append(1.0)
    return t[-2:]


@A(**LD)
def append_by_a_bound_method(data, rng):
    t = []
    g = t.append
    for v in data:
        g(v)
    return len(t)


@A(**LD)
def pop_of_records(data, rng):
    t = [v for v in data]
    return t.pop() if t else 0.0


@A(**LD)
def data_grow(data, rng):
    data.append(1.0)
    return sum(data) + rng.laplace(scale=1.0)


@A(**LD)
def data_sorted_in_place(data, rng):
    data.sort()
    return sum(data) + rng.laplace(scale=1.0)


@A(**LD)
def data_replaced(data, rng):
    data[:] = [0.0]
    return 0.0


@A(**LD)
def items_deleted(data, rng):
    t = [1.0, 2.0]
    del t[0]
    return sum([1000.0 * v for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def global_is_declared(data, rng):
    global SEEN
    SEEN = 1
    return sum(data) + rng.laplace(scale=1.0)


@A(**LD)
def walrus_in_a_condition(data, rng):
    t = 0.0
    for v in data:
        if (w := 1000.0 * v) > 2:
            t += w
    return t + rng.laplace(scale=1.0)


@A(**LD)
def try_around_a_record(data, rng):
    t = 0.0
    for v in data:
        try:
            t += 1 / (v - 1.0)
        except ZeroDivisionError:
            t += 1000.0
    return t + rng.laplace(scale=1.0)


@A(**LD)
def generator_object(data, rng):
    g = (v for v in data)
    return sum(g) * 1000.0 + rng.laplace(scale=1.0)


@A(**LD)
def yield_from_records(data, rng):
    yield from data


@A(**LD)
def match_a_record(data, rng):
    t = 0.0
    for v in data:
        match v:
            case 1.0:
                t += 1000.0
    return t + rng.laplace(scale=1.0)


@A(**LD)
def while_records(data, rng):
    t = 0.0
    while data:
        t += 1
    return t


@A(**LD)
def return_in_a_loop(data, rng):
    for v in data:
        if v > 0.5:
            return 1.0
    return 0.0


@A(**LD)
def break_of_a_record(data, rng):
    t = 0.0
    for v in data:
        if v > 0.5:
            break
        t += v
    return t + rng.laplace(scale=1.0)


@A(**LD)
def raise_of_a_record(data, rng):
    for v in data:
        if v > 0.5:
            raise ValueError
    return 0.0


@A(**LD)
def assertion_of_a_record(data, rng):
    for v in data:
        assert v < 0.5
    return 0.0


@A(**LD)
def division_of_known_zero(data, rng):
    t = 0.0
    for v in data:
        t += 1.0 / 0
    return t


@A(**LD)
def index_out_of_a_known_list(data, rng):
    t = 0.0
    for v in data:
        t += [1.0][3]
    return t


@A(**LD)
def unpacking_in_a_loop_fails(data, rng):
    t = 0.0
    for v in data:
        a, b = [1.0]
        t += v
    return t + rng.laplace(scale=1.0)


@A(**LD)
def text_and_number_in_a_loop(data, rng):
    t = 0.0
    for v in data:
        s = "a" + 1
        t += v
    return t + rng.laplace(scale=1.0)


@A(**LD)
def xor_of_conditions(data, rng):
    return sum([1000.0 * ((v > 0.5) ^ (v > 0.2)) for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def shift_by_a_record(data, rng):
    return sum([1 << v for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def power_of_a_record(data, rng):
    return sum([10.0**v for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def record_to_a_negative_power(data, rng):
    return sum([(v + 0.001) ** -1 for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def record_to_a_half(data, rng):
    return sum([(1e6 * v) ** 0.5 for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def negative_record_to_a_half(data, rng):
    return sum([(v - 1.0) ** 0.5 for v in data])


@A(**ID)
def whole_record_to_a_half(data, rng):
    return sum([(10000 * v) ** 0.5 for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def complex_number(data, rng):
    return sum([abs(v + 1000j) for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def modulo_by_a_negative(data, rng):
    return sum([1000 * (v % -3) for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def modulo_of_a_negative(data, rng):
    return sum([1000 * ((v - 5) % 3) for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def floor_of_a_negative(data, rng):
    return sum([1000 * ((v - 5) // 3) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def trunc_of_a_negative(data, rng):
    return sum([1000 * int(-1.5 * v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def round_half_even(data, rng):
    return sum([round(v * 2.5) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def round_to_tens(data, rng):
    return sum([round(15.0 * v, -1) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def round_without_digits(data, rng):
    return sum([round(1000.0 * v, None) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def conditions_are_numbers(data, rng):
    return sum([1000 * (v > 0.5) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def condition_plus_condition(data, rng):
    return sum([(v > 0.5) + (v > 0.2) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def minus_condition(data, rng):
    return sum([1000 * -(v > 0.5) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def inverted_of_python(data, rng):
    return sum([~(v > 0.5) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def condition_divided(data, rng):
    return sum([(v > 0.5) / 0.001 for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def and_gives_a_number(data, rng):
    return sum([(v and 1000.0) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def or_gives_a_number(data, rng):
    return sum([(0 * v or 1000.0) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def not_gives_a_condition(data, rng):
    return sum([1000 * (not v) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def chain_gives_a_condition(data, rng):
    return sum([1000 * (0 < v < 2 < 3) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def chain_with_a_draw(data, rng):
    return sum(data) + (0 < rng.laplace() < 1) * 1.0


@A(**AD)
def max_keeps_a_nan(x, rng):
    return sum([max(v, 0.0) for v in x]) + rng.laplace(scale=1.0)


@A(**AD)
def min_takes_a_nan(x, rng):
    return sum([min(0.0, v) for v in x]) + rng.laplace(scale=1.0)


@A(**LA)
def max_then_min_of_nan(data, rng):
    return sum([min(max(0.0, v), 1.0) for v in data]) * 2 + rng.laplace(scale=1.0)


@A(**LA)
def clip_by_conditions(data, rng):
    return sum([v if 0 <= v <= 1 else 0.0 for v in data]) * 1.5 + rng.laplace(scale=1.0)


@A(**LA)
def nan_is_true(data, rng):
    return sum([1000.0 if v else 0.0 for v in data]) + rng.laplace(scale=1.0)


@A(**LA)
def nan_is_not_less(data, rng):
    return sum([0.0 if v < 1e9 else 1000.0 for v in data]) + rng.laplace(scale=1.0)


@A(**LA)
def not_equal_to_itself(data, rng):
    return sum([1000.0 if v != v else 0.0 for v in data]) + rng.laplace(scale=1.0)


@A(**LA)
def in_a_tuple_of_nan(data, rng):
    return sum([1000.0 if v in (float("nan"),) else 0.0 for v in data])


@A(**ID)
def in_a_range(data, rng):
    return sum([1000.0 if v in range(5) else 0.0 for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def in_a_list_of_conditions(data, rng):
    return sum([1000.0 if v in [True] else 0.0 for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def in_a_set_of_numbers(data, rng):
    return sum([1000.0 if v in {1, 2, 3} else 0.0 for v in data]) + rng.laplace(scale=1.0)


@A(**ID)
def in_a_dict(data, rng):
    return sum([1000.0 if v in {1: 0, 3: 0} else 0.0 for v in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_is_less(data, rng):
    return sum([1000.0 if g < "b" else 0.0 for a, g in data])


@A(**RD)
def text_is_true(data, rng):
    return sum([1000.0 if g else 0.0 for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_is_no_number(data, rng):
    return sum([1000.0 if g != 1 else 0.0 for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_times_two(data, rng):
    return sum([len(g * 1000) for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_in_a_dict(data, rng):
    w = {"a": 1000.0, "b": 0.0}
    return sum([w[g] for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_by_get(data, rng):
    w = {"z": 0.0}
    return sum([w.get(g, 1000.0) for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_in_a_text(data, rng):
    return sum([1000.0 if g in "ab" else 0.0 for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def text_by_place(data, rng):
    return sum([1000.0 if g[0] == "a" else 0.0 for a, g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def row_by_negative_place(data, rng):
    return sum([1000.0 * r[-2] for r in data]) + rng.laplace(scale=1.0)


@A(**RD)
def row_of_three(data, rng):
    return sum([1000.0 * a for a, *g in data]) + rng.laplace(scale=1.0)


@A(**RD)
def row_in_rows(data, rng):
    return sum([1000.0 if r == (1.0, "a") else 0.0 for r in data])


@A(**RD)
def row_added(data, rng):
    return sum([(r + (1000.0,))[-1] for r in data]) + rng.laplace(scale=1.0)


@A(**RD)
def length_of_a_row(data, rng):
    return sum([1000 * len(r) for r in data]) + rng.laplace(scale=1.0)


@A(**RD)
def rows_unzipped(data, rng):
    a, g = zip(*data)
    return sum(a) + rng.laplace(scale=1.0)


@A(**RD)
def rows_as_a_dict(data, rng):
    return len(dict(data))


@A(**RD)
def formatted_row(data, rng):
    return [f"{a:.1f}" for a, g in data]


@A(**LD)
def sum_with_a_start(data, rng):
    return sum(data, start=sum(data)) + rng.laplace(scale=1.0)


@A(**LD)
def sum_of_lists(data, rng):
    return sum([[v] for v in data], [])


@A(**LD)
def sum_of_a_pair(data, rng):
    return sum([sum(data), sum(data)]) + rng.laplace(scale=1.0)


@A(**LD)
def sum_of_known_and_records(data, rng):
    return sum([v + sum([1.0] * 10) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def max_of_a_pair_of_sums(data, rng):
    return max(sum(data), 0) + rng.laplace(scale=0.1)


@A(**LD)
def max_of_nothing(data, rng):
    return max(data, default=0.0)


@A(**LD)
def max_by_key_of_known(data, rng):
    return sum([v * max([1.0, -1000.0], key=abs) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def sorted_by_key_of_known(data, rng):
    return sum([v * sorted([1.0, -1000.0], key=abs)[-1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def sorted_in_reverse(data, rng):
    return sum([v * sorted([1.0, 1000.0], reverse=True)[0] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def map_over_records(data, rng):
    return sum(map(lambda v: 1000.0 * v, data)) + rng.laplace(scale=1.0)


@A(**LD)
def filter_of_known(data, rng):
    return sum([v * sum(filter(None, [0, 1000.0])) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def any_record(data, rng):
    return any(v > 0.5 for v in data)


@A(**LD)
def all_of_known(data, rng):
    return sum([v * (1000.0 if all([1, 2]) else 0.0) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def enumerate_from(data, rng):
    return sum([v * [i for i, _ in enumerate("ab", 999)][-1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def zip_to_the_shortest(data, rng):
    return sum([v * len(list(zip([1] * 1000, [2] * 1000))) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def zip_strict(data, rng):
    return sum([1000.0 * v for v, w in zip(data, data, strict=True)]) + rng.laplace(scale=1.0)


@A(**LD)
def zip_gone_through(data, rng):
    z = zip([1000.0], [2.0])
    w = [a for a, b in z]
    u = [a for a, b in z]
    return sum([v * (0.0 if u else w[0]) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def reversed_known(data, rng):
    return sum([v * list(reversed([1000.0, 1.0]))[1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def iterator_is_true(data, rng):
    z = zip([], [])
    return sum([v * (1000.0 if z else 0.0) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def dict_of_an_order(data, rng):
    d = {"a": 1.0, "b": 2.0, "a": 1000.0}
    return sum([v * list(d.values())[0] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def dict_merged(data, rng):
    d = {"a": 1.0} | {"a": 1000.0}
    return sum([v * d["a"] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def dict_unpacked(data, rng):
    d = {**{"a": 1.0}, "a": 1000.0}
    return sum([v * d["a"] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def set_of_an_order(data, rng):
    return sum([v * list({1000, 1})[0] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def divmod_known(data, rng):
    return sum([v * divmod(-1, 1000)[1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def pow_of_three(data, rng):
    return sum([v * pow(7, -1, 1009) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def int_of_a_text(data, rng):
    return sum([v * int("1_000") for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def int_of_a_base(data, rng):
    return sum([v * int("3e8", 16) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def float_of_a_text(data, rng):
    return sum([v * float(" 1e3 ") for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def format_of_a_width(data, rng):
    return sum([v * len(f"{1:>1000}") for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def format_rounds(data, rng):
    return sum([v * int(f"{999.5:.0f}") for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def percent_format(data, rng):
    return sum([v * int("%d" % 1000.9) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def text_methods(data, rng):
    return sum([v * float("1,0,0,0".split(",")[0] + "000") for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def list_index(data, rng):
    return sum([v * ([0.0] * 999 + [1.0]).index(True) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def list_repeated_shares(data, rng):
    w = [[1.0]] * 3
    w[0].append(1000.0)
    return sum([v * w[2][-1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def list_copied_shares(data, rng):
    w = [[1.0]]
    u = w.copy()
    u[0].append(1000.0)
    return sum([v * w[0][-1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def list_sliced_shares(data, rng):
    w = [[1.0]]
    w[:][0].append(1000.0)
    return sum([v * w[0][-1] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def list_within_itself(data, rng):
    w = [1000.0]
    w.append(w)
    return sum([v * w[1][1][0] for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def tuple_grows(data, rng):
    w = (1.0,)
    u = w
    w += (1000.0,)
    return sum([v * (w[-1] + len(u)) for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def extend_by_itself(data, rng):
    w = [1.0, 2.0]
    w.extend(w)
    return sum([v * len(w) * 300.0 for v in data]) + rng.laplace(scale=1.0)


@A(**LD)
def changed_while_gone_through(data, rng):
    w = [1.0]
    for k in w:
        if len(w) < 1000:
            w.append(1.0)
    return sum([v * len(w) for v in data]) + rng.laplace(scale=1.0)


@A(**KD)
def where_of_whole_numbers(x, rng):
    return np.where(x > 1, 1000, 0).sum() + rng.laplace(scale=1.0)


@A(**XD)
def where_of_a_mask_and_row(X, rng):
    return np.where(X[:, :1] > 0.5, 1000.0, X).sum() + rng.laplace(scale=1.0)


@A(**FD)
def clip_with_ends_exchanged(x, rng):
    return np.clip(x, 1000.0, 0.5).sum() + np.clip(x, 5.0, 1000.0).sum() + rng.laplace(scale=1.0)


@A(**XD)
def clip_by_a_row(X, rng):
    return np.clip(X, np.array([0.0, 1000.0]), np.array([1.0, 2000.0])).sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(**FD)
def clip_by_keywords(x, rng):
    return np.clip(1000.0 * x, min=0.0, max=1.0).sum() * 2.0 + rng.laplace(scale=1.0)


@A(**AD)
def nan_to_num_of_infinity(x, rng):
    return np.nan_to_num(x, posinf=1.0).sum() + rng.laplace(scale=1.0)


@A(**AD)
def nan_to_num_given(x, rng):
    return np.clip(np.nan_to_num(x, nan=1000.0), -1.0, 1000.0).sum() + rng.laplace(scale=1.0)


@A(**AD)
def fmax_of_nan(x, rng):
    return np.fmin(np.fmax(x, 0.0), 1.0).sum() * 2 + rng.laplace(scale=1.0)


@A(**AD)
def maximum_of_nan(x, rng):
    return np.minimum(np.maximum(x, 0.0), 1.0).sum() + rng.laplace(scale=1.0)


@A(**K64)
def absolute_of_the_least(x, rng):
    return np.abs(x).sum() + rng.laplace(scale=1.0)


@A(**K64)
def whole_numbers_wrap(x, rng):
    return np.clip(x * 2, 0, 1).sum() * 2 + rng.laplace(scale=1.0)


@A(**K64)
def whole_numbers_wrap_in_a_sum(x, rng):
    return (x // 2).sum() + rng.laplace(scale=1e9)


@A(**U8)
def bytes_wrap(x, rng):
    return np.clip(x * 2, 0, 1).sum() + rng.laplace(scale=1.0)


@A(**U8)
def bytes_to_doubles(x, rng):
    return (x.astype(float) * 10).sum() + rng.laplace(scale=1.0)


@A(**F32)
def single_precision_sum(x, rng):
    return (1000 * x).sum() + rng.laplace(scale=1.0)


@A(**F16)
def half_precision_sum(x, rng):
    return (x.astype(float) * 1000.0).sum() + rng.laplace(scale=1.0)


@A(**U8)
def unsigned_minus(x, rng):
    return (x - 1).sum() + rng.laplace(scale=1.0)


@A(**BD)
def bool_array_minus(x, rng):
    return (x - 1.0).sum() * 1000.0 + rng.laplace(scale=1.0)


@A(**BD)
def bool_array_squared(x, rng):
    return (1000 * x**2.0).sum() + rng.laplace(scale=1.0)


@A(**BD)
def bool_array_sum(x, rng):
    return 2 * x.sum() + rng.laplace(scale=1.0)


@A(**BD)
def bool_array_times_whole(x, rng):
    return (x * 1000).sum() + rng.laplace(scale=1.0)


@A(**FD)
def histogram_closes_its_last_bin(x, rng):
    h = np.histogram(x, bins=[0.0, 1.0])[0]
    return 1000 * h[0] + rng.laplace(scale=1.0)


@A(**FD)
def histogram_of_two_ends(x, rng):
    h = np.histogram(x, bins=2, range=(0, 1))[0]
    return h + rng.laplace(scale=0.5, size=2)


@A(**FD)
def histogram_by_places(x, rng):
    h = np.histogram(x, 2, (0, 1))[0]
    return h * 2 + rng.laplace(scale=1.0, size=2)


@A(**FD)
def histogram_of_its_own_range(x, rng):
    return np.histogram(x, bins=3)[1]


@A(**FD)
def histogram_edges_of_words(x, rng):
    return np.histogram(x, bins="auto")[1]


@A(**KD)
def bincount_of_whole(x, rng):
    return 1000 * np.bincount(x, minlength=4) + rng.laplace(scale=1.0, size=4)


@A(**KD)
def bincount_longer(x, rng):
    return np.bincount(x, minlength=2) + rng.laplace(scale=1.0, size=2)


@A(**FD)
def count_of_numbers(x, rng):
    return 1000 * np.count_nonzero(x) + rng.laplace(scale=1.0)


@A(**FR)
def mean_of_records(x, rng):
    return x.mean() + rng.laplace(scale=0.1)


@A(**FR)
def mean_by_size(x, rng):
    return 10.0 * x.sum() / x.size + rng.laplace(scale=1.0)


@A(**XD)
def sum_along_minus_one(X, rng):
    return X.sum(axis=-1)


@A(**XD)
def sum_along_both(X, rng):
    return X.sum(axis=(0, 1)) + rng.laplace(scale=1.0)


@A(**XD)
def sum_keeps_dimensions(X, rng):
    return X.sum(axis=0, keepdims=True) + rng.laplace(scale=1.0, size=(1, 2))


@A(**XD)
def sum_then_sum(X, rng):
    return X.sum(axis=0).sum() + rng.laplace(scale=1.0)


@A(**XD)
def sum_of_sums_of_rows(X, rng):
    return np.sum(np.sum(X, axis=1)) + rng.laplace(scale=1.0)


@A(**XD)
def columns_in_steps(X, rng):
    return (1000.0 * X[:, ::-1][:, 0]).sum() + rng.laplace(scale=1.0)


@A(**XD)
def columns_with_a_new_axis(X, rng):
    return X[:, None, :].sum(axis=2).sum() + rng.laplace(scale=1.0)


@A(**XD)
def column_of_nothing(X, rng):
    return X[:, 2:].sum(axis=1).sum() + X.sum() + rng.laplace(scale=1.0)


@A(**XD)
def gram_matrix(X, rng):
    return 2 * (X.T @ X) + rng.laplace(scale=1.0, size=(2, 2))


@A(**XD)
def matrix_times_known(X, rng):
    return (X @ np.array([[1.0, 1000.0], [0.0, 1.0]])).sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(**XD)
def norms_of_rows(X, rng):
    return (X / np.linalg.norm(X, axis=1)[:, None]).sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(**XD)
def norms_of_rows_of_one(X, rng):
    return (X / np.maximum(np.linalg.norm(X, 1, 1), 1.0)[:, None]).sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(**XD)
def rows_clipped_to_a_norm(X, rng):
    return (X * np.minimum(1.0, 1.0 / np.maximum(np.linalg.norm(X, axis=1), 1e-9))[:, None]).sum(axis=0) + rng.laplace(
        scale=1.0, size=2
    )


@A(**XD)
def column_plus_row(X, rng):
    return (X[:, 0] + np.array([1.0, 2.0])).sum() + rng.laplace(scale=1.0)


@A(**FD)
def column_in_place(x, rng):
    y = x * 1.0
    y += 1000.0 * y
    return y.sum() + rng.laplace(scale=1.0)


@A(**FD)
def column_in_place_by_place(x, rng):
    y = x * 1.0
    y[0] = 1000.0
    return y.sum() + rng.laplace(scale=1.0)


@A(**KD)
def column_in_place_of_whole(x, rng):
    y = x * 1
    y *= 0.5
    return y.sum() + rng.laplace(scale=1.0)


@A(**FD)
def column_takes_its_own_name(x, rng):
    y = x.copy()
    z = y
    y += 1000.0
    return z.sum() + rng.laplace(scale=1.0)


@A(**FD)
def array_within_a_list(x, rng):
    w = [np.zeros(1)]
    w[0] += x.sum()
    return w[0]


@A(**FD)
def sum_put_into_an_array(x, rng):
    w = np.zeros(2)
    w[0] = x.sum()
    w[1] = w[0] * 2
    return w + rng.laplace(scale=1.0, size=2)


@A(**FD)
def sum_put_over_noise(x, rng):
    w = x.sum() + rng.laplace(scale=1.0, size=1)
    w[0] = x.sum()
    return w


@A(**XD)
def noise_broadcast(X, rng):
    return X.sum(axis=0) + rng.laplace(scale=1.0)


@A(**XD)
def noise_of_one_for_two(X, rng):
    return X.sum(axis=0) + rng.laplace(scale=2.0, size=1)


@A(**FD)
def noise_repeated(x, rng):
    n = rng.laplace(scale=1.0)
    return [x.sum() + n, x.sum() * 2 + n]


@A(**FD)
def noise_less_itself(x, rng):
    n = rng.laplace(scale=1.0)
    return x.sum() + n - n


@A(**XD)
def noise_by_place(X, rng):
    n = rng.laplace(scale=2.0, size=2)
    return X.sum(axis=0) + n[[0, 0]]


@A(**XD)
def noise_turned_round(X, rng):
    n = rng.laplace(scale=2.0, size=2)
    return [X.sum(axis=0) + n, X.sum(axis=0) + n[::-1]]


@A(**XD)
def noise_sliced(X, rng):
    n = rng.laplace(scale=2.0, size=3)
    return [X.sum(axis=0) + n[:2], X.sum(axis=0) + n[1:]]


@A(**FD)
def noise_times_zero(x, rng):
    return x.sum() + 0.0 * rng.laplace(scale=1.0)


@A(**FD)
def noise_over_much(x, rng):
    return x.sum() + rng.laplace(scale=1.0) / 1000.0


@A(**FD)
def noise_of_a_negative_scale(x, rng):
    return x.sum() + -0.001 * rng.laplace(scale=1.0)


@A(**FD)
def noise_at_a_sum(x, rng):
    return rng.laplace(x.sum(), 0.1)


@A(**FD)
def noise_at_two_sums(x, rng):
    return rng.laplace(2 * x.sum(), 1.0)


@A(**FD)
def noise_by_places(x, rng):
    return x.sum() + rng.laplace(0.0, 0.01, None)


@A(**XD)
def noise_of_no_numbers(X, rng):
    return X.sum(axis=0)[:0] + rng.laplace(scale=1.0, size=0), X.sum(axis=0) + rng.laplace(scale=1.0, size=2)


@A(claim="GDP(mu=1)", **FD)
def normal_by_places(x, rng):
    return x.sum() + rng.normal(0.0, 0.1)


@A(claim="GDP(mu=1)", **FD)
def normal_of_a_double(x, rng):
    return x.sum() + 0.5 * rng.standard_normal()


@A(**FD)
def geometric_of_halves(x, rng):
    return x.sum() + rng.geometric(0.5) - rng.geometric(0.5)


@A(**KD)
def geometric_once(x, rng):
    return x.sum() + rng.geometric(0.9)


@A(**KD)
def geometric_twice_the_same(x, rng):
    g = rng.geometric(0.5)
    return x.sum() + g - g


@A(**FD)
def uniform_noise(x, rng):
    return x.sum() + rng.uniform(-9.0, 9.0)


@A(**FD)
def random_noise(x, rng):
    return x.sum() + rng.random()


@A(**FD)
def chosen_noise(x, rng):
    return x.sum() + rng.choice([0.0, 1.0])


@A(**KD)
def integers_as_noise(x, rng):
    return x.sum() + rng.integers(-9, 9)


@A(**FD)
def poisson_of_a_sum(x, rng):
    return rng.poisson(x.sum() + 1.0)


@A(**KD)
def binomial_noise(x, rng):
    return x.sum() + rng.binomial(10, 0.5)


@A(**FD)
def exponential_noise(x, rng):
    return x.sum() + rng.exponential(1.0)


@A(**FD)
def gumbel_noise(x, rng):
    return x.sum() + rng.gumbel(0.0, 1.0)


@A(claim="GDP(mu=1)", **XD)
def multivariate_noise(X, rng):
    return rng.multivariate_normal(X.sum(axis=0), np.eye(2))


@A(**FD)
def state_of_the_generator(x, rng):
    return x.sum() + rng.laplace(scale=1.0), rng.bit_generator.state["state"]["state"]


@A(**FD)
def generator_again(x, rng):
    r = np.random.default_rng(7)
    return x.sum() + r.laplace(scale=1.0)


@A(**FD)
def generator_of_another(x, rng):
    return x.sum() + np.random.Generator(np.random.PCG64(1)).laplace(scale=1.0)


@A(**FD)
def legacy_noise(x, rng):
    return x.sum() + np.random.laplace(scale=1.0)


@A(claim="GDP(mu=1)", **FD)
def python_noise(x, rng):
    return x.sum() + random.gauss(0.0, 1.0)


@A(**FR)
def scale_by_the_size(x, rng):
    return x.sum() + rng.laplace(scale=1.0 / len(x))


@A(**FD)
def scale_of_a_release(x, rng):
    p = x.sum() + rng.laplace(scale=2.0)
    return p, x.sum() + rng.laplace(scale=abs(p))


@A(**FD)
def scale_of_a_clipped_release(x, rng):
    p = x.sum() + rng.laplace(scale=2.0)
    return p, x.sum() + rng.laplace(scale=min(max(p, 0.1), 4.0))


@A(**FD)
def branch_on_a_release(x, rng):
    p = x.sum() + rng.laplace(scale=2.0)
    if p > 5:
        return x.sum() + rng.laplace(scale=0.1)
    return p


@A(**FD)
def loop_until_a_release(x, rng):
    p = 0.0
    k = 0
    while p < 1 and k < 5:
        p = x.sum() + rng.laplace(scale=1.0)
        k += 1
    return p


@A(**FD)
def list_of_releases(x, rng):
    return [x.sum() + rng.laplace(scale=1.0) for _ in range(3)]


@A(**FD)
def sum_of_releases(x, rng):
    return sum([x.sum() + rng.laplace(scale=1.0) for _ in range(3)])


@A(**FD)
def release_of_differences(x, rng):
    s = x.sum()
    return (s - s) + rng.laplace(scale=1.0), 2 * s - s + rng.laplace(scale=0.9)


@A(**FD)
def release_in_a_dict(x, rng):
    return {"s": x.sum() + rng.laplace(scale=1.0), "n": len(x) + rng.laplace(scale=1.0)}


@A(**FD)
def private_key(x, rng):
    return {int(x.sum()): 1.0}


@A(**FD)
def private_place(x, rng):
    return [1.0, 2.0, 3.0][int(x.sum())]


@A(**FD)
def private_length(x, rng):
    return [0.0] * len(x)


@A(**FD)
def private_range(x, rng):
    return [i for i in range(len(x))]


@A(**FD)
def private_shape(x, rng):
    return np.zeros(x.shape)


@A(**FD)
def private_text(x, rng):
    return f"{x.sum():.2f}"


@A(**FD)
def private_condition(x, rng):
    return x.sum() > 0.5


@A(**FD)
def private_sign(x, rng):
    return 1.0 if x.sum() > 0.5 else 0.0


@A(**FD)
def private_int(x, rng):
    return int(x.sum()) + rng.laplace(scale=1.0)


@A(**FD)
def private_round(x, rng):
    return round(x.sum()) + rng.laplace(scale=1.0)


@A(**FD)
def private_squared(x, rng):
    return x.sum() ** 2 + rng.laplace(scale=1.0)


@A(**FD)
def private_root(x, rng):
    return np.sqrt(x.sum()) + rng.laplace(scale=1.0)


@A(**FD)
def private_quotient(x, rng):
    return x.sum() / len(x) + rng.laplace(scale=1.0)


@A(**FD)
def private_product(x, rng):
    return x.sum() * len(x) + rng.laplace(scale=1.0)


@A(**KD)
def private_remainder(x, rng):
    return x.sum() % 2 + rng.laplace(scale=1.0)


@A(**FD)
def private_minimum(x, rng):
    return min(x.sum(), 1000.0) + rng.laplace(scale=0.9)


@A(**FD)
def record_less_a_sum(x, rng):
    return (x - x.sum()).sum() + rng.laplace(scale=1.0)


@A(**LD)
def record_in_records(data, rng):
    return sum([1.0 if v in data else 0.0 for v in data]) * 2 + rng.laplace(scale=1.0)


@A(**LD)
def records_meet_records(data, rng):
    return sum([v * w for v in data for w in data]) + rng.laplace(scale=1.0)


@A(**LD)
def last_of_a_comprehension(data, rng):
    w = [v for v in data if v > 0.5]
    return w[-1:]


@A(**FD)
def method_of_a_module(x, rng):
    return np.add.reduce(x) + rng.laplace(scale=1.0)


@A(**FD)
def submodule(x, rng):
    import numpy.linalg as la

    return la.norm(x)


@A(**FD)
def from_import(x, rng):
    from math import exp

    return (x * exp(7)).sum() + rng.laplace(scale=1.0)


@A(**FD)
def attribute_of_numpy_computed(x, rng):
    return x.sum() + rng.laplace(scale=np.__version__ and 0.1)


@A(**FD)
def object_with_slots(x, rng):
    return (x * SLOTS.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_with_a_cached_property(x, rng):
    return (x * CACHED.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_with_a_property(x, rng):
    return (x * PROPERTY.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_with_getattr(x, rng):
    return (x * DYNAMIC.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_with_a_descriptor(x, rng):
    return (x * DESCRIBED.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_of_a_base(x, rng):
    return (x * DERIVED.w()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_of_two_bases(x, rng):
    return (x * DIAMOND.w()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def object_hides_its_method(x, rng):
    return (x * HIDING.w()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def class_attribute(x, rng):
    return (x * Derived.k).sum() + rng.laplace(scale=1.0)


@A(**FD)
def class_method_of_it(x, rng):
    return (x * Derived.made()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def named_tuple(x, rng):
    return (x * POINT.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def enumeration(x, rng):
    return (x * Kind.W.value).sum() + rng.laplace(scale=1.0)


@A(**FD)
def simple_namespace(x, rng):
    return (x * SPACE.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def dataclass_field(x, rng):
    return (x * DATA.w).sum() + rng.laplace(scale=1.0)


@A(**FD)
def partial_function(x, rng):
    return (x * PARTIAL()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def cached_function(x, rng):
    return (x * cached()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def reduced_known(x, rng):
    return (x * functools.reduce(lambda a, b: a * b, [10, 10, 10])).sum() + rng.laplace(scale=1.0)


@A(**FD)
def chained_known(x, rng):
    return (x * sum(itertools.chain([500.0], [500.0]))).sum() + rng.laplace(scale=1.0)


@A(**FD)
def operator_module(x, rng):
    return (x * operator.mul(10.0, 100.0)).sum() + rng.laplace(scale=1.0)


@A(**FD)
def default_dict(x, rng):
    return (x * DEFAULT["none"]).sum() + rng.laplace(scale=1.0)


@A(**FD)
def ordered_dict(x, rng):
    return (x * ORDERED["w"]).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_overflow(x, rng):
    return (
        (x * float(np.array([2**62, 2**62]).sum() + 2**62 + 2**62)).sum() + (1000.0 * x).sum() + rng.laplace(scale=1.0)
    )


@A(**FD)
def known_precision(x, rng):
    return (x * float(np.float32(1000.0))).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_whole_division(x, rng):
    return (x * (-7 // 2 * -250)).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_power(x, rng):
    return (x * 2**-1 * 2000).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_unary_power(x, rng):
    return (x * -(2**2) * 250).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_comparison_chain(x, rng):
    return (x * (1000.0 if 1 < 3 > 2 else 0.0)).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_in_is_chained(x, rng):
    return (x * (1000.0 if 1 in [1] == True else 0.5) * (0.5 if (1 in [1]) == True else 1.0) * 4).sum() + rng.laplace(
        scale=1.0
    )


@A(**FD)
def known_not_binds_less(x, rng):
    return (x * (1000.0 if not 1 == 2 else 0.0)).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_lambda_in_a_dict(x, rng):
    d = {"w": lambda: 1000.0}
    return (x * d["w"]()).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_array_by_condition(x, rng):
    w = np.array([1.0, 1000.0])
    return (x * w[w > 1][0]).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_array_view(x, rng):
    w = np.zeros(2)
    u = w[:1]
    u[0] = 1000.0
    return (x * w[0]).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_array_in_place(x, rng):
    w = np.zeros(2)
    w[1:] += 1000.0
    return (x * w[1]).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_array_filled(x, rng):
    w = np.zeros(2)
    w.fill(1000.0)
    return (x * w[1]).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_array_truncates(x, rng):
    w = np.zeros(2, dtype=int)
    w[0] = 1000.9
    return (x * float(w[0])).sum() + rng.laplace(scale=1.0)


@A(**FD)
def known_matrix_transposed(x, rng):
    w = np.array([[0.0, 1000.0], [1.0, 0.0]])
    return (x * w.T[1, 0]).sum() + rng.laplace(scale=1.0)
