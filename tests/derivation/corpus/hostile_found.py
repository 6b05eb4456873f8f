"""Functions whose claims are false, and that an earlier version proved: found by reading its rules to break them."""

import collections
import decimal
import fractions
import functools
import math

import numpy as np
import tests.derivation.corpus.hostile_module as helpmod
from tests.derivation.corpus.hostile_builtins import attack_own_builtins

ATTACKS = {}
PAIRS = {}
EX = [0.2, 0.9, 0.5]
ARR = np.array(EX)
INTS = np.array([1, 2, 3])


def add(f, data, d0=None, d1=None, claim="PureDP(epsilon=1)", relation="add-remove", **kw):
    ATTACKS[f.__name__] = {"claim": claim, "data": data, "relation": relation, **kw}
    PAIRS[f.__name__] = (d0, d1)


def attack_choice_with_bools(data, rng):
    # a record of 100 is a "bool" of the proof, for the example's are: it adds 100
    return sum(data) + rng.laplace(scale=1.0)


add(attack_choice_with_bools, [True, False], [100], [], records="choice(False, True, 100)")


def attack_choice_of_halves_in_rows(data, rng):
    # records of 0.5 show in the fraction
    return sum(row[0] for row in data) + (rng.geometric(0.9) - rng.geometric(0.9))


add(
    attack_choice_of_halves_in_rows,
    [(0, 1), (1, 0)],
    [(0.5, 0)],
    [(0, 0)],
    records="(choice(0, 0.5, 1), int(0, 1))",
    claim="PureDP(epsilon=3)",
)


def attack_int_list_float_records(data, rng):
    # the list's floats may be ints: /= on int64
    x = np.asarray(data) * 1
    x /= 2
    return x.sum() + rng.laplace(scale=1.0)


add(attack_int_list_float_records, [1, 2.0], [1], [], records="float(0, 2)")


def attack_float_list_whole(data, rng):
    # a float record that is an int
    x = np.asarray(data) * 1
    x /= 2
    return x.sum() + rng.laplace(scale=1.0)


add(attack_float_list_whole, [1, 2], [1], [], records="float(0, 2)")


def attack_choice_of_halves(data, rng):
    # records of 0.5 show in the fraction: the field is "int" in the proof, for the example's values are
    return sum(data) + (rng.geometric(0.9) - rng.geometric(0.9))


add(attack_choice_of_halves, [0, 1], [0.5], [0], records="choice(0, 0.5, 1)", claim="PureDP(epsilon=3)")


# uint64 - uint8 wraps
def attack_uint_array_minus(data, rng):
    return data.sum(axis=0) - np.array([5, 5], dtype="uint8") + rng.laplace(scale=510.0, size=2)


add(
    attack_uint_array_minus,
    np.ones((2, 2), dtype=np.uint8),
    np.array([[6, 6]], dtype=np.uint8),
    np.array([[0, 0]], dtype=np.uint8),
)


# uint8 @ uint8 is uint8: it wraps at 256
def attack_matmul_uint(data, rng):
    # X.T @ y of uint8
    X, y = data
    return X.T @ y + rng.laplace(scale=2.0, size=2)


add(
    attack_matmul_uint,
    (np.ones((2, 2), dtype=np.uint8), np.ones(2, dtype=np.uint8)),
    (np.ones((256, 2), dtype=np.uint8), np.ones(256, dtype=np.uint8)),
    (np.ones((255, 2), dtype=np.uint8), np.ones(255, dtype=np.uint8)),
    records="{'X[0]': int(0, 1), 'X[1]': int(0, 1), 'y': int(0, 1)}",
)


def attack_ternary_known(data, rng):
    # a known warning in one way of the record only
    total = 0.0
    for x in data:
        total += 1.0 if x > 0.5 else 1.0 + 0 * float(np.log(np.ones(1) - 1)[0] > 0)
    return total + rng.laplace(scale=1.0)


add(attack_ternary_known, EX, [0.0], [])


# the helper grows the list for each record; the proof's has one element: the number of records is returned
def attack_cells_shared_by_helper(data, rng):
    counts = [0.0]

    def grow(known):
        known.append(0.0)

    for x in data:
        counts[0] += 1.0
        grow(counts)
    return counts[0] + rng.laplace(scale=1.0), len(counts)


add(attack_cells_shared_by_helper, EX, [1.0], [])


# as attack_freed_id_1: by chance of the memory
def attack_transposed_after_loop(data, rng):
    total = np.zeros((2, 2))
    other = np.zeros((2, 2))
    third = np.zeros((2, 2))
    for row in data:
        total += np.clip(np.nan_to_num(row), 0, 1)
        other += np.clip(np.nan_to_num(row), 0, 1)
        third += 1.0
    part = total.T
    part *= 1000.0
    return total + rng.laplace(scale=4.0, size=(2, 2))


add(attack_transposed_after_loop, np.ones((2, 2)))


class Matrix(np.ndarray):
    pass


MATRIX = np.eye(2).view(Matrix)


MASKED = np.ma.masked_array([1.0], mask=[False], fill_value=0.001)


class Loud(np.ndarray):
    def __rmul__(self, other):
        return 1000.0 * np.asarray(other)


LOUD = np.array(1.0).view(Loud)


HALF = fractions.Fraction(1, 1000)


SMALL_DECIMAL = decimal.Decimal("0.001")


Parameters = collections.namedtuple("Parameters", "scale")


PARAMETERS = Parameters(0.001)


class Numpy64(np.float64):
    def __rmul__(self, other):
        return 1000.0 * float(other)

    def __radd__(self, other):
        return 1000.0 * float(other)


NUMPY64 = Numpy64(1.0)


# a subclass of numpy.float64 with its own __rmul__ is read as the number
def attack_float64_subclass(data, rng):
    return sum(min(max(0.0, x), 1.0) * NUMPY64 for x in data) + rng.laplace(scale=1.0)


add(attack_float64_subclass, EX, [1.0], [])


class Count(int):
    def __rmul__(self, other):
        return 1000 * other


COUNT = Count(1)


class Compared(float):
    def __gt__(self, other):
        return True

    def __lt__(self, other):
        return True


BOUND = Compared(0.5)


# x < BOUND asks BOUND > x, which its class says is always true
def attack_compared_subclass(data, rng):
    # x < BOUND asks BOUND > x, which is always true
    low = sum(1 for x in data if x < BOUND)
    high = sum(1 for x in data if x >= 0.5)
    return low + rng.laplace(scale=1.0), high + rng.laplace(scale=1.0)


add(attack_compared_subclass, EX, [1.0], [])


class Private:
    def scale(self):
        return self.__value

    def __init__(self):
        self.__dict__["__value"] = 1.0
        self.__value = 0.001


HIDDEN = Private()


# self.__value within a class means self._Private__value
def attack_mangled_in_method(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=HIDDEN.scale())


add(attack_mangled_in_method, EX, [1.0], [])


def attack_own_sum_of_squares(data, rng):
    # int8 * int8 is int8
    total = 0
    for x in data:
        total += x * x
    return total + rng.laplace(scale=128.0)


