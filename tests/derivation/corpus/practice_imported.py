"""Names of `numpy.random` in a module of its own: what stands in for them beside a proof is not seen there."""

from numpy.random import laplace


def count(data):
    return len(data) + laplace(0, 1.0)
