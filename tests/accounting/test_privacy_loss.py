"""What all families share: the two laws exchanged, and the protocol itself."""

import numpy as np
import pytest

from dpverify.accounting.loss_sources import FiniteLoss, GaussianLoss, GaussianMixtureLoss, LaplaceLoss
from dpverify.accounting.privacy_loss import LossLaw, Masses, ReversedLoss, SampledLoss

T = np.linspace(-1.2, 1.5, 7)  # not symmetric, or a reversed loss could go unseen
FAMILIES = [
    GaussianLoss(mu=0.8),
    GaussianMixtureLoss(weights=np.array([0.6, 0.4]), shifts=np.array([0.0, 1.5])),
    LaplaceLoss(shift=1.2),
    FiniteLoss(log_p=np.log([0.75, 0.25]), log_q=np.log([0.25, 0.75]), error=0.0),
    SampledLoss(base=LaplaceLoss(shift=1.2), rate=0.3),
    ReversedLoss(base=SampledLoss(base=GaussianLoss(mu=0.8), rate=0.3)),
]
families = pytest.mark.parametrize("law", FAMILIES, ids=lambda law: type(law).__name__)


def test_reversed_by_hand():
    masses = Masses(p=np.array([1.0, 2.0]), q=np.array([3.0, 4.0]), p_error=np.array([5.0]), q_error=np.array([6.0]))
    back = masses.reversed()
    assert (back.p.tolist(), back.q.tolist()) == ([4, 3], [2, 1])
    assert (back.p_error.tolist(), back.q_error.tolist()) == ([6], [5])


@families
def test_both_laws_have_mass_one_and_the_loss_its_bounds(law):
    assert isinstance(law, LossLaw)
    atoms, masses = law.atoms(), law.masses(T)
    parts = (atoms.p, atoms.p * np.exp(-atoms.loss))
    cells = (np.zeros(1), np.zeros(1)) if masses is None else (masses.p, masses.q)
    for atom, cell in zip(parts, cells, strict=True):
        assert float(np.sum(atom) + np.sum(cell)) == pytest.approx(1.0, abs=1e-13)
    low, high = law.bounds()
    near, far = law.extent(1e-12)
    assert low <= near <= far <= high


@pytest.mark.parametrize(
    "law", [law for law in FAMILIES if law.masses(T) is not None], ids=lambda law: type(law).__name__
)
def test_no_cell_has_a_ratio_outside_its_ends(law):
    """e^L = P / Q inside a cell, so the cell's P / Q lies between e^(its ends)."""
    masses = law.masses(T)
    p, q = masses.p[1:-1], masses.q[1:-1]
    assert np.all(p <= q * np.exp(T[1:]) * (1 + 1e-9) + 1e-15)
    assert np.all(p >= q * np.exp(T[:-1]) * (1 - 1e-9) - 1e-15)