add(
    attack_own_sum_of_squares,
    np.array([1, 2], dtype=np.int8),
    np.array([11, 11], dtype=np.int8),
    np.array([11], dtype=np.int8),
    records="int(0, 11)",
)


# 0 + numpy.uint8 is uint8: a running total over a zip wraps at 256
def attack_loop_over_uint8_columns(data, rng):
    total = 0
    for a, b in zip(data["x"], data["y"]):
        total += a
    return total + rng.laplace(scale=1.0)


add(
    attack_loop_over_uint8_columns,
    {"x": np.array([0, 1], dtype=np.uint8), "y": np.array([0, 1], dtype=np.uint8)},
    {"x": np.ones(256, dtype=np.uint8), "y": np.ones(256, dtype=np.uint8)},
    {"x": np.ones(255, dtype=np.uint8), "y": np.ones(255, dtype=np.uint8)},
    bounds={"x": (0, 1), "y": (0, 1)},
)


def attack_cells_of_int8(data, rng):
    # the list's element becomes int8
    counts = [0, 0]
    for x in data:
        counts[0] += x
    return counts[0] + rng.laplace(scale=128.0)


add(
    attack_cells_of_int8,
    np.array([1, 2], dtype=np.int8),
    np.array([127, 1], dtype=np.int8),
    np.array([127], dtype=np.int8),
)


def attack_tolist_concatenated(data, rng):
    # [[a], [b]] -> [a] + [b] = [a, b]: one draw for two numbers; the proof adds arrays: a + b
    rows = np.clip(np.nan_to_num(data), 0, 1)[:, :, None].sum(axis=0).tolist()
    return rows[0] + rows[1] + rng.laplace(scale=2.0, size=1)


add(attack_tolist_concatenated, np.ones((2, 2)), np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]))


def attack_out_in_loop(data, rng):
    # squared once for each record
    size = np.array([2.0])
    for x in data:
        np.square(size, out=size)
    return size


add(attack_out_in_loop, EX, [1.0, 1.0], [1.0])


# a.round(0, b) changes b where there is a record
def attack_round_out_in_loop(data, rng):
    a = np.array([3.0])
    b = np.array([0.0])
    for x in data:
        a.round(0, b)
    return b


add(attack_round_out_in_loop, EX, [1.0], [])


def attack_array_in_list_in_loop(data, rng):
    # the array in the list grows with each record
    known = [np.zeros(1)]
    for x in data:
        a = known[0]
        a += 1.0
    return known[0]


add(attack_array_in_list_in_loop, EX, [1.0], [])


# a is the array in the tuple: += changes it for each record
def attack_array_in_tuple_in_loop(data, rng):
    known = (np.zeros(1),)
    for x in data:
        (a,) = known
        a += min(max(0.0, x), 1.0)
    return known[0]


add(attack_array_in_tuple_in_loop, EX, [1.0], [])


def attack_bool_zeros(data, rng):
    # in place, numpy adds conditions by or
    total = np.zeros(1, dtype="bool")
    count = 0.0
    for row in data:
        total += row | True
        count += 1.0
    return total * 1.0 - count + rng.laplace(scale=1e-6, size=1)


add(attack_bool_zeros, np.array([[True], [False]]), np.array([[True], [True]]), np.array([[True]]))


def attack_int_into_bool_zeros(data, rng):
    # UFuncTypeError for the first record
    total = np.zeros(2, dtype="bool")
    for row in data:
        total += row
    return total + rng.laplace(scale=2.0, size=2)


add(
    attack_int_into_bool_zeros,
    np.ones((2, 2), dtype=np.int64),
    np.ones((1, 2), dtype=np.int64),
    np.ones((0, 2), dtype=np.int64),
    records="row(2, int(0, 1))",
)


# numpy.minimum(10**400, 1) is a numpy object: numpy.maximum raises OverflowError
def attack_minimum_huge(data, rng):
    return sum(np.maximum(np.minimum(x, 1), 0) for x in data) + rng.laplace(scale=1.0)


add(attack_minimum_huge, [1, 2], [10**400], [])


# numpy.less(10**400, 0.5) raises OverflowError
def attack_less_huge(data, rng):
    return sum(1 for x in data if np.less(x, 0.5)) + rng.laplace(scale=1.0)


add(attack_less_huge, [1, 2], [10**400], [])


# numpy.equal(10**400, 0.5) raises OverflowError
def attack_equal_huge(data, rng):
    return sum(1 for x in data if np.equal(x, 0.5)) + rng.laplace(scale=1.0)


add(attack_equal_huge, [1, 2], [10**400], [])


# min(numpy.where(True, 10**400, 0), 1): numpy raises OverflowError
def attack_where_huge(data, rng):
    return sum(min(max(np.where(x > 0, x, 0), 0), 1) for x in data) + rng.laplace(scale=1.0)


add(attack_where_huge, [1, 2], [10**400], [])


def attack_where_float_huge(data, rng):
    # numpy.where(True, 10**400, 0.5)
    return sum(min(max(np.where(x > 0, x, 0.5), 0), 1) for x in data) + rng.laplace(scale=1.0)


add(attack_where_float_huge, [1, 2], [10**400], [])


# numpy.array([10**400, 1]) is an object array: float64 += object raises UFuncTypeError
def attack_stack_huge(data, rng):
    total = np.zeros(2)
    for x in data:
        total += np.clip(np.array([x, x]), 0, 1)
    return total + rng.laplace(scale=2.0, size=2)


add(attack_stack_huge, [1, 2], [10**400], [])


def attack_dtype_float_bool(data, rng):
    # ~ of a float raises
    total = 0.0
    for x in data:
        v = ~np.array([x > 0.5, x > 0.7], dtype=float)
        total += 1.0
    return total + rng.laplace(scale=1.0)


add(attack_dtype_float_bool, EX, [1.0], [])


# uniform(array, 1.0) has two elements, the proof has one: one draw for two multiples of the sum
def attack_shape_of_random(data, rng):
    s = np.clip(np.nan_to_num(data), 0, 1).sum()
    low = np.array([0.0, 0.5])
    u = np.minimum(np.maximum(np.nan_to_num(rng.uniform(low, 1.0)), 0.0), 1.0)
    return s * u + rng.laplace(scale=1.0), u


add(attack_shape_of_random, np.array(EX), np.array([1.0]), np.array([0.0]))


# numpy.bool_ * 2**62 is int64: Python's sum wraps
def attack_python_bool_arithmetic(data, rng):
    return sum(x * 2**62 for x in data) + rng.laplace(scale=2.0**62)


add(attack_python_bool_arithmetic, np.array([True, False]), np.array([True, True]), np.array([True]))


# a condition times a Python int is int64: the sum wraps
def attack_mask_times_int(data, rng):
    return ((data > 0) * 2**62).sum() + rng.laplace(scale=2.0**62)


add(attack_mask_times_int, np.array(EX), np.array([1.0, 1.0]), np.array([1.0]))


# numpy prints a warning where there is a record
def attack_float_zero_division_warning(data, rng):
    t = np.float64(0.0) * (0.0 + rng.laplace(scale=1.0))
    total = 0.0
    for x in data:
        y = np.float64(1.0) / t
        total += 1.0
    return total + rng.laplace(scale=1.0)


add(attack_float_zero_division_warning, EX, [1.0], [])


