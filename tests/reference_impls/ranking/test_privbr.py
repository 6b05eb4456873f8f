"""PrivBR as printed and repaired."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.core.errors import InputError
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.simulated_sessions import load_simulated
from dpverify.sampling.streams import stream
from reference_impls.ranking.objectives.objective import find_objective
from reference_impls.ranking.prefix_gradients import prefix_norms
from reference_impls.ranking.privbr import PrivBr
from reference_impls.ranking.privbr_repaired import PrivBrRepaired
from reference_impls.ranking.scorers.scorer import find_scorer
from reference_impls.ranking.session_training import decreasing_step

SHORT = {"scorer": "mlp:4:tanh", "steps": 6, "batch": 5}


def risk(scorer_text: str, weights: np.ndarray, k: int = 1) -> float:
    """(6.7) on the simulated sessions."""
    data, scorer, objective = load_simulated(), find_scorer(scorer_text), find_objective("bayesrank")
    return sum(
        objective.loss(scorer.scores(weights, data.documents_of(j)), data.labels_of(j), k) for j in range(data.count)
    )


@pytest.mark.parametrize(("kind", "sign"), [(PrivBr, -1.0), (PrivBrRepaired, 1.0)])
@pytest.mark.parametrize("reduced", [True, False])
def test_a_run_by_hand(kind: type[PrivBr], sign: float, reduced: bool) -> None:
    """From the transcript's own draws, with gradients that are central differences of (6.7)."""
    algorithm = kind(scorer="linear", steps=2, batch=3, noise_multiplier=0.7, step_size=0.3, spectral=False, k=1)
    algorithm = replace(algorithm, reduced=reduced)
    data, scorer = load_simulated(), find_scorer("linear")
    whole = algorithm.transcript(data, rng=stream(0, "by hand"))
    batches = [draw.values for draw in whole.draws if draw.name == "batch"]
    chances = [draw.values for draw in whole.draws if draw.name == "one-hot"]
    weights = np.zeros(3)
    hidden = [each.value[0] for each in whole.perturbed if not each.released]
    known = whole.public.get("sensitivity", np.empty(0)).tolist()
    for step, noisy in enumerate(each for each in whole.perturbed if each.released):
        sums = {}
        for j in range(data.count):
            norms = np.sort(prefix_norms(scorer, weights, data.documents_of(j), 1)[1])
            sums[j] = (2 * norms[-1] if kind is PrivBrRepaired else norms[-2:].sum()) if reduced else norms.sum()
        bound = max(sums[j] for j in (range(data.count) if kind is PrivBrRepaired else batches[step]))
        assert noisy.sensitivity == pytest.approx(bound, rel=1e-12)
        assert noisy.sensitivity == (known if kind is PrivBrRepaired else hidden)[step]
        assert noisy.scale == pytest.approx(0.7 * bound, rel=1e-12)

        def minus_risk(point: np.ndarray, step: int = step) -> float:
            total = 0.0
            for j, chance in zip(batches[step], chances[step], strict=True):
                labels = data.labels_of(j)
                if reduced:
                    ties = np.flatnonzero(labels == labels.max())
                    labels = 2.0 * (np.arange(labels.size) == ties[int(chance * ties.size)])
                scores = data.documents_of(j) @ point
                gains = (2**labels - 1) / (2 ** labels.max() - 1)
                total += gains @ np.exp(scores) / np.exp(scores).sum()
            return total

        slope = [(minus_risk(weights + h) - minus_risk(weights - h)) / 2e-5 for h in 1e-5 * np.eye(3)]
        assert noisy.clean == pytest.approx(slope, abs=1e-8)
        weights = weights + sign * 0.3 * noisy.value
        assert whole.iterates[step + 1] == pytest.approx(weights, rel=1e-12)
    assert np.array_equal(whole.result, whole.iterates[-1])
    assert (len(known), len(hidden)) == ((2, 0) if kind is PrivBrRepaired else (0, 2))
    assert whole.step_sizes.tolist() == [0.3, 0.3]


