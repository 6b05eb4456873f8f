"""Loops over ``range(len(data))``: right where nothing but the record at that place is taken."""

import numpy as np


def counted(data, rng):
    count = 0
    for i in range(len(data)):
        if data[i] > 0.5:
            count += 1
    return count + rng.laplace(0, 1)


def summed(data, rng):
    n = data.shape[0]
    return sum(min(max(data[i], 0), 1) for i in range(0, n)) + rng.laplace(0, 1)


RIGHT = (counted, summed)


def sum_of_places(data, rng):
    total = 0
    for i in range(len(data)):
        total += i
    return total + rng.laplace(0, 1)


def neighbours(data, rng):
    total = 0
    for i in range(len(data)):
        if i > 0:
            total += data[i - 1]
    return total + rng.laplace(0, 1)


def every_other(data, rng):
    total = 0
    for i in range(len(data)):
        if i % 2 == 0:
            total += 1
    return total + rng.laplace(0, 1)


def all_but_the_first(data, rng):
    total = 0
    for i in range(1, len(data)):
        total += 1
    return total + rng.laplace(0, 1)


def one_too_many(data, rng):
    total = 0
    for i in range(len(data) + 1):
        total += 1
    return total + rng.laplace(0, 1)


def pairs(data, rng):
    total = 0
    for i in range(len(data)):
        for j in range(len(data)):
            total += 1
    return total + rng.laplace(0, 1)


def last_place(data, rng):
    for i in range(len(data)):
        last = i
    return last + rng.laplace(0, 1)


def place_of_a_record(data, rng):
    place = None
    for i in range(len(data)):
        if data[i] > 0.5:
            place = i
    return (0 if place is None else 1) + rng.laplace(0, 1)


def some_at_places_of_all(data, rng):
    some = data[data > 0.5]
    total = 0
    for i in range(len(data)):
        total += min(max(some[i], 0), 1)
    return total + rng.laplace(0, 1)


def places_of_some(data, rng):
    some = [x for x in data if x > 0.5]
    return sum(some[i] for i in range(len(data))) + rng.laplace(0, 1)


def known_weights(data, rng):
    weights = [0.5, 1.0]
    total = 0
    for i in range(len(data)):
        total += weights[i] * data[i]
    return total + rng.laplace(0, 1)


def changed_at_places(data, rng):
    x = data.copy()
    for i in range(len(data)):
        x[i] = 5.0
    return x.sum() + rng.laplace(0, 1)


def windows(data, rng):
    total = 0
    for i in range(len(data)):
        total += min(max(data[i : i + 2].sum(), 0), 1)
    return total + rng.laplace(0, 1)


def other_order(data, rng):
    total = 0
    for i in range(len(data)):
        total += min(max(data[::-1][i], 0), 1)
    return total + rng.laplace(0, 1)


def truth_of_a_place(data, rng):
    total = 0
    for i in range(len(data)):
        if i:
            total += 1
    return total + rng.laplace(0, 1)


def keys_of_places(data, rng):
    found = {}
    for i in range(len(data)):
        found[i] = data[i]
    return len(found) + rng.laplace(0, 1)


def place_in_a_text(data, rng):
    total = 0
    for i in range(len(data)):
        total += f"{i}" == "0"
    return total + rng.laplace(0, 1)


def place_of_another_loop(data, rng):
    kept = []
    for i in range(len(data)):
        kept.append(i)
    return len(kept) + rng.laplace(0, 1)


def list_of_places(data, rng):
    return list(range(len(data)))


def place_in_a_tuple(data, rng):
    kept = [x for x in data]
    return sum(min(max(kept[i,], 0), 1) for i in range(len(data))) + rng.laplace(0, 1)


def the_first_place(data, rng):
    return range(len(data))[0] + rng.laplace(0, 1)


WRONG = (
    *(sum_of_places, neighbours, every_other, all_but_the_first, one_too_many, pairs, last_place, place_of_a_record),
    *(some_at_places_of_all, places_of_some, known_weights, changed_at_places, windows, other_order, truth_of_a_place),
    *(keys_of_places, place_in_a_text, place_of_another_loop, list_of_places, the_first_place, place_in_a_tuple),
)


def products(data, rng):
    rows, labels = data
    total = 0.0
    for i in range(rows.shape[0]):
        total += min(max(rows[i, 0] * rows[i][1] * labels[i], 0), 1)
    return total + rng.laplace(0, 1)


def as_many_as_columns(data, rng):
    rows, labels = data
    return sum(min(max(labels[i], 0), 1) for i in range(rows.shape[1])) + rng.laplace(0, 1)


def first_row(data, rng):
    rows, labels = data
    return sum(min(max(rows[0, i], 0), 1) for i in range(len(labels))) + rng.laplace(0, 1)


def diagonal(data, rng):
    rows, labels = data
    return sum(min(max(rows[i, i], 0), 1) for i in range(len(labels))) + rng.laplace(0, 1)


def in_place(data, rng):
    rows, labels = data
    total = 0.0
    for i in range(len(labels)):
        row = rows[i]
        row *= 2
        total += min(max(row[0], 0), 1)
    return total + rng.laplace(0, 1)


OF_PAIRS_WRONG = (as_many_as_columns, first_row, diagonal, in_place)