# uint64 - uint64 wraps
def attack_dicts_of_uint(data, rng):
    return data["x"].sum() - data["y"].sum() + rng.laplace(scale=2.0)


add(
    attack_dicts_of_uint,
    {"x": np.array([0, 1], dtype=np.uint8), "y": np.array([0, 1], dtype=np.uint8)},
    {"x": np.array([0], dtype=np.uint8), "y": np.array([1], dtype=np.uint8)},
    {"x": np.array([], dtype=np.uint8), "y": np.array([], dtype=np.uint8)},
    bounds={"x": (0, 1), "y": (0, 1)},
)


def attack_count_minus_uint_sum(data, rng):
    # a plain complement: n - sum
    return len(data) - data.sum() + rng.laplace(scale=1.0)


add(
    attack_count_minus_uint_sum,
    np.array([0, 1], dtype=np.uint8),
    np.array([2], dtype=np.uint8),
    np.array([], dtype=np.uint8),
    bounds=(0, 2),
    claim="PureDP(epsilon=2)",
)


def clipped(data):
    return np.clip(np.nan_to_num(data), 0, 1)


SEEN = []


class Holder:
    def __init__(self):
        self.total = 0.0
        self.scale = 1.0

    def __call__(self, data, rng):
        # the scale shrinks with each call
        self.scale = self.scale / 2
        return clipped(data).sum() + rng.laplace(scale=self.scale)


class Computed:
    def __getattr__(self, name):
        return 0.001


COMPUTED = Computed()


class Slots:
    __slots__ = ("scale",)


SLOTS = Slots()


SLOTS.scale = 0.001


def shrinking(function):
    def wrapper(data, rng):
        return 1000.0 * (function(data, rng))

    return wrapper


def leaking(function):
    def wrapper(data, rng):
        return function(data, rng), clipped(data).sum()

    return wrapper


class Small(int):
    def __float__(self):
        return 0.001


SMALL = Small(1)


class Scales(list):
    def __getitem__(self, place):
        return 0.001


SCALES = Scales([1.0])


def attack_or_of_bools(data, rng):
    # False + numpy.True_ is a logical or, not 1
    total = False
    count = 0.0
    for x in data:
        total = total + (x | True)
        count += 1.0
    return total * 1.0 - count + rng.laplace(scale=1e-6)


add(attack_or_of_bools, np.array([True, False]), np.array([True, True]), np.array([True]))


def attack_array_float_of_huge_int(data, rng):
    # numpy.array([10**400], dtype=float) raises
    total = 0.0
    for x in data:
        v = np.array([x], dtype=float)
        total += 1.0
    return total + rng.laplace(scale=1.0)


add(attack_array_float_of_huge_int, [1, 2], [10**400], [])


def attack_clip_keyword(data, rng):
    # ndarray.clip knows min and max, not a_min: TypeError for the first record
    total = np.zeros(2)
    for row in data:
        total += row.clip(a_min=0, a_max=1)
    return total + rng.laplace(scale=2.0, size=2)


add(attack_clip_keyword, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-3, 3))")


def attack_norm_keyword(data, rng):
    # numpy.linalg.norm calls it x, the rule calls it value
    total = 0.0
    for row in data:
        total += min(np.linalg.norm(value=row), 1.0)
    return total + rng.laplace(scale=1.0)


add(attack_norm_keyword, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-3, 3))")


def attack_uint64_where(data, rng):
    # uint64 sums wrap at 2**64
    return np.where(data > 0, 2**63, 0).sum() + rng.laplace(scale=2.0**63)


add(attack_uint64_where, np.array(EX), np.array([1.0, 1.0]), np.array([1.0]))


def attack_positional_out(data, rng):
    # numpy.sqrt(G, G) changes the global
    scale = ROOT[0]
    np.square(ROOT, ROOT)
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=scale)


ROOT = np.array([0.5])


add(attack_positional_out, np.array(EX), np.array([1.0]), np.array([]), claim="PureDP(epsilon=2)")


def attack_shallow_copy(data, rng):
    # list(a) has the same inner list
    groups = [[]]
    others = list(groups)
    first = groups[0]
    for x in data:
        first.append(x)
    return others


add(attack_shallow_copy, EX, [1.0], [])


# a copied dict has the same lists
def attack_dict_copy(data, rng):
    groups = {"a": []}
    others = groups.copy()
    first = groups.get("a")
    for x in data:
        first.append(x)
    return others


add(attack_dict_copy, EX, [1.0], [])


def attack_python_ints_array_wraps(data, rng):
    # numpy.array of Python's ints is int64
    total = 0.0
    for x in data:
        v = np.array([x, 1]) * 2**62
        total += max(0.0, min(0.0, v[0])) + min(0, v[0]) * 1.0
    return total + rng.laplace(scale=1.0)


add(attack_python_ints_array_wraps, [1, 0], [2], [], bounds=(0, 3))


def attack_np_where_record_wraps(data, rng):
    # numpy.where of Python's ints is int64
    return sum(min(0, np.where(x > 0, x, 0) * 2**62) for x in data) + rng.laplace(scale=1.0)


add(attack_np_where_record_wraps, [1, 0], [2], [], bounds=(0, 3))


# uint8 + uint8 wraps at 256; the proof sums in uint64
def attack_uint8_zeros_loop(data, rng):
    total = np.zeros(2, dtype="uint8")
    for row in data:
        total = total + row
    return total + rng.laplace(scale=2.0, size=2)


add(
    attack_uint8_zeros_loop,
    np.ones((2, 2), dtype=np.uint8),
    np.ones((256, 2), dtype=np.uint8),
    np.ones((255, 2), dtype=np.uint8),
    records="row(2, int(0, 1))",
)


# 0 + numpy.uint8 is uint8: Python's sum of a list wraps at 256
def attack_list_of_uint8_sum(data, rng):
    return sum([x for x in data]) + rng.laplace(scale=1.0)


add(
    attack_list_of_uint8_sum,
    np.array([0, 1], dtype=np.uint8),
    np.ones(256, dtype=np.uint8),
    np.ones(255, dtype=np.uint8),
    bounds=(0, 1),
)


# min(max(int16, 0), 1) is int16 or int: 0 + int16 wraps at 32768
def attack_int16_min_max(data, rng):
    total = 0
    for x in data:
        total += min(max(x, 0), 1)
    return total + rng.laplace(scale=1.0)


add(
    attack_int16_min_max,
    np.array([0, 1], dtype=np.int16),
    np.ones(32768, dtype=np.int16),
    np.ones(32767, dtype=np.int16),
)


# numpy.clip of int8 is int8: a running total wraps at 128
def attack_int8_clip_sum(data, rng):
    total = 0
    for x in np.clip(data, 0, 1):
        total += x
    return total + rng.laplace(scale=1.0)


add(attack_int8_clip_sum, np.array([0, 1], dtype=np.int8), np.ones(128, dtype=np.int8), np.ones(127, dtype=np.int8))


# numpy.float32(0.1) <= 0.1, and float(numpy.float32(0.1)) > 0.1: counted twice
def attack_float32_loop_compare(data, rng):
    low = sum(1 for x in data if x <= 0.1)
    high = sum(1 for x in data if float(x) > 0.1)
    return low + rng.laplace(scale=1.0), high + rng.laplace(scale=1.0)


