"""Masses between the ends against scipy, and both atoms by hand."""

import math

import numpy as np
import pytest
from scipy.stats import laplace

from dpverify.accounting.loss_sources import LaplaceLoss

T = np.linspace(-1.5, 1.5, 7)


def test_laplace():
    law = LaplaceLoss(shift=1.2)
    found, atoms = law.masses(T), law.atoms()
    # y in (0, 1.2) is where the loss moves: L = 1.2 - 2 y for P = Laplace at 0, Q at 1.2.
    y = np.clip((1.2 - np.concatenate(([-np.inf], T, [np.inf]))) / 2, 0, 1.2)
    assert found.p == pytest.approx(-np.diff(laplace.cdf(y)), abs=1e-15)
    assert found.q == pytest.approx(-np.diff(laplace.cdf(y, 1.2)), abs=1e-15)
    assert atoms.loss.tolist() == [-1.2, 1.2]
    assert atoms.p == pytest.approx([math.exp(-1.2) / 2, 0.5])


def test_no_shift_loses_nothing():
    law = LaplaceLoss(shift=0.0)
    assert law.masses(T) is None
    assert (law.atoms().p.tolist(), law.atoms().loss.tolist()) == ([1.0], [0.0])
