"""Functions that attack the derivation, by one who knows its rules: none was ever proved."""

import collections
import decimal
import fractions
import functools
import math

import numpy as np

ATTACKS = {}
PAIRS = {}
EX = [0.2, 0.9, 0.5]
ARR = np.array(EX)
INTS = np.array([1, 2, 3])


def add(f, data, d0=None, d1=None, claim="PureDP(epsilon=1)", relation="add-remove", **kw):
    ATTACKS[f.__name__] = {"claim": claim, "data": data, "relation": relation, **kw}
    PAIRS[f.__name__] = (d0, d1)


# Missing array.
def attack_missing_array(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)


add(attack_missing_array, np.array(EX), np.array([np.nan]), np.array([]), records="missing(float(0, 1))")


def attack_int_range_of_floats(data, rng):
    # bounds of floats for an example of ints
    return sum(data) + (rng.geometric(0.9) - rng.geometric(0.9))


add(attack_int_range_of_floats, [0, 1], bounds=(0.0, 1.5), claim="PureDP(epsilon=4)")


# Ones of kind int.
def attack_ones_of_kind_int(data, rng):
    x = [1 if v > 0.5 else 0.5 for v in data]
    return sum(x) + (rng.geometric(0.9) - rng.geometric(0.9))


add(attack_ones_of_kind_int, EX, claim="PureDP(epsilon=3)")


# Bool column in dict.
def attack_bool_column_in_dict(data, rng):
    total = 0
    for row in data:
        total = total + row["b"] + row["b"]
    return total + rng.laplace(scale=1.0)


add(attack_bool_column_in_dict, [{"b": True}], [{"b": True}], [])


# Sum of array list start.
def attack_sum_of_array_list_start(data, rng):
    return sum(data, np.int8(0)) + rng.laplace(scale=1.0)


add(attack_sum_of_array_list_start, [0, 1], [1] * 128, [1] * 127, bounds=(0, 1))


# Closure default.
def attack_closure_default(data, rng):
    def keep(x, seen=[0.0]):
        seen[0] = seen[0] + 1.0
        return seen[0]

    total = 0.0
    for x in data:
        total += min(keep(x), 1.0)
    return total + rng.laplace(scale=1.0)


add(attack_closure_default, EX)


# Cells by closure.
def attack_cells_by_closure(data, rng):
    counts = [0.0]

    def current():
        return counts[0]

    total = 0.0
    for x in data:
        counts[0] += 1.0
        total += min(1.0, max(0.0, x))
    return current() * 1.0 + rng.laplace(scale=1e-3)


add(attack_cells_by_closure, EX)


def attack_appending_by_closure(data, rng):
    # the closure reads the name after the loop
    known = []

    def size():
        return len(known)

    for x in data:
        known.append(x)
    return size()


add(attack_appending_by_closure, EX)


# Appending in argument.
def attack_appending_in_argument(data, rng):
    def fill(known):
        for x in data:
            known.append(x)
        return 0

    return fill([]), (lambda known: [fill(known), len(known)])([])


add(attack_appending_in_argument, EX, [1.0], [])


def attack_bounds_of_columns(data, rng):
    # y is up to 5
    X, y = data
    return y.sum() + rng.laplace(scale=2.0)


add(attack_bounds_of_columns, (np.ones((3, 2)), np.ones(3)), bounds={"X[0]": (0, 1), "X[1]": (0, 2), "y": (0, 5)})


def attack_view_after_loop(data, rng):
    # is a freed id taken for a fresh array?
    total = np.zeros(2)
    for row in data:
        total += np.clip(np.nan_to_num(row), 0, 1)
    part = total[:]
    part *= 1000.0
    return total + rng.laplace(scale=2.0, size=2)


add(attack_view_after_loop, np.ones((2, 2)))


# Rows after loop.
def attack_rows_after_loop(data, rng):
    total = np.zeros((2, 2))
    for row in data:
        total += np.clip(np.nan_to_num(row), 0, 1)
    for part in total:
        part *= 1000.0
    return total + rng.laplace(scale=4.0, size=(2, 2))


add(attack_rows_after_loop, np.ones((2, 2)))


class Matrix(np.ndarray):
    pass


MATRIX = np.eye(2).view(Matrix)


MASKED = np.ma.masked_array([1.0], mask=[False], fill_value=0.001)


class Loud(np.ndarray):
    def __rmul__(self, other):
        return 1000.0 * np.asarray(other)


# Array subclass.
def attack_array_subclass(data, rng):
    return (np.clip(np.nan_to_num(data), 0, 1) * LOUD).sum() + rng.laplace(scale=1.0)


LOUD = np.array(1.0).view(Loud)


add(attack_array_subclass, np.array(EX))


# Fraction.
def attack_fraction(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=HALF)


HALF = fractions.Fraction(1, 1000)


add(attack_fraction, EX)


# Decimal.
def attack_decimal(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=SMALL_DECIMAL)


SMALL_DECIMAL = decimal.Decimal("0.001")


add(attack_decimal, EX)


# Named tuple.
def attack_named_tuple(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=PARAMETERS.scale)


Parameters = collections.namedtuple("Parameters", "scale")


PARAMETERS = Parameters(0.001)


add(attack_named_tuple, EX)


class Numpy64(np.float64):
    def __rmul__(self, other):
        return 1000.0 * float(other)

    def __radd__(self, other):
        return 1000.0 * float(other)


NUMPY64 = Numpy64(1.0)


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


class Private:
    def scale(self):
        return self.__value

    def __init__(self):
        self.__dict__["__value"] = 1.0
        self.__value = 0.001


HIDDEN = Private()


# Defaultdict.
def attack_defaultdict(data, rng):
    counts = collections.defaultdict(float)
    for x in data:
        counts["a"] += 1.0
    return counts


