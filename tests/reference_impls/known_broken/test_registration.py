"""What is registered, as a whole: names, expectations, and that every entry can be built, drawn from and witnessed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.sampling.streams import stream

STANDARD = {
    "laplace", "laplace-parallel", "noisy-histogram", "numerical-svt", "rappor", "rappor-one-time", "report-noisy-max",
    "report-noisy-max-exponential", "svt1", "svt2",
}  # fmt: skip
HARMLESS = {"noisy-hist-2-1.5", "gaussian-classical-noise-0.9"}
"""Bugs that leave their claim standing."""

STANDARD_BROKEN = {
    "noisy-hist-2-0.1", "noisy-max-3", "noisy-max-4", "prefix-sum-all-queries", "svt3-0.1", "svt34-parallel-0.1",
    "svt4", "svt5", "svt6", "truncated-geometric-natural-log",
}  # fmt: skip


def entries(registered: Registry) -> list[SuiteEntry]:
    return [entry for _, entry in registered.entries.items()]


def test_the_benchmark_table_is_complete(registered: Registry) -> None:
    found = {
        expectation: {
            entry.claim.id
            for entry in entries(registered)
            if "standard" in entry.suites and entry.expectation == expectation
        }
        for expectation in ("stands", "broken")
    }
    assert found["stands"] == STANDARD
    assert found["broken"] == STANDARD_BROKEN


def test_sound_and_broken_subjects_keep_apart(registered: Registry) -> None:
    assert not set(registered.mechanisms) & set(registered.known_broken)
    for entry in entries(registered):
        assert entry.expectation in ("stands", "broken")
        if entry.expectation == "broken":
            assert entry.claim.subject in registered.known_broken
        elif entry.claim.id not in HARMLESS:
            assert entry.claim.subject in registered.mechanisms
        assert "core" in entry.suites


def test_every_entry_can_be_drawn_from_on_generated_neighbours(registered: Registry) -> None:
    for entry in entries(registered):
        claim = entry.claim
        mechanism = registered.subject(claim.subject)(**claim.parameters)
        generator = registered.neighbors.get(claim.relation)
        for pair in generator.candidates(claim.space, limit=6, rng=stream(0, claim.id)):
            assert generator.check(pair.d0, pair.d1) is None
            for dataset in (pair.d0, pair.d1):
                out = mechanism.sample(dataset, 7, rng=stream(0, claim.id))
                assert out.shape[0] == 7
                assert out.ndim in (1, 2)
                assert np.isfinite(out).all()
                if hasattr(mechanism, "counts"):
                    assert mechanism.counts(dataset, 7, rng=stream(0, claim.id)).sum() == 7
                if hasattr(mechanism, "query"):
                    assert mechanism.query(dataset).ndim == 1


def test_every_subject_has_the_multiplier_and_is_frozen(registered: Registry) -> None:
    for entry in entries(registered):
        mechanism = registered.subject(entry.claim.subject)(**entry.claim.parameters)
        assert mechanism.noise_multiplier == (0.9 if entry.claim.id.endswith("-noise-0.9") else 1.0)
        with pytest.raises(dataclasses.FrozenInstanceError):
            mechanism.noise_multiplier = 2.0


def test_samples_are_reproducible_and_differ_between_streams(registered: Registry) -> None:
    for entry in entries(registered):
        claim = entry.claim
        mechanism = registered.subject(claim.subject)(**claim.parameters)
        dataset = registered.neighbors.get(claim.relation).candidates(claim.space, limit=1, rng=stream(0))[0].d0
        first, again, other = (mechanism.sample(dataset, 50, rng=stream(1, name)) for name in "aab")
        np.testing.assert_array_equal(first, again)
        if claim.subject != "sensitivity-zero":  # has no noise at all: that is the bug
            assert not np.array_equal(first, other)