def test_the_print_raises_the_risk_and_the_repair_lowers_it() -> None:
    """BR-DESCENT: the directional derivative along the first step, and a short training without noise."""
    settings = {"scorer": "linear", "steps": 30, "batch": 12, "noise_multiplier": 0.0, "spectral": False}
    for kind, sign in ((PrivBr, 1.0), (PrivBrRepaired, -1.0)):
        whole = kind(**settings, reduced=False).transcript(load_simulated(), rng=stream(0, "descent"))
        start, first = whole.iterates[:2]
        moved = risk("linear", start + 1e-6 * (first - start)) - risk("linear", start)
        assert sign * moved > 0
        assert sign * (risk("linear", whole.result) - risk("linear", start)) > 0.5


@pytest.mark.parametrize("kind", [PrivBr, PrivBrRepaired])
def test_replay_and_what_labels_move(kind: type[PrivBr]) -> None:
    """The same bits on the same data; on neighbours the same batches, bounds and spreads: none depends on labels."""
    algorithm, data = kind(**SHORT), load_simulated()
    whole = algorithm.transcript(data, rng=stream(0, "replay"))
    again = algorithm.replay(data, whole)
    assert again.result.tobytes() == whole.result.tobytes()
    assert again.iterates.tobytes() == whole.iterates.tobytes()
    assert np.array_equal(algorithm.train(data, rng=stream(0, "replay")), whole.result)
    place = int(next(draw.values for draw in whole.draws if draw.name == "batch")[0])
    length = int(data.lengths[place])
    moved = algorithm.replay(data.relabelled(place, np.roll(data.labels_of(place), 1)), whole)
    first, other = whole.perturbed[0], moved.perturbed[0]
    assert (first.scale, first.sensitivity) == (other.scale, other.sensitivity)
    assert length >= 2
    assert 0 < np.linalg.norm(other.clean - first.clean) <= first.sensitivity


def test_spectral_normalisation_holds_along_the_run() -> None:
    whole = PrivBr(**SHORT).transcript(load_simulated(), rng=stream(0, "spectral"))
    for weights in whole.iterates:
        assert np.linalg.norm(weights[:12].reshape(4, 3), 2) == pytest.approx(1.0, rel=1e-12)
        assert np.linalg.norm(weights[-4:]) == pytest.approx(1.0, rel=1e-12)


def test_the_repaired_noise_has_one_spread_whatever_the_sample() -> None:
    """BR-BATCH-C: as printed the spread tells samples apart, repaired it does not."""
    spreads = {}
    for kind in (PrivBr, PrivBrRepaired):
        algorithm = kind(scorer="linear", steps=1, batch=2)
        spreads[kind] = {
            algorithm.transcript(load_simulated(), rng=stream(i, "spread")).perturbed[0].scale for i in range(8)
        }
    assert len(spreads[PrivBr]) > 2
    assert len(spreads[PrivBrRepaired]) == 1


def test_replacing_a_session_is_within_the_repaired_bound() -> None:
    """What amplification by sampling needs: samples that differ in one whole session, documents and labels."""
    data, scorer = load_simulated(), find_scorer("linear")
    rng = np.random.default_rng(0)
    for reduced in (True, False):
        algorithm = PrivBrRepaired(scorer="linear", batch=1, reduced=reduced)
        for _ in range(20):
            weights = 2 * rng.standard_normal(3)
            bound = max(algorithm.bound(scorer, weights, data.documents_of(j)) for j in range(data.count))
            alone = [algorithm.gradient(scorer, weights, data, np.array([j]), np.zeros(1)) for j in range(data.count)]
            assert max(np.linalg.norm(one - two) for one in alone for two in alone) <= bound


def test_the_printed_reduced_bound_is_no_bound_for_that() -> None:
    """Two largest norms of one session can be less than the largest of two sessions together."""
    scorer = find_scorer("linear")
    documents = np.array([[1.0], [0.0], [0.0], [0.0], [0.0]])
    printed, repaired = (
        kind(scorer="linear", batch=1).bound(scorer, np.zeros(1), documents) for kind in (PrivBr, PrivBrRepaired)
    )
    largest = prefix_norms(scorer, np.zeros(1), documents, 1)[1].max()
    assert printed < 1.3 * largest
    assert repaired == pytest.approx(2 * largest)