add(attack_defaultdict, EX)


def attack_sum_of_row_int8(data, rng):
    # Python's sum of an int8 row
    total = 0.0
    for row in data:
        total += sum(row)
    return total + rng.laplace(scale=256.0)


add(
    attack_sum_of_row_int8,
    np.ones((2, 2), dtype=np.int8),
    np.array([[127, 127]], dtype=np.int8),
    np.ones((0, 2), dtype=np.int8),
)


def attack_random_high_low(data, rng):
    # noise of a released, random sign and size 0
    k = rng.integers(0, 1)
    return np.clip(np.nan_to_num(data), 0, 1).sum() + k * rng.laplace(scale=1.0)


add(attack_random_high_low, np.array(EX))


# Random scale.
def attack_random_scale(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=1.0 + rng.random())


add(attack_random_scale, np.array(EX), claim="PureDP(epsilon=0.9)")


# Private through random.
def attack_private_through_random(data, rng):
    return rng.uniform(0, np.clip(np.nan_to_num(data), 0, 1).sum())


add(attack_private_through_random, np.array(EX))


# Noise at private place.
def attack_noise_at_private_place(data, rng):
    return rng.laplace(np.clip(np.nan_to_num(data), 0, 1).sum(), 0.5)


add(attack_noise_at_private_place, np.array(EX))


# Negative index of bins.
def attack_negative_index_of_bins(data, rng):
    h, e = np.histogram(data, bins=4, range=(0, 1))
    return h[-1], h + rng.laplace(scale=1.0, size=4)


add(attack_negative_index_of_bins, np.array(EX))


def attack_sums_of_neighbouring_bins(data, rng):
    # each record is in two of them
    h, e = np.histogram(data, bins=4, range=(0, 1))
    return (h[:-1] + h[1:]) + rng.laplace(scale=1.0, size=3)


add(attack_sums_of_neighbouring_bins, np.array(EX))


# Bins repeated.
def attack_bins_repeated(data, rng):
    h, e = np.histogram(data, bins=2, range=(0, 1))
    return np.array([h[0], h[0], h[1]]) + rng.laplace(scale=1.0, size=3)


add(attack_bins_repeated, np.array(EX))


def clipped(data):
    return np.clip(np.nan_to_num(data), 0, 1)


def attack_broadcast_noise(data, rng):
    # one draw for four counts: differences of counts are exact
    h, e = np.histogram(data, bins=4, range=(0, 1))
    return h + rng.laplace(scale=1.0)


add(attack_broadcast_noise, ARR)


def attack_same_draw_twice(data, rng):
    # a - b is exact
    z = rng.laplace(scale=1.0)
    return clipped(data).sum() + z, z + len(data)


add(attack_same_draw_twice, ARR)


# Same draw by index.
def attack_same_draw_by_index(data, rng):
    z = rng.laplace(scale=1.0, size=2)
    return clipped(data).sum() + z[0], len(data) + z[-2]


add(attack_same_draw_by_index, ARR)


# Same draw by slice.
def attack_same_draw_by_slice(data, rng):
    z = rng.laplace(scale=3.0, size=3)
    h, e = np.histogram(data, bins=2, range=(0, 1))
    return h + z[0:2], h + z[1:3]


add(attack_same_draw_by_slice, ARR)


# Same draw reversed.
def attack_same_draw_reversed(data, rng):
    z = rng.laplace(scale=3.0, size=2)
    h, e = np.histogram(data, bins=2, range=(0, 1))
    return h + z, h + z[::-1]


add(attack_same_draw_reversed, ARR)


# Same draw in list.
def attack_same_draw_in_list(data, rng):
    z = [rng.laplace(scale=3.0)] * 2
    return [clipped(data).sum() + each for each in z]


add(attack_same_draw_in_list, ARR)


# Same draw stacked.
def attack_same_draw_stacked(data, rng):
    z = rng.laplace(scale=3.0)
    h, e = np.histogram(data, bins=2, range=(0, 1))
    return h + np.array([z, z])


add(attack_same_draw_stacked, ARR)


# Draw returned.
def attack_draw_returned(data, rng):
    z = rng.laplace(scale=1.0)
    return clipped(data).sum() + z, 1.0 * z + 0.0


add(attack_draw_returned, ARR)


# Cancelled.
def attack_cancelled(data, rng):
    z = rng.laplace(scale=1.0)
    return clipped(data).sum() + (z - z)


add(attack_cancelled, ARR)


# Cancelled later.
def attack_cancelled_later(data, rng):
    z = rng.laplace(scale=1.0)
    return (clipped(data).sum() + z) - z


add(attack_cancelled_later, ARR)


# Scaled by zero.
def attack_scaled_by_zero(data, rng):
    return clipped(data).sum() + 0 * rng.laplace(scale=1.0)


add(attack_scaled_by_zero, ARR)


def attack_scaled_by_released(data, rng):
    # the released factor may be 0
    t = len(data) + rng.laplace(scale=2.0)
    return clipped(data).sum() + max(t, 0.0) * rng.laplace(scale=2.0)


add(attack_scaled_by_released, ARR)


# Scale of released.
def attack_scale_of_released(data, rng):
    t = len(data) + rng.laplace(scale=2.0)
    return clipped(data).sum() + rng.laplace(scale=abs(t))


add(attack_scale_of_released, ARR)


# Private scale.
def attack_private_scale(data, rng):
    return clipped(data).sum() + rng.laplace(scale=1.0 + len(data))


add(attack_private_scale, ARR)


# Smooth looking scale.
def attack_smooth_looking_scale(data, rng):
    return np.sum(data) + rng.laplace(scale=np.max(data))


add(attack_smooth_looking_scale, ARR, bounds=(0, 1))


