"""Batches of 4 records at rate 0.3 from the library's sampler: how often they lack one of two given records."""

import importlib.util
import sys
import types

import numpy as np

# The package is entered without its __init__, which imports everything else.
_package = types.ModuleType("jax_privacy")
_package.__path__ = list(importlib.util.find_spec("jax_privacy").submodule_search_locations)
sys.modules["jax_privacy"] = _package

from jax_privacy import batch_selection  # noqa: E402

RECORDS, RATE = 4, 0.3


def claimed():
    """What independent inclusion, the documented guarantee, gives."""
    return 1.0 - RATE**2


def draw(data, size, seed):
    """1 where the batch lacks record 0 or record 1."""
    del data
    sampler = batch_selection.CyclicPoissonSampling(sampling_prob=RATE, iterations=size)
    batches = sampler.batch_iterator(RECORDS, rng=np.random.default_rng(seed))
    return [float(not (0 in batch and 1 in batch)) for batch in batches]
