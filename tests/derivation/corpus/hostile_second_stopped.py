"""Attacks of the second hostile reading: none was ever proved."""

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
def attack_return_of_annotation(data, rng):
    kept = [0.0]
    for x in data:

        def g(a: kept.append(1.0)):
            return a

    return len(kept)


@case(np.array([True, False]))
def attack_bool_total(data, rng):
    total = 0
    for x in data:
        total = total + (x - (not x))
    return total + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def attack_total_is_true(data, rng):
    total = True
    for x in data:
        total -= x > 0.5
    return total + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def attack_int_start_with_float(data, rng):
    total = 0
    for x in data:
        total += x
    return np.array([total]) // 1 + rng.laplace(scale=1.0, size=1)


@case(NUM, bounds=(0, 1))
def attack_shadowed_after(data, rng):
    total = 0.0
    x = 2.0
    f = lambda: x
    for x in data:
        total += 1
    return total + rng.laplace(scale=1.0) + f()


@case({"a": ARR, "b": ARR}, bounds={"a": (0, 1)})
def attack_bounds_of_one(data, rng):
    return data["b"].sum() + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def attack_ternary_draw(data, rng):
    noise = rng.laplace(scale=1.0)
    acc = [noise, noise]
    for x in data:
        acc[0] += x
        acc[1] += 0.0 * x
    return acc


@case(NUM, bounds=(0, 1))
def attack_swap(data, rng):
    a, b = 0.0, 0.0
    for x in data:
        a, b = b + x, a
    return a + rng.laplace(scale=2.0)


@case(NUM)
def attack_nested_not(data, rng):
    total = 0.0
    for x in data:
        if not (x < 0 or x > 1):
            total += x
    return total + rng.laplace(scale=1.0)


@case(NUM, bounds=(0, 1))
def attack_late_list(data, rng):
    lst = [1.0]
    fs = [lambda: lst[0]]
    lst[0] = 5.0
    return sum([x * fs[0]() for x in data]) + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def attack_true_index(data, rng):
    lst = [0.0, 0.0]
    for x in data:
        lst[0] += x
        lst[False] += x
    return lst[0] + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def attack_negative_index(data, rng):
    lst = [0.0]
    for x in data:
        lst[0] += x
        lst[-1] += x
    return lst[0] + rng.laplace(scale=1.0)


@case(ARR, bounds=(0, 1))
def attack_list_times(data, rng):
    rows = [[0.0]] * 2
    for x in data:
        rows[0][0] += x
    return rows[1][0] + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_last_closure(data, rng):
    total = 0.0
    for x in data:

        def g():
            return x

        total += x
    return total + rng.laplace(scale=1.0) + g()


@case(NUM, **U)
def attack_target_item(data, rng):
    cell = [0.0]
    for cell[0] in data:
        pass
    return cell[0] + rng.laplace(scale=0.1)


@case(NUM, **U)
def attack_comprehension_target_item(data, rng):
    cell = [0.0]
    n = [1 for cell[0] in data]
    return cell[0] + rng.laplace(scale=0.1)


@case(NUM, **U)
def attack_append_twice(data, rng):
    rows = []
    for x in data:
        rows.append(x)
        rows.append(x)
    return sum(rows) + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_append_in_closure(data, rng):
    rows = []

    def add(x):
        rows.append(x)

    for x in data:
        add(x)
        rows.append(x)
    return sum(rows) + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_counts_alias(data, rng):
    counts = [0.0]
    other = counts
    for x in data:
        counts[0] += x
    return other[0]


@case(NUM, **U)
def attack_counts_swapped(data, rng):
    c = [0.0, 0.0]
    for x in data:
        c[0], c[1] = c[1] + x, c[0]
    return c[0] + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_total_in_condition(data, rng):
    total = 0.0
    for x in data:
        if total < 5:
            total += x
    return total + rng.laplace(scale=0.1)