# Branch on sum.
def attack_branch_on_sum(data, rng):
    s = clipped(data).sum()
    if s > 3:
        return 0.0
    return s + rng.laplace(scale=1.0)


add(attack_branch_on_sum, ARR)


# Branch on length.
def attack_branch_on_length(data, rng):
    if len(data) == 0:
        return 0.0
    return clipped(data).sum() + rng.laplace(scale=1.0)


add(attack_branch_on_length, ARR)


# Length returned.
def attack_length_returned(data, rng):
    return len(data), clipped(data).sum() + rng.laplace(scale=1.0)


add(attack_length_returned, ARR)


# Shape returned.
def attack_shape_returned(data, rng):
    return clipped(data).sum() + rng.laplace(scale=1.0, size=data.shape)


add(attack_shape_returned, ARR)


# Zeros of length.
def attack_zeros_of_length(data, rng):
    return np.zeros(len(data)) + rng.laplace(scale=1.0)


add(attack_zeros_of_length, ARR)


# Nan record.
def attack_nan_record(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)


add(attack_nan_record, ARR, np.array([np.nan]), np.array([]))


def attack_python_min_nan(data, rng):
    # min(max(nan, 0), 1) is nan
    return sum(min(max(x, 0), 1) for x in data) + rng.laplace(scale=1.0)


add(attack_python_min_nan, EX, [float("nan")], [])


# Nan to num only.
def attack_nan_to_num_only(data, rng):
    return np.nan_to_num(data).sum() + rng.laplace(scale=1.0)


add(attack_nan_to_num_only, ARR)


def attack_where_with_nan(data, rng):
    # a NaN is not above 1, so it stays
    return np.where(data > 1, 1, np.where(data < 0, 0, data)).sum() + rng.laplace(scale=1.0)


add(attack_where_with_nan, ARR)


def attack_replace_needs_twice(data, rng):
    # [-1, 1] is 2 wide where one record is replaced
    return np.clip(np.nan_to_num(data), -1, 1).sum() + rng.laplace(scale=1.0)


add(attack_replace_needs_twice, ARR, relation="replace")


# Mean private size.
def attack_mean_private_size(data, rng):
    return np.mean(clipped(data)) + rng.laplace(scale=1 / len(data))


add(attack_mean_private_size, ARR)


# Mean wrong power.
def attack_mean_wrong_power(data, rng):
    return np.mean(clipped(data)) + rng.laplace(scale=1 / len(data) ** 2)


add(attack_mean_wrong_power, ARR, relation="replace")


# Mean wrong power2.
def attack_mean_wrong_power2(data, rng):
    n = len(data)
    return np.mean(clipped(data)) + rng.laplace(scale=1 / n / n)


add(attack_mean_wrong_power2, ARR, relation="replace")


# Mean times n.
def attack_mean_times_n(data, rng):
    n = len(data)
    return np.mean(clipped(data)) * n + rng.laplace(scale=1 / n)


add(attack_mean_times_n, ARR, relation="replace")


# Scale with constant over n.
def attack_scale_with_constant_over_n(data, rng):
    return np.mean(clipped(data)) + rng.laplace(scale=0.5 / len(data))


add(attack_scale_with_constant_over_n, ARR, relation="replace")


# Centred.
def attack_centred(data, rng):
    x = clipped(data)
    return np.abs(x - x.mean()).sum() + rng.laplace(scale=1.0)


add(attack_centred, ARR, relation="replace")


# Pairs.
def attack_pairs(data, rng):
    total = 0.0
    for x in data:
        for y in data:
            total += min(max(0.0, x - y), 1.0)
    return total + rng.laplace(scale=1.0)


add(attack_pairs, EX)


# Enumerate.
def attack_enumerate(data, rng):
    return sum(i for i, x in enumerate(data)) + rng.laplace(scale=1.0)


add(attack_enumerate, EX)


# First record.
def attack_first_record(data, rng):
    return data[0] + rng.laplace(scale=1.0)


add(attack_first_record, ARR, bounds=(0, 1))


# Last of loop.
def attack_last_of_loop(data, rng):
    last = 0.0
    for x in data:
        last = min(max(0.0, x), 1.0)
    return last


add(attack_last_of_loop, EX)


# Early end.
def attack_early_end(data, rng):
    total = 0.0
    for x in data:
        if x > 1:
            break
        total += min(max(0.0, x), 1.0)
    return total + rng.laplace(scale=1.0)


add(attack_early_end, EX)


# Early return.
def attack_early_return(data, rng):
    for x in data:
        if x > 1:
            return 1.0
    return 0.0


add(attack_early_return, EX)


# Square of sum.
def attack_square_of_sum(data, rng):
    s = clipped(data).sum()
    return s * s + rng.laplace(scale=1.0)


add(attack_square_of_sum, ARR)


# Ratio of sums.
def attack_ratio_of_sums(data, rng):
    return clipped(data).sum() / len(data) + rng.laplace(scale=1.0)


add(attack_ratio_of_sums, ARR)


# Max of counts.
def attack_max_of_counts(data, rng):
    h, e = np.histogram(data, bins=4, range=(0, 1))
    return np.argmax(h)


add(attack_max_of_counts, ARR)


# Histogram auto.
def attack_histogram_auto(data, rng):
    h, e = np.histogram(data)
    return h + rng.laplace(scale=1.0, size=10)


add(attack_histogram_auto, ARR)


# Bincount length.
def attack_bincount_length(data, rng):
    h = np.bincount(data)
    return h + rng.laplace(scale=1.0, size=len(h))


add(attack_bincount_length, INTS)


# Bincount beyond.
def attack_bincount_beyond(data, rng):
    return np.bincount(np.minimum(np.maximum(data, 0), 4), minlength=4) + rng.laplace(scale=1.0, size=4)