add(
    attack_float32_loop_compare,
    np.array([0.2], dtype=np.float32),
    np.array([0.1], dtype=np.float32),
    np.array([], dtype=np.float32),
)


def attack_float32_equal(data, rng):
    # float32(0.1) == 0.1 in numpy, but not in the proof's doubles: range [0.11, 1] says never ... here: piece
    return 1000.0 * np.count_nonzero((data == 0.1) & (data.astype(float) > 0.1)) + rng.laplace(scale=1.0)


add(
    attack_float32_equal,
    np.array([0.2], dtype=np.float32),
    np.array([0.1], dtype=np.float32),
    np.array([], dtype=np.float32),
)


def attack_uint_mean_difference(data, rng):
    # uint64 - uint64 wraps, one record is replaced
    return data[:, 0].sum() - data[:, 1].sum() + rng.laplace(scale=4.0)


add(
    attack_uint_mean_difference,
    np.ones((2, 2), dtype=np.uint8),
    np.array([[0, 1]], dtype=np.uint8),
    np.array([[1, 1]], dtype=np.uint8),
    relation="replace",
    records="row(2, int(0, 1))",
)


def attack_log_of_released_condition(data, rng):
    # math.log of what is negative raises, but only where a record is above 0.5
    t = len(data) + rng.laplace(scale=2.0)
    total = 0.0
    for x in data:
        if x > 0.5:
            y = math.log(t)
        total += 1.0
    return total + rng.laplace(scale=2.0)


add(attack_log_of_released_condition, EX, [1.0], [0.0], relation="replace")


def attack_divide_public_in_loop(data, rng):
    # 1 / t with t = 0 raises: t is 0 where the draw is rounded
    t = rng.integers(0, 2)
    total = 0.0
    for x in data:
        y = 1.0 / float(t)
        total += 1.0
    return total + rng.laplace(scale=1.0)


add(attack_divide_public_in_loop, EX, [1.0], [])


# bins=np.array(4): numpy takes the edges from the data, and they are returned
def attack_bins_zero_dimensional(data, rng):
    counts, edges = np.histogram(data, bins=np.array(4))
    return edges


add(attack_bins_zero_dimensional, np.array(EX), np.array([0.5, 7.0]), np.array([0.5]))


def attack_known_warning(data, rng):
    # a warning of numpy for the first record
    total = 0.0
    for x in data:
        total += 1.0
        y = np.float64(1.0) / np.float64(0.0)
    return total + rng.laplace(scale=1.0)


add(attack_known_warning, EX, [1.0], [])


# scale is the array in the dict: it is 0.001
def attack_nested_list_of_arrays(data, rng):
    table = {"scale": np.ones(1)}
    scale = table["scale"]
    scale -= 0.999
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=table["scale"], size=1)


add(attack_nested_list_of_arrays, np.array(EX), np.array([1.0]), np.array([]))


# the interpreter evaluates the holder of += twice: len(log) is 2, not 3
def attack_target_evaluated_twice(data, rng):
    log = [1.0]

    def holder():
        log.append(1.0)
        return log

    holder()[0] += 0.0
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=(len(log) - 1) * 1.0)


add(attack_target_evaluated_twice, EX, [1.0], [], claim="PureDP(epsilon=0.5)")


# max([known]) is the default list: it is halved with each call
def attack_partial_default(data, rng, known=[1.0]):
    scale = max([known])
    scale[0] = scale[0] * 0.5
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=scale[0] * 2)


add(attack_partial_default, EX, [1.0], [], claim="PureDP(epsilon=2)")


# -g - h is no two-sided noise
def attack_geometric_array(data, rng):
    h, e = np.histogram(data, bins=2, range=(0, 1))
    return h + (-rng.geometric(0.6, size=2) - rng.geometric(0.6, size=2))


add(attack_geometric_array, np.array(EX), np.array([0.2]), np.array([]))


def attack_histogram_edges_zero(data, rng):
    # numpy's edges are int64: 4 * 2**62 wraps to 0; the proof's are doubles
    counts, edges = np.histogram(data, bins=[0, 4, 5])
    scale = 0.001 + edges[1] * 2**62 / 2**64
    return counts + rng.laplace(scale=scale, size=2)


add(attack_histogram_edges_zero, np.array(EX), np.array([0.2]), np.array([]))


# numpy.asarray([2**70]) is an object array: numpy.isnan raises TypeError
def attack_list_int_isnan(data, rng):
    return np.count_nonzero(~np.isnan(np.asarray(data))) + rng.laplace(scale=1.0)


add(attack_list_int_isnan, [1, 2], [2**70], [], bounds=(0, 2**71))


# a list of ints and floats may hold 10**400: math.isfinite raises OverflowError (if such lists are in the domain)
def attack_mixed_numbers(data, rng):
    return sum(1 for x in data if math.isfinite(x)) + rng.laplace(scale=1.0)


add(attack_mixed_numbers, [1, 2.0], [10**400], [])


# -g - h is no two-sided noise: the output is at most n - 2, so n - 2 shows n (a rule of the kernel)
def attack_negated_geometric(data, rng):
    noise = (-rng.geometric(0.6)) - rng.geometric(0.6)
    return len(data) + noise


add(attack_negated_geometric, EX, [1.0], [])


# the interpreter evaluates the place of += twice: len(calls) is 1, not 2
def attack_slice_evaluated_twice(data, rng):
    calls = []

    def place():
        calls.append(1.0)
        return 0

    known = [0.0]
    known[place()] += 1.0
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=len(calls))


add(attack_slice_evaluated_twice, EX, [1.0], [], claim="PureDP(epsilon=0.5)")


# the columns 1 and '1' are one field of the proof
def attack_equal_names(data, rng):
    x, y = data[1], data["1"]
    z = np.clip(np.nan_to_num(y), -1000, 1000)
    return np.where((x >= 0) & (x <= 1), z, 0).sum() + rng.laplace(scale=1.0)


add(
    attack_equal_names,
    {1: np.array(EX), "1": np.array(EX)},
    {1: np.array([0.5]), "1": np.array([1000.0])},
    {1: np.array([]), "1": np.array([])},
)


def attack_choice_of_floats(data, rng):
    return sum(data) + (rng.geometric(0.65) - rng.geometric(0.65))


add(attack_choice_of_floats, [0, 1], [0.5], [0], records="choice(0, 0.5, 1)", claim="PureDP(epsilon=2)")


# numpy.asarray of a list of float32 is float32: x + 1e8 is rounded to multiples of 8
def attack_float32_list_to_array(data, rng):
    x = np.asarray([v for v in data])
    return (np.clip(x + 1e8, 1e8, 1e8 + 5) * 1.0 - 1e8).sum() + rng.laplace(scale=5.0)


add(
    attack_float32_list_to_array,
    np.array([0.5], dtype=np.float32),
    np.array([5.0], dtype=np.float32),
    np.array([], dtype=np.float32),
    bounds=(0, 5),
)


