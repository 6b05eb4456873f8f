"""The network variant: every iteration moves, the budgets stay."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.accounting.accountants.rdp_printed import PrintedRdpAccountant
from dpverify.accounting.amplification_printed import poisson_bound
from dpverify.accounting.steps.noisy_btls import NoisyBtlsGaussianStep
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blsgd_network import DpBlsgdNetwork, DpBlsgdNetworkRepaired


def test_a_failed_search_takes_the_smallest_step(small: Table) -> None:
    """beta^max_it eta0: a large alpha fails every search, and after tau iterations eta0 is 1.2 times that."""
    subject = DpBlsgdNetwork(q=0.3, alpha=1e9, max_it=4, eta0=10.0, steps=25, rho_iter=100.0)
    transcript = subject.transcript(small, rng=stream(0, "network"))
    assert transcript.answers.tolist() == [4] * 25
    assert transcript.step_sizes == pytest.approx(10.0 * 0.8**4 * (1.2 * 0.8**4) ** (np.arange(25) // 10))
    moved = -np.diff(transcript.iterates, axis=0) / transcript.step_sizes[:, None]
    released = np.array(transcript.released("gradient")) + 0.001 * transcript.iterates[:-1]
    assert moved == pytest.approx(released, rel=1e-9)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_nine_tenths_for_the_gradient(small: Table, noise: str) -> None:
    subject = DpBlsgdNetwork(rho_iter=0.4, noise=noise, steps=3, q=0.5)  # type: ignore[arg-type]
    public = subject.transcript(small, rng=stream(0, "network")).public
    assert public["gradient-budget"] == pytest.approx(np.full(3, 0.36))
    assert public["search-budget"] == pytest.approx(np.full(3, 0.04 if noise == "gaussian" else 0.08**0.5))


def test_composition() -> None:
    """steps times the amplified order rho_iter, by the papers' own accountant."""
    subject = DpBlsgdNetwork(rho_iter=0.3, q=0.01, steps=50)
    composition = subject.composition()
    orders = np.arange(2.0, 2000.0)
    curve = 50 * poisson_bound(0.01, lambda order: 0.3 * order, orders)
    by_hand = float((curve + np.log(1e8) / (orders - 1)).min())
    assert composition.size == 50
    assert PrintedRdpAccountant().compose(composition).epsilon(1e-8).upper == pytest.approx(by_hand, rel=1e-6)


def test_the_repaired_one_charges_what_is_proved() -> None:
    """Lemma 4 over order rho_grad and the search's bound, in whose place Theorem 3 prints order rho_BT."""
    subject = DpBlsgdNetworkRepaired(rho_iter=20.0, q=0.01, steps=50, max_it=5000, records=1000)
    search = NoisyBtlsGaussianStep(
        sigma_1=(1.5 / 2.0) ** 0.5, sigma_2=(3.0 / 2.0) ** 0.5, max_it=5000, queries="losses"
    )
    (part,) = subject.composition()
    orders = np.array([2.0, 3.0, 8.0])
    expected = poisson_bound(0.01, lambda order: 18.0 * order + search.renyi(order), orders)
    assert part.count == 50
    assert part.step.printed(orders) == pytest.approx(expected, rel=1e-12)
    cheap = DpBlsgdNetworkRepaired(rho_iter=0.3, q=0.01, steps=50, records=1000).composition()
    paper = DpBlsgdNetwork(rho_iter=0.3, q=0.01, steps=50).composition()
    costs = [PrintedRdpAccountant().compose(each).epsilon(1e-8).upper for each in (cheap, paper)]
    assert 0.9 * costs[1] < costs[0] < costs[1]


def test_the_repaired_divisor_is_fixed() -> None:
    with pytest.raises(InputError, match="divisor"):
        DpBlsgdNetworkRepaired(divisor="realised")