add(attack_bincount_beyond, np.array([1, 2], dtype=np.int8))


# Bincount negative.
def attack_bincount_negative(data, rng):
    return np.bincount(np.minimum(data, 3), minlength=4) + rng.laplace(scale=1.0, size=4)


add(attack_bincount_negative, np.array([1, 2], dtype=np.int8))


# Overlapping counts.
def attack_overlapping_counts(data, rng):
    a = np.count_nonzero(data < 0.5)
    b = np.count_nonzero(data <= 0.5)
    return a + rng.laplace(scale=1.0), b + rng.laplace(scale=1.0)


add(attack_overlapping_counts, ARR)


# Equal counted twice.
def attack_equal_counted_twice(data, rng):
    a = np.count_nonzero(data >= 0.5)
    b = np.count_nonzero(data <= 0.5)
    return a + rng.laplace(scale=1.0), b + rng.laplace(scale=1.0)


add(attack_equal_counted_twice, ARR)


def attack_not_disjoint_with_nan(data, rng):
    # NaN is in neither of <, >=; in both negations
    a = np.count_nonzero(~(data < 0.5))
    b = np.count_nonzero(~(data >= 0.5))
    return a + rng.laplace(scale=1.0), b + rng.laplace(scale=1.0)


add(attack_not_disjoint_with_nan, ARR)


# Mask of other mask.
def attack_mask_of_other_mask(data, rng):
    x = data[data > 0]
    y = data[data < 1]
    return np.clip(np.nan_to_num(x + y), 0, 1).sum() + rng.laplace(scale=1.0)


add(attack_mask_of_other_mask, ARR)


# Mask lengths.
def attack_mask_lengths(data, rng):
    x = data[data > 0]
    return clipped(x).mean() + rng.laplace(scale=1.0)


add(attack_mask_lengths, ARR, relation="replace")


# Norm of other rows.
def attack_norm_of_other_rows(data, rng):
    n = np.linalg.norm(data[:, :1], axis=1, keepdims=True)
    return (data / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, size=2)


add(attack_norm_of_other_rows, np.ones((3, 2)), claim="GDP(mu=1)", records="row(2, float(-3, 3))")


# Norm of square.
def attack_norm_of_square(data, rng):
    n = np.linalg.norm(data * data, axis=1, keepdims=True)
    return (data / np.maximum(n, 1.0)).sum(axis=0) + rng.normal(0, 1.0, size=2)


add(attack_norm_of_square, np.ones((3, 2)), claim="GDP(mu=1)", records="row(2, float(-1, 1))")


# L1 with gaussian norm.
def attack_l1_with_gaussian_norm(data, rng):
    n = np.linalg.norm(data, axis=1, keepdims=True)
    return (data / np.maximum(n, 1.0)).sum(axis=0) + rng.laplace(scale=1.0, size=2)


add(attack_l1_with_gaussian_norm, np.ones((3, 2)), records="row(2, float(-3, 3))")


# Whole norm.
def attack_whole_norm(data, rng):
    return (data / np.maximum(np.linalg.norm(data), 1.0)).sum(axis=0) + rng.normal(0, 1.0, size=2)


add(attack_whole_norm, np.ones((3, 2)), claim="GDP(mu=1)", records="row(2, float(-3, 3))")


# Matrix.
def attack_matrix(data, rng):
    return (data @ np.array([[2.0, 0.0], [0.0, 1.0]])).sum(axis=0) + rng.normal(0, 1.0, size=2)


add(attack_matrix, np.full((3, 2), 0.1), claim="GDP(mu=1)", records="row(2, norm<=1)")


# Matrix with nan.
def attack_matrix_with_nan(data, rng):
    return (data @ np.array([[np.nan, 0.0], [0.0, 1.0]])).sum(axis=0) + rng.normal(0, 1.0, size=2)


add(attack_matrix_with_nan, np.full((3, 2), 0.1), claim="GDP(mu=1)", records="row(2, float(0, 0.5))")


# Int8 arithmetic.
def attack_int8_arithmetic(data, rng):
    return np.abs(data).sum() + rng.laplace(scale=127.0)


add(attack_int8_arithmetic, np.array([1, 2], dtype=np.int8))


# Int8 plus.
def attack_int8_plus(data, rng):
    return np.minimum(data + 100, 1).sum() + rng.laplace(scale=28.0)


add(attack_int8_plus, np.array([1, 2], dtype=np.int8))


# Int64 sum.
def attack_int64_sum(data, rng):
    return data.sum() + rng.laplace(scale=2.0**63)


add(attack_int64_sum, INTS)


# Float32 sum.
def attack_float32_sum(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)


add(attack_float32_sum, np.array(EX, dtype=np.float32), bounds=(0, 1))


def attack_path_costs(data, rng):
    # the second path costs more
    t = len(data) + rng.laplace(scale=2.0)
    if t > 5:
        return clipped(data).sum() + rng.laplace(scale=2.0)
    return clipped(data).sum() + rng.laplace(scale=0.5)


add(attack_path_costs, ARR)


def attack_many_until(data, rng):
    # as many releases as it takes
    x = len(data) + rng.laplace(scale=1.0)
    while x < 5:
        x = len(data) + rng.laplace(scale=1.0)
    return x


add(attack_many_until, ARR)


# Negative scale.
def attack_negative_scale(data, rng):
    return clipped(data).sum() + (-0.001) * rng.laplace(scale=1.0)


add(attack_negative_scale, ARR)


# Vector scale.
def attack_vector_scale(data, rng):
    h, e = np.histogram(data, bins=2, range=(0, 1))
    return h + rng.laplace(scale=np.array([1.0, 0.01]), size=2)


add(attack_vector_scale, ARR)