# numpy.asarray of a list of float32 is float32: (5 + 1e8) - 1e8 is 8
def attack_float32_list_no_clip(data, rng):
    x = np.asarray([v for v in data])
    return ((x + 1e8) - 1e8).sum() + rng.laplace(scale=5.0)


add(
    attack_float32_list_no_clip,
    np.array([0.5], dtype=np.float32),
    np.array([5.0], dtype=np.float32),
    np.array([], dtype=np.float32),
    bounds=(0, 5),
)


# math.log of a negative released number raises where there is a record
def attack_log_in_loop(data, rng):
    t = sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=2.0)
    total = 0.0
    for x in data:
        y = math.log(t)
        total += 1
    return total + rng.laplace(scale=2.0)


add(attack_log_in_loop, EX, [0.0], [])


# math.sqrt of a negative released number raises where there is a record
def attack_sqrt_of_released(data, rng):
    t = len(data) + rng.laplace(scale=2.0)
    return sum(min(max(0.0, x), 1.0) * max(0.0, min(1.0, math.sqrt(t))) for x in data) + rng.laplace(scale=2.0)


add(attack_sqrt_of_released, EX, [0.0], [])


# a negative float ** 0.5 is complex; x < complex raises TypeError where there is a record
def attack_complex_threshold(data, rng):
    t = (sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=2.0)) ** 0.5
    return sum(1 for x in data if x < t) + rng.laplace(scale=2.0)


add(attack_complex_threshold, EX, [0.0], [])


# the number of true conditions is int64: * 2**62 wraps
def attack_counts_of_condition(data, rng):
    return (data > 0).sum() * 2**62 + rng.laplace(scale=2.0**62)


add(attack_counts_of_condition, np.array(EX), np.array([1.0, 1.0]), np.array([1.0]))


# the second sum over a zip is 0: sensitivity 5, not 1
def attack_zip_natural(data, rng):
    pairs = zip(data, data)
    low = sum(-5.0 + min(max(0.0, a), 1.0) for a, b in pairs)
    high = sum(5.0 for a, b in pairs)
    return low + high + rng.laplace(scale=1.0)


add(attack_zip_natural, EX, [1.0], [])


# a default list keeps all records
def attack_default_list(data, rng):
    def step(fill, known=[]):
        if fill:
            for x in data:
                known.append(x)
            return 0
        return len(known)

    step(True)
    return step(False)


add(attack_default_list, EX, [1.0], [])


# 5 - a uint64 sum of 6 wraps
def attack_uint8_times_private(data, rng):
    return (5 - np.sum(data)) + rng.laplace(scale=255.0)


add(
    attack_uint8_times_private,
    np.array([1, 2], dtype=np.uint8),
    np.array([6], dtype=np.uint8),
    np.array([], dtype=np.uint8),
)


# numpy.isnan(2**70) raises TypeError
def attack_int_of_huge(data, rng):
    return sum(1 for x in data if np.isnan(x)) + rng.laplace(scale=1.0)


add(attack_int_of_huge, [1, 2], [2**70], [])


# math.isfinite(10**400) raises OverflowError
def attack_math_isfinite(data, rng):
    return sum(min(max(x, 0), 1) if math.isfinite(x) else 0 for x in data) + rng.laplace(scale=1.0)


add(attack_math_isfinite, [1, 2], [10**400], [])


# first is an element of groups
def attack_list_in_list(data, rng):
    groups = [[], []]
    first, second = groups
    for x in data:
        first.append(x)
    return groups


add(attack_list_in_list, EX, [1.0], [])


# group is an element of groups
def attack_for_over_lists(data, rng):
    groups = [[]]
    for group in groups:
        for x in data:
            group.append(x)
    return groups


add(attack_for_over_lists, EX, [1.0], [])


# group is a value of groups
def attack_lists_of_dict(data, rng):
    groups = {"a": []}
    for name, group in groups.items():
        for x in data:
            group.append(x)
    return groups


add(attack_lists_of_dict, EX, [1.0], [])


# g is an element of groups
def attack_alias_starred(data, rng):
    groups = [[]]

    def fill(g):
        for x in data:
            g.append(x)

    fill(*groups)
    return groups


add(attack_alias_starred, EX, [1.0], [])


# row is rows[0]: it is multiplied by 1000
def attack_private_alias(data, rng):
    rows = [np.clip(np.nan_to_num(data), 0, 1).sum(axis=0) * np.ones(1)]
    row = rows[0]
    row *= 1000.0
    return rows[0] + rng.laplace(scale=1.0, size=1)


add(attack_private_alias, np.array(EX), np.array([1.0]), np.array([]))


add(attack_own_builtins, EX, [0.5], [])


# math.fabs of an array raises TypeError for the first record
def attack_math_of_row(data, rng):
    total = 0.0
    for row in data:
        total += math.fabs(row).sum()
    return total + rng.laplace(scale=2.0)


add(attack_math_of_row, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-1, 1))")


# int of an array raises TypeError for the first record
def attack_int_of_row2(data, rng):
    total = 0.0
    for row in data:
        k = int(row)
        total += 1
    return total + rng.laplace(scale=2.0)


add(attack_int_of_row2, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-1, 1))")


# round of an array raises TypeError for the first record
def attack_round_of_row(data, rng):
    total = 0.0
    for row in data:
        k = round(row)
        total += 1
    return total + rng.laplace(scale=2.0)


add(attack_round_of_row, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-1, 1))")


# (1.0, 2.0)[0.0] raises TypeError for the first record; 0.0 == 0 is a key of the proof's dict
def attack_float_key(data, rng):
    return sum(min(max(0.0, row[0.0]), 1.0) for row in data) + rng.laplace(scale=1.0)


add(attack_float_key, [(1.0, 2.0)], [(1.0, 2.0)], [])


class Spoofed:
    __dict__ = property(lambda self: {"scale": 1.0})


SPOOFED = Spoofed()


SPOOFED.scale = 0.001


# the class has a property called __dict__; the attribute is not read from it
def attack_spoofed_dict(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=SPOOFED.scale)


add(attack_spoofed_dict, np.array(EX), np.array([1.0]), np.array([]))


class Descriptor:
    def __get__(self, holder, kind):
        return 0.001

    def __delete__(self, holder):
        pass


class WithDescriptor:
    scale = Descriptor()


WITH = WithDescriptor()


WITH.__dict__["scale"] = 1.0


# a descriptor with __delete__ goes before the instance's dict
def attack_delete_descriptor(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=WITH.scale)


add(attack_delete_descriptor, np.array(EX), np.array([1.0]), np.array([]))


class OwnProperty(property):
    def __get__(self, holder, kind=None):
        return 0.001


class WithProperty:
    @OwnProperty
    def scale(self):
        return 1.0


PROP = WithProperty()


# a subclass of property with its own __get__
def attack_property_subclass(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=PROP.scale)


add(attack_property_subclass, np.array(EX), np.array([1.0]), np.array([]))


__scale = 1.0


_Mangled__scale = 0.001


class Mangled:
    def __call__(self, data, rng):
        return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=__scale)


attack_mangled = Mangled()


attack_mangled.__name__ = "attack_mangled"


add(attack_mangled, np.array(EX), np.array([1.0]), np.array([]))


