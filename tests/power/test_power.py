"""Power: half of the right noise is found, and known-broken mechanisms by who says that he can.

Which auditors and mechanisms follows from the registry and the boundaries. The full curves are `make power`. Detection
at half the noise is all but sure for an auditor that finds it at all: a test here fails by chance with probability far
below 1e-9 where single audits miss with probability 1e-4 (three of three have to).
"""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry
from dpverify.testing.boundaries import Noise
from tests.calibration.harness import SEED, refusal, statistical_auditors
from tests.power.known_broken import broken_entries, lines, looks
from tests.power.sweep import ALPHA, SCALES, cell, half_detected, swept, turned_down

TRIALS, FEW = 2_000, 200


def light(auditor):
    """Mechanisms that the auditor examines in a fraction of a second."""
    return [
        boundary
        for boundary in swept()
        if boundary.light and refusal(auditor, boundary, alpha=ALPHA, trials=TRIALS) is None
    ]


def test_less_noise_is_less_noise():
    """What is turned down is the noise and nothing else."""
    for boundary in swept():
        assert turned_down(boundary, 0.5).guarantee is boundary.guarantee
        less = turned_down(boundary, 0.5).subject
        assert [getattr(less, name) for name in SCALES if hasattr(less, name)] == [0.5]
        assert turned_down(boundary, 1.0).subject == boundary.subject


def test_half_detected_is_the_largest_such_ratio():
    base = {"auditor": "a", "mechanism": "m", "repetitions": 10}
    cells = [{**base, "ratio": ratio, "detected": found} for ratio, found in ((0.5, 10), (0.8, 5), (0.9, 4))]
    assert half_detected(cells) == {("a", "m"): 0.8}
    assert half_detected([{**base, "ratio": 0.5, "detected": 0}]) == {("a", "m"): 0.0}


def examined(auditor):
    """Mechanisms that the auditor examines, the light ones first."""
    return sorted(
        (one for one in swept() if refusal(auditor, one, alpha=ALPHA, trials=TRIALS) is None),
        key=lambda one: not one.light,
    )


@pytest.mark.parametrize("auditor", statistical_auditors(registry()), ids=lambda auditor: auditor.name)
def test_half_the_noise_is_found(auditor):
    """By every auditor, on the first mechanism that it examines (a light one, if any), at one audit of three at least.

    An auditor that sees what no law describes is shown noise on grids only: the low bits of noise in floating point
    would give away the right amount of it too.
    """
    first = examined(auditor)[0]
    assert not (getattr(auditor, "beyond_law", False) and isinstance(first.subject, Noise))
    found = cell(auditor, first, 0.5, trials=TRIALS if first.light else FEW, repetitions=3, seed=SEED)
    assert found["detected"] >= 1, found


@pytest.mark.slow
@pytest.mark.parametrize("auditor", statistical_auditors(registry()), ids=lambda auditor: auditor.name)
def test_half_the_noise_is_found_on_every_mechanism(auditor):
    missed = [
        boundary.name
        for boundary in light(auditor)
        if cell(auditor, boundary, 0.5, trials=TRIALS, repetitions=3, seed=SEED)["detected"] == 0
    ]
    assert missed == []


@pytest.mark.slow
def test_every_known_broken_mechanism_is_found_by_some_auditor_alone(tmp_path):
    """At a small budget or at the larger one; what the proofs of exact methods leave, sampling finds."""
    known = registry()
    assert list(looks(known, [auditor for _, auditor in known.auditors.items()], folder=tmp_path))
    table = [line for line in lines(known, tmp_path) if line.startswith("| ")][1:]
    assert len(table) == len(broken_entries(known))
    assert [line for line in table if line.endswith(" 0 |")] == []