@pytest.mark.parametrize("kind", [PrivBr, PrivBrRepaired])
@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize("offset", [1e3, 1e8, 1.6e9])
def test_a_feature_that_all_documents_share_does_not_silence_the_noise(kind, reduced: bool, offset: float) -> None:
    rng = np.random.default_rng(0)
    documents, offsets = np.c_[np.full(12, offset), rng.uniform(-1, 1, 12)], np.arange(0, 13, 3)
    algorithm = kind(scorer="linear", steps=1, batch=4, spectral=False, reduced=reduced)
    found = []
    for labels in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
        everyone = np.concatenate([labels, np.tile([1.0, 0.0, 0.0], 3)])
        data = Sessions(documents=documents, labels=everyone, offsets=offsets)
        found.append(algorithm.transcript(data, rng=stream(0, "shared")).perturbed[0])
    first, other = found
    assert first.scale == other.scale == 1.5 * first.sensitivity
    assert 0.1 < np.linalg.norm(first.clean - other.clean) <= first.sensitivity < 2.0
    assert not first.clean[0]


@pytest.mark.parametrize("scorer", ["linear", "mlp:4:tanh"])
@pytest.mark.parametrize("k", [1, 2])
def test_labels_of_any_size_leave_numbers(scorer: str, k: int) -> None:
    """2^1100 is no float64; a run on such labels is as private as any."""
    data = load_simulated()
    large = np.zeros(data.labels_of(0).size)
    large[0] = 1100.0
    algorithm = PrivBrRepaired(scorer=scorer, k=k, steps=1, batch=12)
    first, other = (
        algorithm.transcript(each, rng=stream(0, "large")).perturbed[0]
        for each in (data.relabelled(0, 0 * large), data.relabelled(0, large))
    )
    assert first.scale == other.scale
    assert 0 < np.linalg.norm(first.clean - other.clean) <= first.sensitivity


def test_step_sizes_fall_in_steps() -> None:
    found = [decreasing_step(0.1, t, 400) for t in (0, 99, 100, 200, 399)]
    assert found == pytest.approx([0.1, 0.1, 0.075, 0.05, 0.025])
    assert decreasing_step(0.1, 3, 4) == 0.1
    whole = PrivBr(**{**SHORT, "steps": 101, "scorer": "linear"}).transcript(load_simulated(), rng=stream(0, "steps"))
    assert whole.step_sizes[[0, 99, 100]].tolist() == [0.1, 0.1, 0.05]


def test_the_composition_is_the_captions() -> None:
    """MQ2008, sigma = 1.5: the step of Lemma 2.3 at q = 10 / 628, 400 times."""
    assert PrivBr.relation == PrivBrRepaired.relation == "labels"
    (part,) = PrivBr().composition(628)
    assert part.count == 400
    expected = without_replacement_bound(10 / 628, lambda orders: orders / (2 * 1.5**2), np.array([8.0]))
    assert part.step.printed(np.array([8.0])) == pytest.approx(expected)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="batch <= 12"):
        PrivBr(**{**SHORT, "batch": 13}).train(load_simulated(), rng=stream(0, "bad"))
    with pytest.raises(InputError, match="label -1"):
        PrivBr(**SHORT).train(load_simulated().relabelled(0, np.full(6, -1.0)), rng=stream(0, "bad"))
    with pytest.raises(InputError, match="1 <= batch"):
        PrivBr().composition(9)
    for name, value in (("k", 0), ("steps", 0), ("batch", 0), ("noise_multiplier", -1.0), ("step_size", 0.0)):
        with pytest.raises(InputError, match=name):
            PrivBr(**{name: value})
    with pytest.raises(InputError, match="scoring function"):
        PrivBr(scorer="forest")