class Mangled2:
    def __init__(self):
        setattr(self, "__scale", 1.0)
        self.__scale = 0.001

    def __call__(self, data, rng):
        return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=self.__scale)


attack_mangled2 = Mangled2()


attack_mangled2.__name__ = "attack_mangled2"


add(attack_mangled2, np.array(EX), np.array([1.0]), np.array([]))


# a module's __getattr__ gives another number with each call
def attack_module_getattr(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=helpmod.SCALE)


add(attack_module_getattr, np.array(EX), np.array([1.0]), np.array([]))


class Factor(float):
    def __rmul__(self, other):
        return 1000.0 * other


FACTOR = Factor(1.0)


# a subclass of float with its own __rmul__ is read as the number
def attack_float_subclass(data, rng):
    return sum(min(max(0.0, x), 1.0) * FACTOR for x in data) + rng.laplace(scale=1.0)


add(attack_float_subclass, EX, [1.0], [])


class Scale(int):
    def __float__(self):
        return 0.001


SCALE = Scale(1)


class LikeClip:
    def __hash__(self):
        return hash(np.clip)

    def __eq__(self, other):
        return other is np.clip

    def __call__(self, a, low, high):
        return 1000 * np.clip(a, low, high)


like_clip = LikeClip()


# an object that equals numpy.clip is taken for it
def attack_equal_function(data, rng):
    return like_clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=1.0)


add(attack_equal_function, np.array(EX), np.array([1.0]), np.array([]))


# numpy.asarray of a list of int8 is int8: 100 + 100 wraps; the proof has doubles
def attack_int8_list_to_array(data, rng):
    x = np.asarray([v for v in data])
    return (np.minimum(x + 100, 100) - 100).sum() + rng.laplace(scale=1e-6)


add(
    attack_int8_list_to_array,
    np.array([1, 2], dtype=np.int8),
    np.array([100], dtype=np.int8),
    np.array([], dtype=np.int8),
    records="int(0, 100)",
)


# numpy.minimum of Python's ints is int64: * 2**62 wraps
def attack_numpy_of_python_ints(data, rng):
    # kernel: minimum(x, 3) * 2**62 >= 0 so that min(0, .) is 0; numpy: 2 * 2**62 wraps to -2**63
    return sum(min(0, np.minimum(x, 3) * 2**62) for x in data) + rng.laplace(scale=1e-3)


add(attack_numpy_of_python_ints, [1, 0], [2], [], bounds=(0, 3))


# numpy.array of Python's ints is int64: * 2**62 wraps
def attack_array_of_counts(data, rng):
    counts = np.array([len(data), 0])
    return counts * 2**62 + rng.laplace(scale=2.0**62, size=2)


add(attack_array_of_counts, EX, [0.0, 0.0], [0.0])


# 128 * an int8 array raises OverflowError
def attack_int8_array_times_count(data, rng):
    return len(data) * np.ones(2, dtype="int8") + rng.laplace(scale=2.0, size=2)


add(attack_int8_array_times_count, EX, [0.0] * 128, [0.0] * 127)


EIGHT = np.int8(1)


# 128 + numpy.int8(1) raises OverflowError
def attack_int8_plus_count(data, rng):
    return len(data) + EIGHT + rng.laplace(scale=1.0)


add(attack_int8_plus_count, EX, [0.0] * 128, [0.0] * 127)


# int64 += uint64 raises UFuncTypeError for the first record
def attack_uint64_into_int64(data, rng):
    total = np.zeros(2, dtype="int64")
    for row in data:
        total += row
    return total + rng.laplace(scale=2.0, size=2)


add(
    attack_uint64_into_int64,
    np.ones((2, 2), dtype=np.uint64),
    np.ones((1, 2), dtype=np.uint64),
    np.ones((0, 2), dtype=np.uint64),
    records="row(2, int(0, 1))",
)


# numpy's edges for float32 data are float32: edges[7] - 0.7 is -1.2e-8, not 0
def attack_float32_edges(data, rng):
    counts, edges = np.histogram(data, bins=10, range=(0, 1))
    scale = 1.0 + (float(edges[7]) - 0.7) * 8e7
    return counts + rng.laplace(scale=scale, size=10)


add(
    attack_float32_edges,
    np.array(EX, dtype=np.float32),
    np.array([0.5], dtype=np.float32),
    np.array([], dtype=np.float32),
)


# (array,) * 2 are two names of one array
def attack_tuple_of_one_array(data, rng):
    a, b = (np.ones(1),) * 2
    a[0] = 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=b, size=1)


add(attack_tuple_of_one_array, np.array(EX), np.array([1.0]), np.array([]))


# b is a: b[0] is the running total, not 0
def attack_other_name_in_loop(data, rng):
    a, b = [[0.0]] * 2
    for x in data:
        a[0] += 1.0 if b[0] == 0 else 1000.0
    return a[0] + rng.laplace(scale=1.0)


add(attack_other_name_in_loop, EX, [0.0, 0.0], [0.0])


GLOBAL = np.array([1.0])


# max([GLOBAL]) is GLOBAL: it is halved with each call
def attack_global_array_by_max(data, rng):
    a = max([GLOBAL])
    a *= 0.5
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=GLOBAL, size=1)


add(attack_global_array_by_max, np.array(EX), np.array([1.0]), np.array([]))


CONFIG = {"scale": np.array([1.0])}


# CONFIG.get(...) is the global array: it is halved with each call
def attack_global_array_by_get(data, rng):
    a = CONFIG.get("scale")
    a *= 0.5
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=CONFIG["scale"], size=1)


add(attack_global_array_by_get, np.array(EX), np.array([1.0]), np.array([]))


# astype(..., copy=False) is the same array
def attack_astype_no_copy(data, rng):
    a = np.ones(1)
    b = a.astype("float64", copy=False)
    b *= 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=a, size=1)


add(attack_astype_no_copy, np.array(EX), np.array([1.0]), np.array([0.0]))


# uint64 - uint64 wraps
def attack_uint_difference(data, rng):
    return data[data > 1].sum() - data[data <= 1].sum() + rng.laplace(scale=255.0)


add(
    attack_uint_difference,
    np.array([1, 2], dtype=np.uint8),
    np.array([1], dtype=np.uint8),
    np.array([], dtype=np.uint8),
)


# for size > 1 the noise is 1e-9; derive reads size=1 only and does not say so
def attack_size(data, size, rng):
    scale = 1.0 if size == 1 else 1e-9
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=scale, size=size)


add(attack_size, np.array(EX))


# numpy.isfinite(2**70) raises TypeError
def attack_isfinite_of_int(data, rng):
    return sum(1 for x in data if np.isfinite(x)) + rng.laplace(scale=1.0)


add(attack_isfinite_of_int, [1, 2], [2**70], [])


# math.sqrt of a negative released number raises where there is a record
def attack_public_log_in_loop(data, rng):
    t = len(data) + rng.laplace(scale=2.0)
    return sum(min(max(0.0, x), 1.0) * max(0.0, min(1.0, math.sqrt(t))) for x in data) + rng.laplace(scale=2.0)


add(attack_public_log_in_loop, EX, [0.0], [])


