"""DP-BLSGD repaired: nothing is spent beyond the budget, every release has a sample of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from dpverify.accounting.accountants.rdp import RdpAccountant
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blsgd_network import DpBlsgdNetworkRepaired
from reference_impls.line_search.dp_blsgd_repaired import DpBlsgdRepaired


@settings(max_examples=25, deadline=None)
@given(
    epsilon=st.floats(0.5, 20.0),
    rho=st.floats(1e-4, 0.5),
    budget=st.floats(1e-3, 2.0),
    q=st.floats(0.05, 1.0),
    zeta=st.sampled_from([0.0, 0.05]),
    number=st.integers(0, 10**6),
)
def test_it_never_spends_more_than_its_budget(
    epsilon: float, rho: float, budget: float, q: float, zeta: float, number: int
) -> None:
    """At its one order; and it ends because the next release cannot be paid, or at the cap."""
    at = np.arange(8.0)
    table = Table(features=np.stack([np.sin(at), np.cos(at)], axis=1), labels=np.where(at % 2, 1.0, -1.0))
    try:
        subject = DpBlsgdRepaired(
            epsilon=epsilon,
            delta=1e-3,
            rho_grad=rho,
            budget_bt=budget,
            q=q,
            zeta=zeta,
            orders=tuple(range(2, 40)),
            eta0=100.0,
            max_it=4,
            most_steps=40,
            records=8,
        )
    except InputError:
        reject()  # pays for no iteration: said by another test
    transcript = subject.transcript(table, rng=stream(number, "repaired"))
    claimed = subject.claimed_renyi().epsilon
    assert claimed is not None
    spent = transcript.budgets.sum()
    assert 0 < spent <= claimed * (1 + 1e-12)
    if len(transcript.step_sizes) < 40:
        public = transcript.public
        dearest = [
            subject.charged_gradient(float(public["gradient-budget"][-1]) * 1.3),
            subject.charged_search(float(public["search-budget"][-1]) * 1.3),
        ]
        assert claimed - spent < max(step.renyi(np.array([float(subject.order)]))[0] for step in dearest)


def test_every_release_has_a_sample_of_its_own(small: Table) -> None:
    transcript = DpBlsgdRepaired(most_steps=50).transcript(small, rng=stream(0, "own"))
    samples = sum(draw.name == "batch" for draw in transcript.draws)
    assert samples == len(transcript.public["gradient-budget"]) + len(transcript.answers) == len(transcript.budgets)


def test_it_refuses_a_budget_that_pays_for_nothing() -> None:
    with pytest.raises(InputError, match="pays for no iteration"):
        DpBlsgdRepaired(epsilon=0.01, delta=1e-8)
    with pytest.raises(InputError, match="divisor"):
        DpBlsgdRepaired(divisor="realised")


def test_an_accountant_agrees_with_the_budget(small: Table) -> None:
    """The composition of what a run took costs no more than the claim, by the project's Renyi accountant."""
    subject = DpBlsgdRepaired(records=30)
    transcript = subject.transcript(small, rng=stream(0, "accountant"))
    composed = RdpAccountant().compose(subject.composition(transcript))
    assert composed.epsilon(1e-8).upper <= 0.2


def test_what_is_released_does_not_tell_how_many_records_there_are(small: Table) -> None:
    """With no records in the samples that matter: the same transcript, but for the samples, at 30 and at 29 records."""
    subject = DpBlsgdRepaired(records=25, q=0.1, most_steps=5)
    blank = [Table(features=np.zeros((rows, 3)), labels=np.ones(rows)) for rows in (30, 29)]
    first, second = (subject.transcript(table, rng=stream(0, "blank")).perturbed[0] for table in blank)
    assert (first.scale, first.sensitivity) == (second.scale, second.sensitivity)
    assert first.sensitivity == pytest.approx(3.0 / 2.5)


def test_without_a_public_number_of_records_nothing_is_claimed(small: Table) -> None:
    subject = DpBlsgdRepaired(most_steps=3)
    transcript = subject.transcript(small, rng=stream(0, "unclaimed"))
    for claim in (subject.guarantee, subject.claimed_renyi, lambda: subject.composition(transcript)):
        with pytest.raises(InputError, match="records = None"):
            claim()
    with pytest.raises(InputError, match="records = None"):
        DpBlsgdNetworkRepaired().composition()
    assert DpBlsgdRepaired(records=30).guarantee() == ApproxDP(epsilon=0.2, delta=1e-8)
