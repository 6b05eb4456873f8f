"""Numbers, texts and noise as people use them every day: numpy's global generator, Counter, classes that are called."""

import numpy as np
from collections import Counter

CITIES = ("Bonn", "Lyon", "Turin")


def laplace_mech(value, sensitivity, epsilon):
    return value + np.random.laplace(loc=0, scale=sensitivity / epsilon)


def textbook_count(data):
    return laplace_mech(np.sum(data > 0.5), 1, 1.0)


def textbook_histogram(data):
    return np.histogram(data, bins=4, range=(0, 1))[0] + np.random.laplace(size=4)


def textbook_around(data):
    return np.random.laplace(np.clip(data, 0, 1).sum(), 1.0)


def both_generators(data, rng):
    return len(data) + np.random.laplace(0, 2.0), len(data) + rng.laplace(0, 2.0)


def two_geometrics(data):
    p = 0.6321205588285577
    return int((data > 0.5).sum()) + np.random.geometric(p) - np.random.geometric(p)


def flags_as_integers(data, rng):
    return (data > 0.5).astype(int).sum() + rng.laplace(0, 1.0)


def flag_by_flag(data, rng):
    return sum(int(x > 0.5) for x in data) + rng.laplace(0, 1.0)


def flags_times_values(data, rng):
    return ((data > 0.5).astype(int) * np.clip(data, 0, 1)).sum() + rng.laplace(0, 1.0)


def whole_numbers(data, rng):
    n = int(len(data) + rng.laplace(0, 1.0))
    return n + 1, 2 * n, -n, abs(n), n * n, sum([n, 3])


def upper_edge_of_a_bin(data, rng):
    edges = np.linspace(0, 1, 4)
    noisy = np.cumsum(np.clip(np.histogram(data, edges)[0] + rng.laplace(0, 1.0, 3), 0, None))
    place = int(np.searchsorted(noisy, noisy[-1] / 2))
    return edges[min(place + 1, 3)]


def moments(data, rng):
    return [np.sum(np.clip(data, 0, 1) ** k) + rng.laplace(0, 4.0) for k in range(2, 6)]


class Mechanism:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __call__(self, value, sensitivity, rng):
        return value + rng.laplace(0, sensitivity / self.epsilon)


class Other(Mechanism):
    pass


NOISY, SHADOWED = Other(1.0), Mechanism(1.0)
SHADOWED.__call__ = lambda *_: 0.0  # Python looks a call up in the class


def called_object(data, rng):
    return NOISY(np.clip(data, 0, 1).sum(), 1.0, rng), 0


def called_object_with_an_attribute(data, rng):
    return SHADOWED(np.clip(data, 0, 1).sum(), 1.0, rng)


RIGHT = (
    *(textbook_count, textbook_histogram, textbook_around, both_generators, two_geometrics, flags_as_integers),
    *(
        flag_by_flag,
        flags_times_values,
        whole_numbers,
        upper_edge_of_a_bin,
        moments,
        called_object,
        called_object_with_an_attribute,
    ),
)


def textbook_half_the_noise(data):
    return laplace_mech(np.sum(data > 0.5), 1, 2.0)


def one_draw_for_all(data):
    return np.histogram(data, bins=4, range=(0, 1))[0] + np.random.laplace()


def flags_of_two(data, rng):
    return ((data > 0.5).astype(int) + (data > 0.2).astype(int)).sum() + rng.laplace(0, 1.0)


def cubes_of_two(data, rng):
    return np.sum((2 * np.clip(data, 0, 1)) ** 3) + rng.laplace(0, 7.9)


def many_factors(data, rng):
    return np.sum(np.clip(data, 0, 1) ** 9) + rng.laplace(0, 1.0)


class Fivefold:
    def __call__(self, value):
        return 5.0 * value


FIVE = Fivefold()


def called_object_before_noise(data, rng):
    return FIVE(np.clip(data, 0, 1).sum()) + rng.laplace(0, 1.0)


def numpy_integer(data, rng):
    return np.int64(len(data) + rng.laplace(0, 1.0)) + 1