# Vector scale shorter.
def attack_vector_scale_shorter(data, rng):
    s = clipped(data).sum()
    return s + rng.laplace(scale=np.array([1.0, 1.0]))


add(attack_vector_scale_shorter, ARR)


def attack_changes_caller(data, rng):
    # the caller's list grows by what was released, and by its length
    data.append(1.0)
    return 0.0


add(attack_changes_caller, EX)


# Changes array.
def attack_changes_array(data, rng):
    data[:] = 0
    return 0.0


add(attack_changes_array, ARR)


# Changes row.
def attack_changes_row(data, rng):
    for row in data:
        row[0] = 0.0
    return 0.0


add(attack_changes_row, np.ones((2, 2)))


# Changes in place.
def attack_changes_in_place(data, rng):
    data *= 2
    return 0.0


add(attack_changes_in_place, ARR)


SEEN = []


# Changes global.
def attack_changes_global(data, rng):
    for x in data:
        SEEN.append(x)
    return 0.0


add(attack_changes_global, EX)


# Function attribute.
def attack_function_attribute(data, rng):
    attack_function_attribute.total = sum(min(max(0.0, x), 1.0) for x in data)
    return 0.0


add(attack_function_attribute, EX)


class Holder:
    def __init__(self):
        self.total = 0.0
        self.scale = 1.0

    def __call__(self, data, rng):
        # the scale shrinks with each call
        self.scale = self.scale / 2
        return clipped(data).sum() + rng.laplace(scale=self.scale)


attack_instance = Holder()


attack_instance.__name__ = "attack_instance"


add(attack_instance, ARR)


class Computed:
    def __getattr__(self, name):
        return 0.001


COMPUTED = Computed()


# Getattr.
def attack_getattr(data, rng):
    return clipped(data).sum() + rng.laplace(scale=COMPUTED.scale)


add(attack_getattr, ARR)


class Slots:
    __slots__ = ("scale",)


SLOTS = Slots()


SLOTS.scale = 0.001


# Slots.
def attack_slots(data, rng):
    return clipped(data).sum() + rng.laplace(scale=SLOTS.scale)


add(attack_slots, ARR)


def shrinking(function):
    def wrapper(data, rng):
        return 1000.0 * (function(data, rng))

    return wrapper


def leaking(function):
    def wrapper(data, rng):
        return function(data, rng), clipped(data).sum()

    return wrapper


# Decorated.
@leaking
def attack_decorated(data, rng):
    return clipped(data).sum() + rng.laplace(scale=1.0)


attack_decorated.__name__ = "attack_decorated"


add(attack_decorated, ARR)


def attack_recursion(data, rng, depth=0):
    # three releases of 1/2 each
    s = clipped(data).sum() + rng.laplace(scale=2.0)
    return s if depth == 2 else attack_recursion(data, rng, depth + 1)


add(attack_recursion, ARR)


# Seeded.
def attack_seeded(data):
    rng = np.random.default_rng(0)
    return clipped(data).sum() + rng.laplace(scale=1.0)


add(attack_seeded, ARR)


def attack_generator_kept(data, rng):
    # gone through once
    g = (min(max(0.0, x), 1.0) for x in data)
    return sum(g) - sum(g) + rng.laplace(scale=1e-6)


add(attack_generator_kept, EX)


# Geometric one sided.
def attack_geometric_one_sided(data, rng):
    return len(data) + rng.geometric(0.6)


add(attack_geometric_one_sided, EX)


# Geometric of floats.
def attack_geometric_of_floats(data, rng):
    return sum(data) + (rng.geometric(0.6) - rng.geometric(0.6))


add(attack_geometric_of_floats, EX, bounds=(0, 1))


# Geometric of halves.
def attack_geometric_of_halves(data, rng):
    return len(data) * 0.5 + (rng.geometric(0.6) - rng.geometric(0.6))


add(attack_geometric_of_halves, EX)


# Geometric two probabilities.
def attack_geometric_two_probabilities(data, rng):
    return len(data) + (rng.geometric(0.9) - rng.geometric(0.6))


add(attack_geometric_two_probabilities, EX)


# Uniform noise.
def attack_uniform_noise(data, rng):
    return clipped(data).sum() + rng.uniform(-10, 10)


add(attack_uniform_noise, ARR)


# Noise on records.
def attack_noise_on_records(data, rng):
    return (data + rng.laplace(scale=1.0, size=len(data))).sum()


add(attack_noise_on_records, ARR, bounds=(0, 1))


# Noise on each.
def attack_noise_on_each(data, rng):
    return [min(max(0.0, x), 1.0) + rng.laplace(scale=1.0) for x in data]


add(attack_noise_on_each, EX)


# Gaussian pure.
def attack_gaussian_pure(data, rng):
    return clipped(data).sum() + rng.normal(0, 100.0)


add(attack_gaussian_pure, ARR)


def attack_released_bound(data, rng):
    # the bound is released, and may be large
    top = len(data) + rng.laplace(scale=2.0)
    return np.clip(np.nan_to_num(data), 0, top).sum() + rng.laplace(scale=2.0)


add(attack_released_bound, ARR)


def attack_released_bound_used_as_scale(data, rng):
    # the bound may be negative, or below 1
    top = max(1.0, len(data) + rng.laplace(scale=2.0))
    return np.clip(np.nan_to_num(data), -top, top).sum() + rng.laplace(scale=2.0)


add(attack_released_bound_used_as_scale, ARR)


# Released condition.
def attack_released_condition(data, rng):
    t = len(data) + rng.laplace(scale=2.0)
    return sum(1 if t > 0 else 1000 for x in data) + rng.laplace(scale=2.0)


add(attack_released_condition, EX)


# Scatter.
def attack_scatter(data, rng):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    return {k: v + rng.laplace(scale=1.0) for k, v in counts.items()}


