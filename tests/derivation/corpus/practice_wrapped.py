"""Noise that a decorator of another file adds, which copies the name of the module that it wraps (functools.wraps)."""

import numpy as np

from tests.derivation.corpus.practice_seeded import with_noise


@with_noise
def total(data):
    return np.sum(np.clip(np.nan_to_num(data), 0, 1))
