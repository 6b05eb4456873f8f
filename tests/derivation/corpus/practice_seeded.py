"""A module that seeds numpy's global generator, where it is asked to."""

from functools import wraps

import numpy as np


def with_noise(function):
    @wraps(function)
    def released(data):
        return function(data) + np.random.laplace(0.0, 1.0)

    return released


def begin():
    np.random.seed(4)


def count(data):
    return len(data) + np.random.laplace(0, 1.0)


def count_with_its_own(data):
    return len(data) + np.random.default_rng().laplace(0, 1.0)


def seeded_inside(data):
    np.random.seed(3)
    return len(data) + np.random.laplace(0, 1.0)