add(attack_scatter, EX)


# Keys.
def attack_keys(data, rng):
    return {x: rng.laplace(scale=1.0) for x in data}


add(attack_keys, EX)


# Sorted.
def attack_sorted(data, rng):
    return sorted(data)[0]


add(attack_sorted, EX)


# Median.
def attack_median(data, rng):
    return np.median(data) + rng.laplace(scale=1.0)


add(attack_median, ARR, bounds=(0, 1))


# Variance.
def attack_variance(data, rng):
    return np.var(data) + rng.laplace(scale=1.0)


add(attack_variance, ARR, bounds=(0, 1))


# Exception.
def attack_exception(data, rng):
    try:
        return clipped(data)[5]
    except IndexError:
        return 0.0


add(attack_exception, ARR)


# Assertion.
def attack_assertion(data, rng):
    assert len(data) > 2
    return 0.0


add(attack_assertion, ARR)


# Print.
def attack_print(data, rng):
    print(clipped(data).sum())
    return 0.0


add(attack_print, ARR)


# Yield.
def attack_yield(data, rng):
    for x in data:
        yield x


add(attack_yield, EX)


# Walrus.
def attack_walrus(data, rng):
    total = 0.0
    for x in data:
        total += (y := min(max(0.0, x), 1.0))
    return y


add(attack_walrus, EX)


# String.
def attack_string(data, rng):
    return "%f" % clipped(data).sum()


add(attack_string, ARR)


# Truth of sum.
def attack_truth_of_sum(data, rng):
    return clipped(data).sum() and 1.0


add(attack_truth_of_sum, ARR)


# Comparison returned.
def attack_comparison_returned(data, rng):
    return clipped(data).sum() > 1


add(attack_comparison_returned, ARR)


# Rounded before noise.
def attack_rounded_before_noise(data, rng):
    return round(clipped(data).sum()) + rng.laplace(scale=1.0)


add(attack_rounded_before_noise, ARR)


# Floor of sum.
def attack_floor_of_sum(data, rng):
    return np.floor(clipped(data).sum() / 10) * 10 + rng.laplace(scale=1.0)


add(attack_floor_of_sum, ARR)


def attack_too_little_for_groups(data, rng):
    # each record is in three counts
    out = []
    for t in (0.2, 0.5, 0.8):
        out.append(np.count_nonzero(data < t) + rng.laplace(scale=2.0))
    return out


add(attack_too_little_for_groups, ARR)


# Division by record.
def attack_division_by_record(data, rng):
    return sum(min(1.0, 1.0 / x) for x in data) + rng.laplace(scale=1.0)


add(attack_division_by_record, EX, bounds=(0, 1))


# Log of record.
def attack_log_of_record(data, rng):
    return np.clip(np.log(data), -1, 0).sum() + rng.laplace(scale=1.0)


add(attack_log_of_record, ARR, bounds=(0, 1))


# Infinity minus infinity.
def attack_infinity_minus_infinity(data, rng):
    x = np.maximum(data, 0)
    return np.clip(x - x, 0, 1).sum() + rng.laplace(scale=1.0)


add(attack_infinity_minus_infinity, ARR)


# Zero times infinity.
def attack_zero_times_infinity(data, rng):
    return np.clip(data * 0, 0, 1).sum() + rng.laplace(scale=1e-6)


add(attack_zero_times_infinity, ARR)


# Huge int.
def attack_huge_int(data, rng):
    return sum(min(max(float(x), 0.0), 1.0) for x in data) + rng.laplace(scale=1.0)


add(attack_huge_int, [1, 2], [10**400], [])


# Alias by lambda.
def attack_alias_by_lambda(data, rng):
    known = []
    alias = (lambda: known)()
    for x in data:
        alias.append(x)
    return known


add(attack_alias_by_lambda, EX)


# Alias by closure.
def attack_alias_by_closure(data, rng):
    known = []

    def fill(x):
        known.append(x)

    for x in data:
        fill(x)
    return known


add(attack_alias_by_closure, EX)


# View.
def attack_view(data, rng):
    scale = np.ones(2)
    view = scale[:1]
    view *= 0.001
    return clipped(data).sum() + rng.laplace(scale=scale[0])


add(attack_view, ARR)


# Transposed view.
def attack_transposed_view(data, rng):
    scale = np.ones((2, 2))
    view = scale.T
    view[0, 0] = 0.001
    return clipped(data).sum() + rng.laplace(scale=scale[0, 0])


add(attack_transposed_view, ARR)


# Reshaped view.
def attack_reshaped_view(data, rng):
    scale = np.ones(4)
    view = scale.reshape(2, 2)
    view[0, 0] = 0.001
    return clipped(data).sum() + rng.laplace(scale=scale[0])


add(attack_reshaped_view, ARR)


def attack_int_subclass(data, rng):
    # numpy takes __float__ of a subclass of int
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=SMALL)


class Small(int):
    def __float__(self):
        return 0.001


SMALL = Small(1)


add(attack_int_subclass, EX)


# List subclass.
def attack_list_subclass(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=SCALES[0])


class Scales(list):
    def __getitem__(self, place):
        return 0.001


SCALES = Scales([1.0])


add(attack_list_subclass, EX)


# Size not one.
def attack_size_not_one(data, size, rng):
    return clipped(data).sum() + rng.laplace(scale=1.0 / 1000 ** (size), size=size)


add(attack_size_not_one, ARR)


attack_partial = functools.partial(lambda scale, data, rng: clipped(data).sum() + rng.laplace(scale=scale), 0.001)


attack_partial.__name__ = "attack_partial"


add(attack_partial, ARR)


# Product of columns.
def attack_product_of_columns(data, rng):
    X, y = data
    return X.T @ y + rng.laplace(scale=1.0, size=2)