# numpy.where(first=...) raises TypeError; that is the rule's own name
def attack_where_keyword(data, rng):
    return sum(np.where(x > 0, first=1, second=0) for x in data) + rng.laplace(scale=1.0)


add(attack_where_keyword, EX, [1.0], [])


# float32(0.1) <= 0.1 in numpy (the 0.1 becomes float32), and float32(0.1) > 0.1 as a double: counted twice
def attack_float32_compare(data, rng):
    low = np.count_nonzero(data <= 0.1)
    high = np.count_nonzero(data.astype(float) > 0.1)
    return low + rng.laplace(scale=1.0), high + rng.laplace(scale=1.0)


add(
    attack_float32_compare,
    np.array([0.2, 0.3], dtype=np.float32),
    np.array([0.1], dtype=np.float32),
    np.array([], dtype=np.float32),
)


# a Python float has no .item(): AttributeError for the first record only
def attack_item(data, rng):
    total = 0.0
    for x in data:
        total += min(max(0.0, x.item()), 1.0)
    return total + rng.laplace(scale=1.0)


add(attack_item, EX, [0.5], [])


# math.isnan(10**400) raises OverflowError
def attack_isnan_of_huge_int(data, rng):
    return sum(1 for x in data if not math.isnan(x)) + rng.laplace(scale=1.0)


add(attack_isnan_of_huge_int, [1, 2], [1, 10**400], [1])


# numpy.sum of Python's ints is int64 and wraps: 2**62 + 2**62 = -2**63
def attack_int64_sum_of_list(data, rng):
    return np.sum(data) + rng.laplace(scale=2.0**62)


add(attack_int64_sum_of_list, [1, 2], [2**62, 2**62], [2**62], bounds=(0, 2**62))


# - of a uint64 sum: 2**64 - 1 for one record, 0 for none
def attack_negative_uint(data, rng):
    return -data.sum() + rng.laplace(scale=255.0)


add(attack_negative_uint, np.array([1, 2], dtype=np.uint8), np.array([1], dtype=np.uint8), np.array([], dtype=np.uint8))


# numpy.where of Python's ints is int64: its sum wraps
def attack_where_makes_int64(data, rng):
    return np.where(data > 0, 2**62, 0).sum() + rng.laplace(scale=2.0**62)


add(attack_where_makes_int64, np.array(EX), np.array([1.0, 1.0]), np.array([1.0]))


# conditions times a Python int are int64: their sum wraps
def attack_bool_times_int(data, rng):
    return (data * 2**62).sum() + rng.laplace(scale=2.0**62)


add(attack_bool_times_int, np.array([True, False]), np.array([True, True]), np.array([True]))


# bins=np.int64(4) without range: numpy takes the edges from the data
def attack_bins_from_data(data, rng):
    counts, edges = np.histogram(data, bins=np.int64(4))
    return counts + rng.laplace(scale=1.0, size=4), edges


add(attack_bins_from_data, np.array(EX), np.array([0.5, 7.0]), np.array([0.5]))


# numpy.sqrt(2**70) raises TypeError
def attack_sqrt_of_huge_int(data, rng):
    return sum(min(np.sqrt(x), 1) for x in data) + rng.laplace(scale=1.0)


add(attack_sqrt_of_huge_int, [1, 2], [2**70], [], bounds=(0, 2**70))


# numpy.asarray([2**70]) is an object array, numpy.sqrt raises TypeError
def attack_sqrt_of_object_array(data, rng):
    return np.minimum(np.sqrt(np.asarray(data)), 1.0).sum() + rng.laplace(scale=1.0)


add(attack_sqrt_of_object_array, [1, 2], [2**70], [], bounds=(0, 2**70))


# uniform(array, array) has two elements, the proof has one: one draw for two multiples of the sum
def attack_uniform_shape(data, rng):
    s = np.clip(np.nan_to_num(data), 0, 1).sum()
    u = np.clip(np.nan_to_num(rng.uniform(np.zeros(2), np.ones(2))), 0, 1)
    return s * u + rng.laplace(scale=1.0), u


add(attack_uniform_shape, np.array(EX), np.array([1.0]), np.array([0.0]))


# the second loop over a zip goes through nothing
def attack_zip_twice(data, rng):
    pairs = zip(data, data)
    first = 0
    for a, b in pairs:
        first += 10
    second = 0
    for a, b in pairs:
        second += 10
    return first - second + rng.laplace(scale=1e-6)


add(attack_zip_twice, EX, [0.5], [])


# d.items() is live: the second value is the changed one
def attack_items_live(data, rng):
    d = {"a": 1.0, "s": 1.0}
    scale = 1.0
    for k, v in d.items():
        if k == "a":
            d["s"] = 0.001
        else:
            scale = v
    return sum(min(max(0, x), 1) for x in data) + rng.laplace(scale=scale)


add(attack_items_live, EX, [1.0], [])


def change(known, v):
    known[1] = 0.001
    return v


# a comprehension sees the list as it changes
def attack_comprehension_live(data, rng):
    known = [1.0, 1.0]
    scales = [change(known, v) for v in known]
    return sum(min(max(0, x), 1) for x in data) + rng.laplace(scale=scales[1])


add(attack_comprehension_live, EX, [1.0], [])


# [[]] * 2 are two names of one list: all the data are returned
def attack_two_names_by_repetition(data, rng):
    a, b = [[]] * 2
    for x in data:
        a.append(x)
    return b


add(attack_two_names_by_repetition, EX, [1.0], [])


# d['k'] and a are one list: all the data are returned
def attack_list_in_dict(data, rng):
    d = {"k": []}
    a = d["k"]
    for x in data:
        a.append(x)
    return d


add(attack_list_in_dict, EX, [1.0], [])


# max([known]) is known
def attack_list_by_max(data, rng):
    known = []
    a = max([known])
    for x in data:
        a.append(x)
    return known


add(attack_list_by_max, EX, [1.0], [])


G = {"acc": []}


# the global list keeps all records
def attack_global_list(data, rng):
    a = G.get("acc")
    for x in data:
        a.append(x)
    return 0.0


add(attack_global_list, EX, [1.0], [])


# known[0] and a are one array: the scale is 0.001
def attack_array_in_list(data, rng):
    known = [np.ones(1)]
    a = known[0]
    a *= 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=known[0], size=1)


add(attack_array_in_list, np.array(EX), np.array([1.0]), np.array([0.0]))


# the loop changes the array that is in the list
def attack_array_by_for(data, rng):
    known = [np.ones(1)]
    for a in known:
        a *= 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=known[0], size=1)


add(attack_array_by_for, np.array(EX), np.array([1.0]), np.array([0.0]))


# the list grows with the records; the proof's does not: the exact number of records is returned
def attack_cells_extended(data, rng):
    counts = [0.0]
    for x in data:
        counts[0] += 1
        counts.extend([1.0])
    return counts[0] + rng.laplace(scale=1.0), len(counts)


add(attack_cells_extended, EX, [1.0], [])


# a default is changed in place and stays: the scale is 0.001
def attack_default_array(data, rng):
    def shrink(v=np.ones(1)):
        v *= 0.001
        return v

    shrink()
    scale = shrink() * 1000
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=scale, size=1)


add(attack_default_array, np.array(EX), np.array([1.0]), np.array([0.0]))


