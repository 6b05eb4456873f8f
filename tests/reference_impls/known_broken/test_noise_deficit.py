"""Each noise deficit is real: an exact law refutes the claim, with proof, on a pair of the claim's search space."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import reference_impls.known_broken
import reference_impls.mechanisms
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry, register_modules
from dpverify.core.subjects import Pair
from dpverify.core.suite import MULTIPLIER, SUFFIX, SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.laplace import Laplace


def deficits(expectation: str) -> list[str]:
    """The claims whose noise deficit is expected so, read off the registry: there is no list to edit."""
    registry = Registry()
    for package in (reference_impls.mechanisms, reference_impls.known_broken):
        register_modules(package, registry)
    variants = [(name, entry) for name, entry in registry.entries.items() if name.endswith(SUFFIX)]
    return [name.removesuffix(SUFFIX) for name, entry in variants if entry.expectation == expectation]


def witnesses(claim: Claim, registered: Registry) -> list[Pair]:
    """What an auditor may try: the relation's own candidates, and the extremes that need a search."""
    generator = registered.neighbors.get(claim.relation)
    pairs = generator.candidates(claim.space, limit=420, rng=stream(0, claim.id))
    if claim.relation == "all-queries":
        middle, size = (claim.space.low + claim.space.high) / 2, claim.space.size
        last = np.arange(size) == size - 1
        step = np.where(last, -1.0, 1.0)
        for reach in (claim.space.high - middle, (claim.space.high - middle) / 2):
            far = (reach - 1.0) * step
            pairs += [Pair(d0=middle + sign * far, d1=middle + sign * (far + step)) for sign in (1.0, -1.0)]
    return pairs


def proved(claim: Claim, registered: Registry, subject: str, pair: Pair) -> list[tuple[float, Measure]]:
    """Lower ends of the proved measures of the claim on a pair, both directions."""
    mechanism = registered.subject(subject)(**claim.parameters)
    p, q = mechanism.output_law(pair.d0), mechanism.output_law(pair.d1)
    found = [
        (one.prove(measure), measure) for one in (p.against(q), q.against(p)) for measure in claim.guarantee.measures()
    ]
    return [(enclosed.lower, measure) for enclosed, measure in found if enclosed is not None]


@pytest.mark.parametrize("name", deficits("broken"))
def test_the_deficit_is_refuted_with_proof_and_the_sound_mechanism_is_not(name: str, registered: Registry) -> None:
    claim = registered.entries.get(name).claim
    weak = registered.entries.get(name + SUFFIX)
    assert (weak.expectation, weak.profile) == ("broken", "full")
    assert weak.claim.guarantee == claim.guarantee
    pairs = witnesses(claim, registered)
    generator = registered.neighbors.get(claim.relation)
    caught = False
    chosen = {"value": pairs[::7], "add-remove": pairs[:48]}.get(claim.relation, pairs[-4:] + pairs[:4])
    for pair in chosen:
        assert generator.check(pair.d0, pair.d1) is None
        for lower, measure in proved(claim, registered, claim.subject, pair):
            assert lower <= measure.claimed
        caught |= any(lower > m.claimed for lower, m in proved(claim, registered, weak.claim.subject, pair))
    assert caught


@pytest.mark.parametrize("name", deficits("stands"))
def test_a_deficit_that_stands_meets_its_claim_and_less_noise_does_not(name: str, registered: Registry) -> None:
    weak = registered.entries.get(name + SUFFIX)
    assert weak.profile == "full"
    weaker = dataclasses.replace(weak.claim, parameters={**weak.claim.parameters, "noise_multiplier": 0.5})
    broken = False
    for pair in witnesses(weak.claim, registered)[:6]:
        for lower, measure in proved(weak.claim, registered, weak.claim.subject, pair):
            assert lower <= measure.claimed
        broken |= any(lower > m.claimed for lower, m in proved(weaker, registered, weak.claim.subject, pair))
    assert broken


def test_every_sound_mechanism_with_a_law_that_proves_the_deficit_has_its_variant(registered: Registry) -> None:
    subjects = {entry.claim.subject for _, entry in registered.entries.items()}
    sound = {each for each in subjects if each in registered.mechanisms}
    without = {each for each in sound if not hasattr(registered.mechanisms.get(each), "output_law")}
    assert without == {"exponential-median"}
    variants = {name.removesuffix(SUFFIX) for name in registered.known_broken if name.endswith(SUFFIX)}
    assert sound - without == variants


def test_a_subject_is_registered_once_for_several_claims() -> None:
    registry = Registry()
    registry.mechanisms.add("laplace", Laplace)
    for epsilon in (0.1, 1.0):
        claim = Claim(
            id=f"laplace-{epsilon:g}",
            guarantee=PureDP(epsilon=epsilon),
            relation="one-query",
            subject="laplace",
            source=Source(paper="test", locus=""),
            space=SearchSpace(),
        )
        registry.add_entry(SuiteEntry(claim=claim, noise_deficit="broken"))
    assert list(registry.known_broken) == ["laplace-noise-0.9"]
    assert list(registry.entries) == ["laplace-0.1", "laplace-0.1-noise-0.9", "laplace-1", "laplace-1-noise-0.9"]
    assert registry.subject("laplace-noise-0.9")(epsilon=1.0).scale(1.0) == pytest.approx(MULTIPLIER)
