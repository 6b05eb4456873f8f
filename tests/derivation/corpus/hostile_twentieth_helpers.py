"""A helper module, as an analyst has one."""

import math
import numpy as np

EPSILON = 1.0
LIMITS = {"age": (0.0, 100.0), "income": (0.0, 10.0), "score": (-1.0, 1.0)}
DEFAULTS = {"split": (0.5, 0.5)}


def clamp(x, lo, hi):
    return max(lo, min(x, hi))


def clamp_swapped(x, lo, hi):
    return min(lo, max(x, hi))


def clip_column(x, name, limits=LIMITS):
    lo, hi = limits[name]
    return np.clip(x, lo, hi)


def laplace(value, sensitivity, epsilon, rng):
    return value + rng.laplace(0.0, sensitivity / epsilon)


def gaussian(value, l2, mu, rng):
    return value + rng.normal(0.0, l2 / mu, size=np.shape(value) or None)


def noisy_counts(values, keys, epsilon, rng):
    counts = {key: 0 for key in keys}
    for value in values:
        if value in counts:
            counts[value] += 1
    return {key: count + rng.laplace(scale=1.0 / epsilon) for key, count in counts.items()}


def total(rows, field, low, high, where=lambda row: True):
    found = 0.0
    for row in rows:
        if where(row):
            found += clamp(row[field], low, high)
    return found


def apply_all(functions, *args, **kwargs):
    return [function(*args, **kwargs) for function in functions]


def compose(*steps):
    def run(x):
        for step in steps:
            x = step(x)
        return x

    return run


def split(epsilon, *shares):
    whole = sum(shares)
    return [epsilon * each / whole for each in shares]


def l2_clip(X, c):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.minimum(1.0, c / np.maximum(norms, 1e-12))


def l2_clip_row(row, c):
    return row / max(1.0, np.linalg.norm(row) / c)


class Budget:
    unit = 1.0

    def __init__(self, epsilon, parts):
        self.epsilon = epsilon
        self.parts = parts
        self.used = []

    @property
    def each(self):
        return self.epsilon / self.parts

    def scale(self, sensitivity=1.0):
        return sensitivity * self.unit / self.each

    def spend(self, epsilon):
        self.used.append(epsilon)
        return epsilon


class HalfUnit(Budget):
    unit = 0.5
