"""N of the sixteenth reading: a global's name that is there for dpverify only; a module of its own, since it spoils all of it."""

import builtins

import numpy as np

from tests.derivation.corpus.hostile_sixteenth_found import FD, Name

globals()[Name("WIDTH_OF_16")] = 1.0
builtins.WIDTH_OF_16 = 1e-6


def name_of_a_global(x, rng):
    return np.sum(x) + rng.laplace(0, WIDTH_OF_16)  # noqa: F821


ATTACKS = {"name_of_a_global": dict(claim="PureDP(epsilon=1)", **FD)}