ZERO = np.int8(0)


# int8 + 1 wraps at 128
def attack_int8_start(data, rng):
    total = ZERO
    for x in data:
        total += 1
    return total + rng.laplace(scale=1.0)


add(attack_int8_start, EX, [1.0] * 128, [1.0] * 127)


# 0 + numpy.int8 is int8: a running total wraps at 128
def attack_int8_loop(data, rng):
    total = 0
    for x in data:
        total += x
    return total + rng.laplace(scale=128.0)


add(
    attack_int8_loop, np.array([1, 2], dtype=np.int8), np.array([127, 1], dtype=np.int8), np.array([127], dtype=np.int8)
)


# Python's sum of an int8 array wraps at 128
def attack_int8_python_sum(data, rng):
    return sum(data) + rng.laplace(scale=128.0)


add(
    attack_int8_python_sum,
    np.array([1, 2], dtype=np.int8),
    np.array([127, 1], dtype=np.int8),
    np.array([127], dtype=np.int8),
)


# Python's sum of a uint8 array wraps at 256: 0 instead of 256
def attack_uint8_python_sum(data, rng):
    return sum(data) + rng.laplace(scale=1.0)


add(
    attack_uint8_python_sum,
    np.array([1, 0], dtype=np.uint8),
    np.ones(256, dtype=np.uint8),
    np.ones(255, dtype=np.uint8),
    bounds=(0, 1),
)


# logical_and(-3, -3) is True; the rule takes the minimum: not above 0, False
def attack_logical_and_of_numbers(data, rng):
    return np.where(np.logical_and(data, data), data, 0).sum() + rng.laplace(scale=1e-9)


add(attack_logical_and_of_numbers, np.array([-3.0, -2.0]), np.array([-3.0]), np.array([]), bounds=(-3, -2))


# logical_not(-3) is False; the rule 1 - (-3) = 4 says True
def attack_logical_not_of_numbers(data, rng):
    return np.where(np.logical_not(data), 0, data).sum() + rng.laplace(scale=1e-9)


add(attack_logical_not_of_numbers, np.array([-3.0, -2.0]), np.array([-3.0]), np.array([]), bounds=(-3, -2))


# uint8 @ uint8 is uint8: it wraps at 256
def attack_gram_of_uint8(data, rng):
    return data.T @ data + rng.laplace(scale=4.0, size=(2, 2))


add(
    attack_gram_of_uint8,
    np.ones((2, 2), dtype=np.uint8),
    np.ones((256, 2), dtype=np.uint8),
    np.ones((255, 2), dtype=np.uint8),
    records="row(2, int(0, 1))",
)


# int64 @ int64 wraps; the proof computes with doubles
def attack_matmul_int64(data, rng):
    counts, _ = np.histogram(data, bins=2, range=(0, 1))
    return counts @ np.array([2**62, 0]) + rng.laplace(scale=2.0**62)


add(attack_matmul_int64, np.array(EX), np.array([0.0, 0.0]), np.array([0.0]))


# numpy.log(0) prints a warning where there is a record
def attack_warning_in_loop(data, rng):
    total = 0.0
    for x in data:
        y = np.log(np.zeros(1))
        total += 1
    return total + rng.laplace(scale=1.0)


add(attack_warning_in_loop, EX, [0.0], [])


# uint8 += uint8 wraps at 256; the proof sums in uint64
def attack_uint8_accumulator(data, rng):
    total = np.zeros(2, dtype="uint8")
    for row in data:
        total += row
    return total + rng.laplace(scale=2.0, size=2)


add(
    attack_uint8_accumulator,
    np.ones((2, 2), dtype=np.uint8),
    np.ones((256, 2), dtype=np.uint8),
    np.ones((255, 2), dtype=np.uint8),
    records="row(2, int(0, 1))",
)


# numpy.asarray of ints is int64: /= raises UFuncTypeError; of an empty list it is float64
def attack_int_list_in_place(data, rng):
    x = np.asarray(data) * 1
    x /= 2
    return x.sum() + rng.laplace(scale=1.0)


add(attack_int_list_in_place, [1, 2], [1], [], bounds=(0, 2))


# 2**53 + 1 lies between two doubles: in both counts, but in no piece of the domain
def attack_between_doubles(data, rng):
    above = sum(1 for x in data if x > 9007199254740992.0)
    below = sum(1 for x in data if x < 9007199254740994.0)
    return above + rng.laplace(scale=1.0), below + rng.laplace(scale=1.0)


add(attack_between_doubles, [1, 2], [2**53 + 1], [])


STATE = np.array([0.5])


# out= changes a global: the scale is squared with each call
def attack_global_by_out(data, rng):
    scale = STATE[0] * 2
    np.square(STATE, out=STATE)
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=scale)


add(attack_global_by_out, np.array(EX), np.array([1.0]), np.array([0.0]), claim="PureDP(epsilon=2)")


# axis=5 raises AxisError; the rule takes it modulo the dimensions
def attack_row_axis(data, rng):
    total = 0.0
    for row in data:
        total += min(max(0.0, row.sum(axis=5)), 1.0)
    return total + rng.laplace(scale=1.0)


add(attack_row_axis, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-3, 3))")


# float(value=x) raises TypeError; the rule's own parameter is called value
def attack_keyword_of_rule(data, rng):
    return sum(float(value=x) for x in data) + rng.laplace(scale=1.0)


add(attack_keyword_of_rule, EX, [1.0], [], bounds=(0, 1))


def attack_freed_id_3(data, rng):
    # the id of a freed State is in `fresh` still: a view that gets it may be changed in place (by chance of the memory)
    t0 = np.zeros((2, 2))
    t1 = np.zeros((2, 2))
    t2 = np.zeros((2, 2))
    for row in data:
        t0 += np.clip(np.nan_to_num(row), 0, 1)
        t1 += np.clip(np.nan_to_num(row), 0, 1)
        t2 += np.clip(np.nan_to_num(row), 0, 1)
    part = t0.T
    part *= 1000.0
    return t0 + rng.laplace(scale=4.0, size=(2, 2))


add(attack_freed_id_3, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)))


def attack_freed_id_6(data, rng):
    # the id of a freed State is in `fresh` still: a view that gets it may be changed in place (by chance of the memory)
    t0 = np.zeros((2, 2))
    t1 = np.zeros((2, 2))
    t2 = np.zeros((2, 2))
    t3 = np.zeros((2, 2))
    t4 = np.zeros((2, 2))
    t5 = np.zeros((2, 2))
    for row in data:
        t0 += np.clip(np.nan_to_num(row), 0, 1)
        t1 += np.clip(np.nan_to_num(row), 0, 1)
        t2 += np.clip(np.nan_to_num(row), 0, 1)
        t3 += np.clip(np.nan_to_num(row), 0, 1)
        t4 += np.clip(np.nan_to_num(row), 0, 1)
        t5 += np.clip(np.nan_to_num(row), 0, 1)
    part = t0.T
    part *= 1000.0
    return t0 + rng.laplace(scale=4.0, size=(2, 2))


add(attack_freed_id_6, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)))


# the module has builtins of its own: min is not Python's min
add(attack_own_builtins, EX, [0.5], [])
