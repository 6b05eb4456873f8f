"""What is done with a noisy histogram: right functions as people write them, and wrong ones that look like them."""

from __future__ import annotations

import numpy as np

LABELS = ("low", "fair", "good", "high")


def noisy_counts(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0] + rng.laplace(0, 1.0, size=4)


def shares(data, rng):
    noisy = np.maximum(noisy_counts(data, rng), 0)
    return noisy / noisy.sum()


def shares_one_by_one(data, rng):
    noisy = noisy_counts(data, rng)
    total = noisy.sum()
    return [float(each / total) for each in noisy]


def shares_in_place(data, rng):
    noisy = np.round(noisy_counts(data, rng))
    noisy = np.maximum(noisy, 0)
    noisy /= noisy.sum()
    return noisy


def softmax(data, rng):
    noisy = np.exp(noisy_counts(data, rng) / 10)
    noisy /= np.sum(noisy)
    return noisy


def synthetic(data, rng):
    noisy = np.clip(noisy_counts(data, rng), 1e-6, None)
    return rng.choice([0.125, 0.375, 0.625, 0.875], size=20, p=noisy / noisy.sum())


def negative_to_zero(data, rng):
    noisy = noisy_counts(data, rng)
    noisy[noisy < 0] = 0
    return noisy


def above_the_mean(data, rng):
    noisy = noisy_counts(data, rng)
    mean = noisy.mean()
    noisy[noisy > mean] = mean
    noisy[0] = 5.0
    return noisy.copy()


def small_ones_unknown(data, rng):
    noisy = noisy_counts(data, rng)
    noisy[noisy < 3.0] = np.nan
    return noisy


def two_of_them(data, rng):
    noisy = noisy_counts(data, rng)
    other = noisy.copy()
    other[other < 0] = 0.0
    other /= max(other.sum(), 1.0)
    return noisy, other


def either_or(data, rng):
    noisy = noisy_counts(data, rng)
    return np.where(noisy > 2.0, noisy, 0.0)


def whole(data, rng):
    noisy = np.rint(noisy_counts(data, rng)).astype(int)
    return {"first": int(noisy[0]), "last": int(noisy[3])}


def median_by_interpolation(data, rng):
    noisy = noisy_counts(data, rng)
    return float(np.interp(0.5, np.cumsum(noisy) / noisy.sum(), [0.25, 0.5, 0.75, 1.0]))


def spread(data, rng):
    noisy = noisy_counts(data, rng)
    return np.var(noisy), np.std(noisy), np.median(noisy), np.quantile(noisy, 0.9), np.percentile(noisy, 25)


def from_the_least(data, rng):
    noisy = np.sort(noisy_counts(data, rng))
    noisy -= noisy.min()
    return noisy


def mean_by_noisy_count(data, rng):
    count = np.sum(data >= 0.0) + rng.laplace(scale=2.0)
    return (np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0)) / count


def label_of_the_largest(data, rng):
    return LABELS[int(np.argmax(noisy_counts(data, rng)))]


def the_largest_itself(data, rng):
    noisy = noisy_counts(data, rng)
    best = int(np.argmax(noisy))
    noisy[best] = 0.0
    return best, noisy


def the_largest_again(data, rng):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    best = np.argmax(counts + rng.laplace(0, 2.0, size=4))
    return int(best), counts[best] + rng.laplace(0, 2.0)


def labels_of_large_ones(data, rng):
    large = noisy_counts(data, rng) > 2
    return [label for label, kept in zip(LABELS, large, strict=True) if kept]


def how_many_are_large(data, rng):
    noisy = noisy_counts(data, rng)
    return int((noisy > 2).sum()), (noisy > 1).mean(), bool(np.any(noisy > 3)), (noisy > 0).all()


def whole_and_not_negative(data, rng):
    noisy = noisy_counts(data, rng)
    return {label: round(max(noisy[place], 0)) for place, label in enumerate(LABELS)}


def table_of_two_columns(data, rng):
    table = noisy_counts(data, rng).reshape(2, 2)
    return table.sum(axis=0), table.T, table.ravel(), table[1] > table[0]


def noise_on_a_table(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0].reshape(2, 2) + rng.laplace(size=(2, 2))


EDGES = (0.0, 0.25, 0.5, 0.75, 1.0)


def upper_edge_of_the_largest(data, rng):
    k = np.argmax(noisy_counts(data, rng))
    return (EDGES[k] + EDGES[k + 1]) / 2


def lower_edge_counted_from_one_before(data, rng):
    before = int(np.argmax(noisy_counts(data, rng))) - 1
    return EDGES[before + 1]


def scaled_by_the_larger(data, rng):
    noisy = noisy_counts(data, rng)
    return noisy / max(1, noisy[0])


RIGHT = (
    *(upper_edge_of_the_largest, lower_edge_counted_from_one_before, scaled_by_the_larger),
    *(shares, shares_one_by_one, shares_in_place, softmax, synthetic, negative_to_zero, above_the_mean),
    *(small_ones_unknown, two_of_them, either_or, whole, median_by_interpolation, spread, from_the_least),
    *(mean_by_noisy_count, label_of_the_largest, the_largest_itself, the_largest_again, labels_of_large_ones),
    *(how_many_are_large, whole_and_not_negative, table_of_two_columns, noise_on_a_table),
)


def quotient_before_noise(data, rng):
    count = np.maximum(len(data) + rng.laplace(scale=2.0), 0.0)
    return count, np.clip(data, 0, 1).sum() / count + rng.laplace(scale=2.0)


