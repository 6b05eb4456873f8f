"""The ledger's queries of chapter 6: what they compute, and that each claim can be refuted."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.neighbors.labels import LabelChange
from dpverify.datasets.simulated_sessions import load_simulated
from reference_impls.papers.diss.lemmas.ranking.batch_gradient import BatchGradient, ClippedSessions, public_weights
from reference_impls.ranking.listwise_sgd import ListwiseSgd
from reference_impls.ranking.privbr import PrivBr
from reference_impls.ranking.scorers.scorer import find_scorer


def largest_move(id: str) -> float:
    """Over the listed pairs of the claim's own space."""
    claim = registry().entries.get(id).claim
    subject = registry().subject(claim.subject)(**claim.parameters)
    pairs = LabelChange().candidates(claim.space, limit=40, rng=np.random.default_rng(0))
    assert all(LabelChange().check(pair.d0, pair.d1) is None for pair in pairs)
    order = {"l2": 2, "linf": np.inf}[claim.guarantee.norm]
    moves = [np.linalg.norm(subject.query(pair.d1) - subject.query(pair.d0), order) for pair in pairs]
    return max(moves) / claim.guarantee.bound


@pytest.mark.parametrize("id", ["BR-SENS.k1", "BR-SENS.k2", "BR-SENS.mlp", "BR-ONEHOT.k1", "BR-ONEHOT-R.k2"])
def test_bounds_that_hold_are_kept_and_are_no_idle_ones(id: str) -> None:
    assert 0.1 < largest_move(id) <= 1 + 1e-9


@pytest.mark.parametrize("id", ["BR-CLIP.bayesrank", "BR-CLIP.listnet", "BR-CLIP.listmle", "BR-METRIC.map"])
def test_bounds_that_do_not_hold_are_seen_to_fail(id: str) -> None:
    assert largest_move(id) > 1.9


def test_it_is_the_algorithms_own_gradient_over_its_own_bound() -> None:
    data, scorer = load_simulated(), find_scorer("linear")
    weights = public_weights(scorer, 3, 0.7)
    everything = np.arange(data.count)
    for reduced, bound in ((False, "all"), (True, "two-largest")):
        algorithm = PrivBr(scorer="linear", reduced=reduced)
        largest = max(algorithm.bound(scorer, weights, data.documents_of(j)) for j in everything)
        expected = algorithm.gradient(scorer, weights, data, everything, np.zeros(data.count)) / largest
        found = BatchGradient(bound=bound, scale=0.7).query(data)
        assert found == pytest.approx(expected, rel=1e-12)
    clipped = ClippedSessions(objective="listmle", clip=0.3, scale=0.7).query(data)
    training = ListwiseSgd(objective="listmle", scorer="linear", clip=0.3)
    assert clipped == pytest.approx(training.gradient(scorer, weights, data, everything) / 0.3)


def test_a_session_of_one_document_moves_nothing() -> None:
    data = load_simulated()
    alone = type(data)(documents=data.documents[:1], labels=data.labels[:1], offsets=np.array([0, 1]))
    for bound in ("all", "two-largest", "spectral"):
        assert not BatchGradient(bound=bound).query(alone).any()


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="bound = 'half'"):
        BatchGradient(bound="half")
    with pytest.raises(InputError, match="k = 2"):
        BatchGradient(bound="spectral", k=2)
    with pytest.raises(InputError, match="scale"):
        BatchGradient(scale=-1.0)
    with pytest.raises(InputError, match="clip"):
        ClippedSessions(clip=0.0)
    with pytest.raises(InputError, match="at least one"):
        BatchGradient().query(load_simulated().take(np.array([], dtype=np.int64)))
