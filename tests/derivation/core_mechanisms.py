"""The registered mechanisms as an analyst writes them on records, each with the claim that it makes."""

import numpy as np


def clipped(data):
    return np.clip(np.nan_to_num(data), 0, 1)


def counts(data):
    return np.histogram(np.nan_to_num(data), bins=8, range=(0, 1))[0]


def laplace(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def gaussian(data, rng):
    return clipped(data).sum() + rng.normal(scale=1.0)


def laplace_parallel(data, rng):
    return [len(data) + rng.laplace(scale=20.0) for _ in range(20)]


def noisy_histogram(data, rng):
    return counts(data) + rng.laplace(scale=1.0, size=8)


def noisy_mean(data, rng):
    number = len(data) + rng.laplace(scale=2.0)
    return (clipped(data).sum() + rng.laplace(scale=2.0)) / max(number, 1.0)


def partial_sum(data, rng):
    total = 0.0
    for each in data:
        total += min(max(each, 0.0), 1.0) if each == each else 0.0
    return total + rng.laplace(scale=1.0)


def prefix_sum(data, rng):
    return np.cumsum(counts(data) + rng.laplace(scale=1.0, size=8))


def smart_sum(data, rng):
    steps = counts(data)
    single = steps + rng.laplace(scale=2.0, size=8)
    block = steps[:4].sum() + rng.laplace(scale=2.0)
    return [*np.cumsum(single[:4]), *(block + np.cumsum(single[4:]))]


def truncated_geometric(data, rng):
    p = 1.0 - np.exp(-1.0)
    noisy = len(data) + (rng.geometric(p) - rng.geometric(p))
    return min(max(noisy, 0), 1000)


def report_noisy_max(data, rng):
    return int(np.argmax(counts(data) + rng.laplace(scale=2.0, size=8)))


def report_noisy_max_exponential(data, rng):
    return int(np.argmax(counts(data) + rng.exponential(scale=2.0, size=8)))


def exponential_mechanism(data, rng):
    return int(np.argmax(counts(data) + rng.gumbel(scale=2.0, size=8)))


def exponential_median(data, rng):
    grid = np.linspace(0, 1, 101)
    distance = np.abs((np.asarray(data)[None, :] < grid[:, None]).sum(axis=1) - len(data) / 2)
    return rng.choice(grid, p=np.exp(-distance / 2) / np.exp(-distance / 2).sum())


def above_threshold(data, rng):
    threshold = 3.0 + rng.laplace(scale=2.0)
    for place, count in enumerate(counts(data)):
        if count + rng.laplace(scale=4.0) >= threshold:
            return place
    return -1


def randomised_response(data, rng):
    keep = np.exp(1.0) / (1.0 + np.exp(1.0))
    return [each if rng.random() < keep else 1 - each for each in data]


def unary_encoding(data, rng):
    return [
        [int(each * 8) == place if rng.random() < 0.6 else rng.random() < 0.5 for place in range(8)] for each in data
    ]


def histogram_encoding(data, rng):
    return np.eye(8)[np.minimum((clipped(data) * 8).astype(int), 7)] + rng.laplace(scale=2.0, size=(len(data), 8))


def snapping(data, rng):
    return np.rint((clipped(data).sum() + rng.laplace(scale=1.0)) / 0.125) * 0.125


def noisy_gradient_step(data, rng):
    weight, records = 0.0, clipped(data)
    for _ in range(10):
        gradients = np.clip(weight - records, -0.5, 0.5)
        weight = min(max(weight - 0.1 * (gradients.sum() + rng.normal(scale=4.0)), -10.0), 10.0)
    return weight


def noisy_gradient_on_a_sample(data, rng):
    records = clipped(data)
    return records[rng.random(len(records)) < 0.1].sum() + rng.normal(scale=1.0)


def line_search(data, rng):
    for step in (1.0, 0.5, 0.25):
        if np.clip(clipped(data) - step, 0, 1).sum() + rng.laplace(scale=3.0) > 5.0:
            return step
    return 0.0