def records_by_what_may_be_zero(data, rng):
    count = np.maximum(np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0), 0.0)
    return count, np.clip(data / count, 0, 1).sum() + rng.laplace(scale=2.0)


def for_each_record(data, rng):
    count = np.maximum(np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0), 0.0)
    total = 0
    for x in data:
        total += min(max(x * (count / count), 0), 1)
    return total + rng.laplace(scale=2.0)


def scale_by_what_may_be_zero(data, rng):
    count = np.maximum(np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0), 0.0)
    return count, np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0 / count)


def scale_that_may_be_nan(data, rng):
    count = np.maximum(np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0), 0.0)
    scale = np.maximum(2.0, np.minimum(count / count, 5.0))
    return count, np.clip(data, 0, 1).sum() + rng.laplace(scale=scale)


def third_side_of_nan(data, rng):
    count = np.maximum(np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0), 0.0)
    one = count / count
    if one > 0.5:
        scale = 2.0
    elif one <= 0.5:
        scale = 3.0
    else:
        scale = 0.001
    return count, np.clip(data, 0, 1).sum() + rng.laplace(scale=scale)


def changed_under_two_names(data, rng):
    noisy = noisy_counts(data, rng)
    other = noisy
    noisy[noisy > 1.0] = 1.0
    return other


def difference_of_order_none(data, rng):
    noisy = noisy_counts(data, rng)
    other = np.diff(noisy, 0)
    other /= 2
    return noisy


def array_of_an_array(data, rng):
    noisy = noisy_counts(data, rng)
    other = np.asarray(noisy)
    other /= 2
    return noisy


def integers_of_integers(data, rng):
    noisy = noisy_counts(data, rng).astype(int)
    other = np.int64(noisy)
    other[0] = 7
    return noisy


def part_of_it(data, rng):
    noisy = noisy_counts(data, rng)
    other = noisy[1:]
    other /= 2
    return noisy


def mean_of_python_numbers(data, rng):
    count = max(len(data) + rng.laplace(scale=2.0), 0.0)
    return float(np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0)) / count


def rows_by_condition(data, rng):
    noisy = noisy_counts(data, rng)
    table = np.outer(noisy, noisy)
    table[noisy > 0] = 0.0
    return table


def half_of_whole_numbers(data, rng):
    return noisy_counts(data, rng).astype(int) / 2


def label_before_noise(data, rng):
    counts = np.histogram(data, bins=4, range=(0, 1))[0]
    best = int(np.argmax(counts))
    return LABELS[best], counts[best] + rng.laplace()


def place_of_a_place(data, rng):
    noisy = noisy_counts(data, rng)
    return np.outer(noisy, noisy)[np.argmax(np.outer(noisy, noisy))]


def table_under_two_names(data, rng):
    noisy = noisy_counts(data, rng)
    table = noisy.reshape(2, 2)
    noisy += 1
    return table


def row_under_two_names(data, rng):
    noisy = noisy_counts(data, rng)
    row = noisy.ravel()
    noisy[noisy < 0] = 0.0
    return row


def one_draw_for_each_column(data, rng):
    return np.histogram(data, bins=4, range=(0, 1))[0].reshape(2, 2) + rng.laplace(size=2)


def any_before_noise(data, rng):
    return np.any(np.histogram(data, bins=4, range=(0, 1))[0] > 1)


def rounded_to_digits(data, rng):
    count = np.sum(data > 0.5) + rng.laplace(scale=1.0)
    return round(max(0, count), 2)


def paired_with_too_few(data, rng):
    return [label for label, each in zip(LABELS, noisy_counts(data, rng)[1:], strict=True) if each > 0]


def counts_by_noisy_condition(data, rng):
    counts = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    noisy = counts + rng.laplace(0, 2.0, size=4)
    counts[noisy > 0] = 0.0
    return counts + rng.laplace(0, 0.5, size=4)


def noisy_where_counts_are(data, rng):
    counts = np.histogram(data, bins=4, range=(0, 1))[0] * 1.0
    noisy = counts + rng.laplace(0, 1.0, size=4)
    noisy[counts < 1] = 0.0
    return noisy


def counts_in_place(data, rng):
    noisy = noisy_counts(data, rng)
    noisy[noisy < 0] = np.histogram(data, bins=4, range=(0, 1))[0][0]
    return noisy


def scaled_by_what_may_be_whole(data, rng):
    noisy = noisy_counts(data, rng)
    return noisy * max(int(noisy[0]), 0.5)


def python_and_numpy_integers(data, rng):
    return int(noisy_counts(data, rng)[0]) * np.int64(3)


WRONG = (
    *(quotient_before_noise, records_by_what_may_be_zero, for_each_record, scale_by_what_may_be_zero),
    *(scale_that_may_be_nan, third_side_of_nan, changed_under_two_names, difference_of_order_none, array_of_an_array),
    *(integers_of_integers, part_of_it, counts_by_noisy_condition, noisy_where_counts_are, counts_in_place),
    *(label_before_noise, place_of_a_place, table_under_two_names, row_under_two_names, one_draw_for_each_column),
    *(any_before_noise, rounded_to_digits, paired_with_too_few),
    *(mean_of_python_numbers, rows_by_condition, half_of_whole_numbers),
    *(scaled_by_what_may_be_whole, python_and_numpy_integers),
)
"""Not all are too dear: some have a second name for an array that changes, or a record for each division."""