@case(NUM, **U)
def attack_total_minus(data, rng):
    total = 0.0
    for x in data:
        total = x - total
    return total + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_total_doubled(data, rng):
    total = 0.0
    for x in data:
        total = total + total + x
    return total + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_total_min(data, rng):
    total = 0.0
    for x in data:
        total = min(total + x, 0.5)
    return total + rng.laplace(scale=0.5)


@case(NUM, **U)
def attack_chained(data, rng):
    a = b = 0.0
    for x in data:
        a = b = a + x
    return a + rng.laplace(scale=2.0), b + rng.laplace(scale=2.0)


@case(NUM, **U)
def attack_star_target(data, rng):
    first, *rest = data
    return first + rng.laplace(scale=0.5)


@case(NUM, **U)
def attack_star_call(data, rng):
    return max(*data) + rng.laplace(scale=0.5)


@case(ARR, **U)
def attack_reverse_slice(data, rng):
    return data[::-1][0] + rng.laplace(scale=0.5)


@case(ARR, **U)
def attack_every_second(data, rng):
    return data[::2].sum() + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_ellipsis_index(data, rng):
    return data[..., 0] + rng.laplace(scale=0.5)


@case(ARR, **U)
def attack_bool_index(data, rng):
    return data[True].sum() + rng.laplace(scale=0.5)


@case(ARR, **U)
def attack_outer_of_records(data, rng):
    return (data[:, None] * data[None, :]).sum() + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_mask_of_other(data, rng):
    return data[data > 0.5][data > 0.2].sum() + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_masks_meet(data, rng):
    return (data[data > 0.5] + data[data <= 0.5]).sum() + rng.laplace(scale=2.0)


@case(ARR, **U)
def attack_public_array_along_records(data, rng):
    return (data * np.array([1.0, 0.0, 0.0, 0.0])).sum() + rng.laplace(scale=1.0)


@case(ARR)
def attack_not_equal_nan(data, rng):
    return np.where(data != 0.0, data, 1.0).sum() + rng.laplace(scale=1.0)


@case(ARR)
def attack_or_narrows_nothing(data, rng):
    return np.where((data < 1) | (data > 2), np.minimum(data, 1), 0.0).sum() + rng.laplace(scale=1.0)


@case(ARR)
def attack_negated_less_is_nan(data, rng):
    return np.where(~(data < 0), np.minimum(data, 1), 0.0).sum() + rng.laplace(scale=1.0)


@case(NUM)
def attack_positive_divides(data, rng):
    total = 0.0
    for x in data:
        if 0 < x < 1:
            total += min(1 / x, 1.0)
    return total + rng.laplace(scale=1.0)


@case(NUM, **U, relation="replace")
def attack_masked_widths(data, rng):
    return sum([2 * x - 1 for x in data if x > 0.5]) - sum([1 for x in data if x <= 0.5]) + rng.laplace(scale=1.0)


@case(ARR, **U, relation="replace")
def attack_count_replaced(data, rng):
    return (data > 0.5).sum() + (data <= 0.5).sum() * -1 + rng.laplace(scale=1.0)


@case(ARR, **U, relation="replace")
def attack_n_minus_one(data, rng):
    return data.sum() / (len(data) - 1) + rng.laplace(scale=1 / len(data))


@case(ARR, **U, relation="replace")
def attack_max_n(data, rng):
    return data.mean() + rng.laplace(scale=1 / max(len(data), 10))


@case(ARR, **U, relation="replace")
def attack_n_squared(data, rng):
    n = len(data)
    return data.sum() / n + rng.laplace(scale=1 / (n * n))