add(attack_product_of_columns, (np.ones((3, 2)), np.ones(3)))


def attack_other_column(data, rng):
    # the key of the mask is another column
    return data["x"][data["y"] > 0].sum() + rng.laplace(scale=1.0)


add(attack_other_column, {"x": ARR, "y": ARR}, bounds={"y": (0, 1)})


# Number of columns.
def attack_number_of_columns(data, rng):
    return len(data["x"])


add(attack_number_of_columns, {"x": ARR, "y": ARR})


# Sum of lists.
def attack_sum_of_lists(data, rng):
    return sum([[x] for x in data], [])


add(attack_sum_of_lists, EX)


# First key.
def attack_first_key(data, rng):
    return [row["x"] for row in data][0]


add(attack_first_key, [{"x": 1.0}])


def attack_count_then_histogram(data, rng):
    # 1 + 1, claimed 1
    h, e = np.histogram(data, bins=[0.0, 0.5, 1.0])
    return h + rng.laplace(scale=1.0, size=2), len(data) + rng.laplace(scale=1.0)


add(attack_count_then_histogram, ARR)


# Choice wider than shown.
def attack_choice_wider_than_shown(data, rng):
    return sum(data) + rng.laplace(scale=1.0)


add(attack_choice_wider_than_shown, [0.0, 1.0])


def attack_gaussian_delta_zero(data, rng):
    # no Gaussian noise has delta 0
    return clipped(data).sum() + rng.normal(0, 3.7)


add(attack_gaussian_delta_zero, ARR, claim="ApproxDP(epsilon=20, delta=0)")


ROOT = np.array([0.5])


def attack_tan_geometric(data, rng):
    # minus a draw, minus another: no two-sided noise
    first = rng.geometric(0.6)
    return len(data) - rng.geometric(0.6) - first


add(attack_tan_geometric, EX, [1.0], [])


# Float32 nan.
def attack_float32_nan(data, rng):
    z = 0.0 + rng.laplace(scale=1e39, size=3)
    u = np.minimum(np.maximum(float(np.cumsum(z, dtype="float32")[2]), 0.0), 1.0)
    return np.minimum(np.clip(np.nan_to_num(data), 0, 1), u).sum() + rng.laplace(scale=1.0)


add(attack_float32_nan, np.array(EX), np.array([1.0]), np.array([]))


def attack_int_scale(data, rng):
    # round() of a released number: Python's int or NaN
    t = len(data) + rng.laplace(scale=2.0)
    k = min(max(int(t), 1), 5)
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=2.0 / k)


add(attack_int_scale, EX, [1.0], [])


# Solve shape.
def attack_solve_shape(data, rng):
    a = np.eye(2) + rng.laplace(scale=1.0, size=(2, 2))
    u = np.clip(np.nan_to_num(np.linalg.solve(a, np.ones((2, 1)))), 0, 1)
    s = np.clip(np.nan_to_num(data), 0, 1).sum()
    return s * u + rng.laplace(scale=1.0, size=(2, 1))


add(attack_solve_shape, np.array(EX), np.array([1.0]), np.array([]))


# Argmax of released.
def attack_argmax_of_released(data, rng):
    h, e = np.histogram(data, bins=4, range=(0, 1))
    return int(np.argmax(h + rng.laplace(scale=0.5, size=4)))


add(attack_argmax_of_released, np.array(EX), np.array([1.0]), np.array([]))


# Mod warns.
def attack_mod_warns(data, rng):
    total = 0
    t = 0.0 + rng.laplace(scale=1.0)
    for x in data:
        k = math.floor(t * 1e400)
        total += 1
    return total + rng.laplace(scale=1.0)


add(attack_mod_warns, EX, [1.0], [])


# Solve in loop.
def attack_solve_in_loop(data, rng):
    a = np.round(0.0 + rng.laplace(scale=0.5, size=(1, 1)))
    total = 0
    for x in data:
        b = np.linalg.inv(a)
        total += 1
    return total + rng.laplace(scale=1.0)


add(attack_solve_in_loop, EX, [1.0], [])


# Zip of lists live.
def attack_zip_of_lists_live(data, rng):
    known = [1.0, 1.0]
    scale = 1.0
    for i, v in zip([0, 1], known):
        known[1] = 0.001
        scale = v
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=scale)


add(attack_zip_of_lists_live, EX, [1.0], [])


# Reversed live.
def attack_reversed_live(data, rng):
    known = [1.0, 1.0]
    scale = 1.0
    for v in reversed(known):
        known[0] = 0.001
        scale = v
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=scale)


add(attack_reversed_live, EX, [1.0], [])


