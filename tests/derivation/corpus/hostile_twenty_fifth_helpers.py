"""Helpers that an analyst keeps in a module of their own."""

import functools
import math
from dataclasses import dataclass, field

import numpy as np

EPS = 1.0
CAPS = {"age": (0.0, 100.0), "income": (0.0, 1e5)}


def clip(x, lo, hi):
    return min(max(x, lo), hi)


def clip_keep_nan(x, lo, hi):
    if x < lo:
        return lo
    if x > hi:
        return hi
    return x


def lap(rng, sens, eps, size=None):
    return rng.laplace(0.0, sens / eps, size)


def compose(*functions):
    def run(x):
        for each in functions:
            x = each(x)
        return x

    return run


def counted(f):
    @functools.wraps(f)
    def wrapper(data, rng):
        return f(data, rng)

    return wrapper


def halved(f):
    """Halves what the function returns (and so does not its noise)."""

    @functools.wraps(f)
    def wrapper(data, rng):
        return f(data, rng) / 2

    return wrapper


class Mechanism:
    eps = 1.0
    lo, hi = 0.0, 1.0

    def __init__(self, eps=None):
        if eps is not None:
            self.eps = eps

    @property
    def sensitivity(self):
        return self.hi - self.lo

    @property
    def scale(self):
        return self.sensitivity / self.eps

    def value(self, data):
        return sum(clip(x, self.lo, self.hi) for x in data)

    def __call__(self, data, rng):
        return self.value(data) + rng.laplace(0, self.scale)


class Wide(Mechanism):
    lo, hi = -1.0, 1.0  # sensitivity is hi - lo = 2: too large for add-remove, right


class Shifted(Mechanism):
    lo, hi = 2.0, 3.0  # hi - lo = 1, but a record adds up to 3


class Twice(Mechanism):
    def value(self, data):
        return 2 * Mechanism.value(self, data)


@dataclass(frozen=True)
class Spec:
    lo: float = 0.0
    hi: float = 1.0
    eps: float = 1.0
    edges: tuple = (0.0, 0.5, 1.0)
    names: list = field(default_factory=lambda: ["a", "b"])

    @property
    def width(self):
        return self.hi - self.lo


def bounds_of(name):
    return CAPS[name]


def sigma_for(rho, sens):
    return sens / math.sqrt(2 * rho)
