"""What is registered for a claim, by default and as told."""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from reference_impls.mechanisms.gaussian import Gaussian
from reference_impls.mechanisms.mechanism_claims import STANDARD, add_claim, add_pure_claim
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim

SOURCE = ("a paper", "Thm 1")


def test_a_pure_claim_has_the_benchmarks_defaults() -> None:
    registry = Registry()
    add_pure_claim(registry, "toy", "stands", relation="one-query", size=1, source=SOURCE, statement="It holds.")
    entry = registry.entries.get("toy")
    assert entry.claim.guarantee == PureDP(epsilon=0.1)
    assert entry.claim.parameters == {"epsilon": 0.1}
    assert (entry.claim.subject, entry.claim.space.low, entry.claim.space.high) == ("toy", -10.0, 10.0)
    assert (entry.expectation, entry.suites, entry.profile, entry.noise_deficit) == ("stands", ("core",), "quick", None)


def test_what_is_claimed_may_differ_from_the_parameter() -> None:
    registry = Registry()
    given = {"relation": "one-query", "size": 10, "source": SOURCE, "statement": "Twice epsilon."}
    add_pure_claim(registry, "toy", "broken", claimed=0.2, parameters={"block": 3}, subject="other", **given)
    claim = registry.entries.get("toy").claim
    assert claim.guarantee == PureDP(epsilon=0.2)
    assert claim.parameters == {"epsilon": 0.1, "block": 3}
    assert claim.subject == "other"


def test_any_guarantee_may_be_claimed() -> None:
    registry, guarantee = Registry(), ApproxDP(epsilon=1.0, delta=1e-5)
    given = {"relation": "add-remove", "size": 3, "source": SOURCE, "statement": "It holds.", "low": 0.0}
    registry.mechanisms.add("toy", Gaussian)
    add_claim(
        registry, "toy", "stands", guarantee=guarantee, parameters={"sigma": 2.0}, noise_deficit="broken", **given
    )
    entry = registry.entries.get("toy")
    assert entry.claim.guarantee == guarantee
    assert entry.claim.parameters == {"sigma": 2.0}
    assert entry.claim.source.locus == "Thm 1"
    assert entry.noise_deficit == "broken"
    assert registry.entries.get("toy-noise-0.9").expectation == "broken"


def test_sparse_vector_variants_are_asked_the_same() -> None:
    registry = Registry()
    add_svt_claim(registry, "toy", "broken", cutoff=2, source=(LYU, "Algorithm 9"), statement="It holds.")
    entry = registry.entries.get("toy")
    assert entry.claim.parameters == {"epsilon": 0.1, "threshold": 1.0, "cutoff": 2}
    assert (entry.claim.relation, entry.claim.space.size, entry.suites) == ("all-queries", 10, STANDARD)