# Gaussian approx.
def attack_gaussian_approx(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.normal(0, 3.7)


add(attack_gaussian_approx, np.array(EX), claim="ApproxDP(epsilon=1, delta=1e-5)")


# Int32 loop.
def attack_int32_loop(data, rng):
    total = 0
    for x in data:
        total += x
    return total + rng.laplace(scale=2.0**31)


add(
    attack_int32_loop,
    np.array([1, 2], dtype=np.int32),
    np.array([2**31 - 1, 1], dtype=np.int32),
    np.array([2**31 - 1], dtype=np.int32),
)


# Integers shape.
def attack_integers_shape(data, rng):
    s = np.clip(np.nan_to_num(data), 0, 1).sum()
    u = np.clip(rng.integers(np.array([0, 5]), 10), 0, 1)
    return s * u + rng.laplace(scale=1.0), u


add(attack_integers_shape, np.array(EX), np.array([1.0]), np.array([0.0]))


# Alias by conditional.
def attack_alias_by_conditional(data, rng):
    known = []
    alias = (lambda: known)()
    for x in data:
        alias.append(x)
    return known


add(attack_alias_by_conditional, EX, [1.0], [])


# Norm of int8.
def attack_norm_of_int8(data, rng):
    n = np.linalg.norm(data, axis=1, keepdims=True)
    c = data / np.maximum(n, 1.0)
    return c.sum(axis=0) + rng.normal(0, 3.73, size=2)


add(attack_norm_of_int8, np.ones((3, 2), dtype=np.int8), claim="ApproxDP(epsilon=1, delta=1e-5)")


# Norm loop.
def attack_norm_loop(data, rng):
    total = np.zeros(2)
    for row in data:
        total += row * min(1.0, 1.0 / max(np.linalg.norm(row), 1e-12))
    return total + rng.normal(0, 3.73, size=2)


add(attack_norm_loop, np.ones((3, 2)), claim="ApproxDP(epsilon=1, delta=1e-5)", records="row(2, float(-3, 3))")


# Public in place.
def attack_public_in_place(data, rng):
    noisy = np.zeros(2) + rng.laplace(scale=1.0, size=2)
    scales = np.clip(noisy, 1.0, 2.0)
    view = scales[:]
    view[0] = 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=scales[0])


add(attack_public_in_place, np.array(EX))


# Items of public.
def attack_items_of_public(data, rng):
    noisy = np.clip(np.zeros((2, 1)) + rng.laplace(scale=1.0, size=(2, 1)), 1.0, 2.0)
    for row in noisy:
        row *= 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=noisy[0], size=1)


add(attack_items_of_public, np.array(EX))


# Stacked alias.
def attack_stacked_alias(data, rng):
    rows = [np.clip(rng.laplace(scale=1.0, size=1) + np.zeros(1), 1.0, 2.0) * 1.0]
    row = rows[0]
    row *= 0.001
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=rows[0], size=1)


add(attack_stacked_alias, np.array(EX), np.array([1.0]), np.array([]))


# Rdp infinite.
def attack_rdp_infinite(data, rng):
    return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.normal(0, 1e-3)


add(attack_rdp_infinite, np.array(EX), claim="RDP(order=1e300, epsilon=1)")


# Int of row.
def attack_int_of_row(data, rng):
    total = 0.0
    for row in data:
        total += int(row).sum()
    return total + rng.laplace(scale=2.0)


add(attack_int_of_row, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)), records="row(2, float(-1, 1))")


class Spoofed:
    __dict__ = property(lambda self: {"scale": 1.0})


SPOOFED = Spoofed()


SPOOFED.scale = 0.001


class Descriptor:
    def __get__(self, holder, kind):
        return 0.001

    def __delete__(self, holder):
        pass


class WithDescriptor:
    scale = Descriptor()


WITH = WithDescriptor()


WITH.__dict__["scale"] = 1.0


class OwnProperty(property):
    def __get__(self, holder, kind=None):
        return 0.001


class WithProperty:
    @OwnProperty
    def scale(self):
        return 1.0


PROP = WithProperty()


__scale = 1.0


_Mangled__scale = 0.001


class Mangled:
    def __call__(self, data, rng):
        return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=__scale)


class Mangled2:
    def __init__(self):
        setattr(self, "__scale", 1.0)
        self.__scale = 0.001

    def __call__(self, data, rng):
        return np.clip(np.nan_to_num(data), 0, 1).sum() + rng.laplace(scale=self.__scale)


class Factor(float):
    def __rmul__(self, other):
        return 1000.0 * other


FACTOR = Factor(1.0)


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


EIGHT = np.int8(1)


# Bool accumulator.
def attack_bool_accumulator(data, rng):
    total = np.zeros(2, dtype=bool)
    for row in data:
        total += row
    return total + rng.laplace(scale=2.0, size=2)


add(
    attack_bool_accumulator,
    np.ones((2, 2), dtype=np.int64),
    np.ones((1, 2), dtype=np.int64),
    np.ones((0, 2), dtype=np.int64),
    records="row(2, int(0, 1))",
)


GLOBAL = np.array([1.0])


CONFIG = {"scale": np.array([1.0])}


# as attack_freed_id_1: by chance of the memory
def attack_view_by_reused_id(data, rng):
    total = np.zeros(2)
    for row in data:
        total += np.clip(np.nan_to_num(row), 0, 1)
    part = total[:]
    part += 1000 * total
    return total + rng.laplace(scale=2.0, size=2)


add(attack_view_by_reused_id, np.ones((2, 2)), np.ones((1, 2)), np.ones((0, 2)))


# Enumerate live.
def attack_enumerate_live(data, rng):
    known = [1.0, 1.0]
    scale = 1.0
    for i, v in enumerate(known):
        known[1] = 0.001
        scale = v
    return sum(min(max(0, x), 1) for x in data) + rng.laplace(scale=scale)


add(attack_enumerate_live, EX, [1.0], [])


def change(known, v):
    known[1] = 0.001
    return v


G = {"acc": []}


ZERO = np.int8(0)


# Iterator in loop.
def attack_iterator_in_loop(data, rng):
    it = reversed([10.0])
    total = 0.0
    for x in data:
        t = 10.0
        for k in it:
            t -= k
        total += t
    return total + rng.laplace(scale=1e-6)


add(attack_iterator_in_loop, EX, [0.0, 0.0], [0.0])


STATE = np.array([0.5])


# Column reversed mask.
def attack_column_reversed_mask(data, rng):
    t = np.cumsum(rng.laplace(scale=1e39, size=3), dtype="float32")[2]
    u = np.minimum(np.maximum(float(t), 0.0), 1.0)
    return np.minimum(np.clip(np.nan_to_num(data), 0, 1), u).sum() + rng.laplace(scale=1.0)


add(attack_column_reversed_mask, np.array(EX), np.array([1.0]), np.array([]))