@case(ARR, **U)
def attack_scale_from_release(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    return data.sum() + rng.laplace(scale=2.0 * t)


@case(ARR, **U)
def attack_clip_at_release(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    return np.minimum(data, t).sum() + rng.laplace(scale=2.0)


@case(ARR, **U)
def attack_negative_times(data, rng):
    return data.sum() + rng.laplace(scale=1.0) * -0.5


@case(ROWS, **U)
def attack_vector_scale(data, rng):
    return data.sum(axis=0) + rng.laplace(scale=np.array([1.0, 100.0]))


@case(ROWS, **U)
def attack_taken_twice(data, rng):
    s = data.sum(axis=0)
    return np.array([s[0], s[0]]) + rng.laplace(scale=1.0, size=2)


@case(ROWS, **U)
def attack_draw_taken_twice(data, rng):
    n = rng.laplace(scale=2.0, size=2)
    s = data.sum(axis=0)
    return s[0] + n[0], s[1] + n[0]


@case(ARR, **U)
def attack_noise_repeated(data, rng):
    n = [rng.laplace(scale=2.0)] * 2
    return data.sum() + n[0], (data > 0.5).sum() + n[1]


@case(ROWS, claim="ZCDP(rho=0.5)", **U)
def attack_gaussian_l2(data, rng):
    return data.sum(axis=0) + rng.normal(scale=1.0, size=2)


@case(ROWS, claim="ApproxDP(epsilon=1, delta=1e-6)", **U)
def attack_mixture(data, rng):
    return data[:, 0].sum() + rng.laplace(scale=1.0), data[:, 1].sum() + rng.normal(scale=10.0)


@case(ARR, **U)
def attack_negated_one_sided(data, rng):
    g = -rng.geometric(0.5)
    return (data > 0.5).sum() + g - rng.geometric(0.5)


@case(ARR, **U)
def attack_one_sided(data, rng):
    return (data > 0.5).sum() + rng.geometric(0.6)


@case(ARR, **U)
def attack_column_times_in_place(data, rng):
    x = data
    x *= 0.5
    return x.sum() + rng.laplace(scale=0.5)


@case(ROWS, **U)
def attack_row_in_place(data, rng):
    total = 0.0
    for row in data:
        row *= 0.5
        total += row[0]
    return total + rng.laplace(scale=0.5)


@case(ARR, **U)
def attack_released_in_loop(data, rng):
    t = data.sum() + rng.laplace(scale=2.0)
    total = 0.0
    for x in data:
        total += x * min(1.0, 1 / t)
    return total + rng.laplace(scale=2.0)


@case(ARR, **U)
def attack_known_error_in_loop(data, rng):
    total = 0.0
    for x in data:
        total += x * [1.0][1]
    return total + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_assertion_in_loop(data, rng):
    total = 0.0
    for x in data:
        assert x < 0.9
        total += x
    return total + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_nested_records(data, rng):
    total = 0.0
    for x in data:
        for y in data:
            total += x * y
    return total + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_walrus(data, rng):
    return sum([(y := x) for x in data]) + rng.laplace(scale=1.0)


@case(NUM, **U)
def attack_zip_twice(data, rng):
    z = zip(data, data)
    return sum([a for a, b in z]) + sum([b for a, b in z]) + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_default_list(data, rng, acc=[0.0]):
    for x in data:
        acc[0] += x
    return acc[0] + rng.laplace(scale=1.0)


@case(ARR, **U)
def attack_draws_in_default(data, rng):
    def g(n=rng.laplace(scale=1.0)):
        return n

    return data.sum() + g(), (data > 0.5).sum() + g()


@case(ARR, **U)
def attack_histogram_edges_changed(data, rng):
    c, e = np.histogram(data, bins=2, range=(0, 1))
    c += 1
    return c + rng.laplace(scale=1.0, size=2), e


@case(ARR, **U)
def attack_released_alias(data, rng):
    s = data.sum() + rng.laplace(scale=1.0, size=1)
    k = s
    s += 1.0
    return k


class Holder:
    def __init__(self):
        self.acc = [0.0]

    @property
    def n(self):
        self.acc.append(1.0)
        return 1.0

    def run(self, data, rng):
        return data.sum() + rng.laplace(scale=1.0) + self.n

    def keep(self, data, rng):
        for x in data:
            self.acc[0] += x
        return self.acc[0] + rng.laplace(scale=1.0)


attack_property_changes = Holder().run
ATTACKS["attack_property_changes"] = dict(claim=P1, data=ARR, **U)
attack_attribute_cells = Holder().keep
ATTACKS["attack_attribute_cells"] = dict(claim=P1, data=ARR, **U)