WRONG = (
    *(textbook_half_the_noise, one_draw_for_all, flags_of_two, cubes_of_two, many_factors),
    *(called_object_before_noise, numpy_integer),
)
"""Not all are too dear: a numpy integer wraps round, and of nine factors nobody has a rule."""


def counter(data, rng):
    counts = Counter(data)
    return {city: counts[city] + rng.laplace(0, 1.0) for city in CITIES}


def counter_of_some(data, rng):
    counts = Counter(city for city in data if city != "Bonn")
    return {city: counts.get(city, 0) + rng.laplace(0, 1.0) for city in CITIES}


def count_in_a_list(data, rng):
    return [data.count(city) + rng.laplace(0, 1.0) for city in CITIES]


OF_TEXTS = (counter, counter_of_some, count_in_a_list)


def counter_or_none(data, rng):
    counts = Counter(data)
    return [counts.get(city) + rng.laplace(0, 1.0) for city in CITIES]


def five_where_there_is_none(data, rng):
    counts = Counter(data)
    return [counts.get(city, 5) + rng.laplace(0, 1.0) for city in CITIES]


def keys_of_the_data(data, rng):
    return {city: count + rng.laplace(0, 1.0) for city, count in Counter(data).items()}


def one_city_twice(data, rng):
    counts = Counter(data)
    return [counts[city] + rng.laplace(0, 1.0) for city in ("Bonn", "Bonn")]


def how_many_cities(data, rng):
    return len(Counter(data)) + rng.laplace(0, 1.0)


def whether_in_a_counter(data, rng):
    return 1 if "Bonn" in Counter(data) else 0


def counter_itself(data, rng):
    return Counter(data)


def counter_changed(data, rng):
    counts = Counter(data)
    counts["Bonn"] += 5
    return counts["Bonn"] + rng.laplace(0, 1.0)


def most_common(data, rng):
    return Counter(data).most_common(1)


OF_TEXTS_WRONG = (
    *(counter_or_none, keys_of_the_data, one_city_twice, how_many_cities, whether_in_a_counter, counter_itself),
    *(counter_changed, most_common, five_where_there_is_none),
)


def ages_by_decade(rows, rng):
    counts, _ = np.histogram([row["age"] for row in rows], bins=range(0, 130, 10))
    return counts + rng.laplace(0, 1.0, len(counts))


def by_get(rows, rng):
    return sum(1 for row in rows if row.get("member")) + rng.laplace(0, 1.0)


OF_ROWS = (ages_by_decade, by_get)


def mean_vector(table, rng):
    total = np.clip(table, 0, 1).sum(axis=0) + rng.laplace(0, 6.0, 3)
    count = len(table) + rng.laplace(0, 2.0)
    return total / max(count, 1)


def shares_of_a_row(table, rng):
    total = (np.clip(table, 0, 1).sum(axis=0) + rng.laplace(0, 3.0, 3)).reshape(1, 3)
    return total / total.sum(axis=1, keepdims=True), total.mean(axis=0), total.mean(axis=1, keepdims=True), total.sum(0)


def row_by_its_sum(table, rng):
    rows = np.clip(table, 0, 1)
    rows = rows / np.maximum(1.0, rows.sum(axis=1, keepdims=True))
    return rows.sum(axis=0) + rng.laplace(0, 3.0, 3)


OF_TABLES = (mean_vector, shares_of_a_row, row_by_its_sum)


def column_by_its_sum(table, rng):
    rows = np.clip(table, 0, 1)
    return (rows / np.maximum(1.0, rows.sum(axis=0, keepdims=True))).sum(axis=0) + rng.laplace(0, 3.0, 3)


def whole_numbers_by_a_count(table, rng):
    total = np.round(np.clip(table, 0, 1).sum(axis=0) + rng.laplace(0, 6.0, 3)).astype(int)
    return total * max(len(table) + rng.laplace(0, 2.0), 1)


def shares_of_columns(table, rng):
    rows = np.clip(table, 0, 1)
    return (rows / (rows.sum(axis=-2, keepdims=True) + 1.0)).sum(axis=0) + rng.laplace(0, 3.0, 3)


OF_TABLES_WRONG = (column_by_its_sum, whole_numbers_by_a_count, shares_of_columns)
