"""The second moment of one number in [-1, 1] through the Wishart mechanism."""

import importlib.util
import sys
import types

import numpy as np

# The package is entered without its __init__, which imports models that need another scikit-learn.
_package = types.ModuleType("diffprivlib")
_package.__path__ = list(importlib.util.find_spec("diffprivlib").submodule_search_locations)
sys.modules["diffprivlib"] = _package

from diffprivlib.mechanisms.wishart import Wishart  # noqa: E402


def claimed():
    """What the mechanism was told to be."""
    mechanism = _mechanism()
    assert mechanism._delta == 0
    return f"PureDP(epsilon={mechanism._epsilon:g})"


def draw(data, size, seed):
    """Noisy second moments."""
    del seed  # numpy's generator, which the library draws from, is seeded
    mechanism = _mechanism()
    moment = np.array([[sum(x * x for x in data)]])
    return [float(mechanism.randomise(moment)[0, 0]) for _ in range(size)]


def _mechanism():
    return Wishart().set_epsilon(1.0).set_sensitivity(1.0)
