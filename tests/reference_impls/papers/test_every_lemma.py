"""What every lemma and table must do, at the paper's own point and in the corners of its box."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import pytest

from dpverify.core.plugins import registry
from dpverify.core.subjects import HasPrintedBound

REGISTRY = registry()
CLAIMS = [
    (name, entry.claim)
    for name, entry in REGISTRY.entries.items()
    if entry.claim.subject.startswith(("lemma-", "table-")) and name.startswith("ACC-")
]


def _points(name: str) -> Iterator[tuple[HasPrintedBound, dict]]:
    claim = dict(CLAIMS)[name]
    build = REGISTRY.subject(claim.subject)
    boxes = claim.space.parameters
    yield build(**claim.parameters), {}
    for low in itertools.islice((True, False), 2 if boxes else 0):
        corner = {key: box[0] if low else box[1] for key, box in boxes.items()}
        yield build(**{**claim.parameters, **corner}), corner


def test_every_row_of_the_ledgers_accounting_has_a_claim():
    rows = {
        "GAUSS-RDP", "GAUSS-CLASSIC", "GAUSS-CLASSIC-R", "PURE-RDP", "RDP-DP", "RDP-COMP", "ADV-HET", "MA",
        "AMP-POISSON", "AMP-WOR", "EPS-TABLE-ADP", "EPS-TABLE-ADP-R", "EPS-TABLE-BR", "EPS-TABLE-BR-R",
    }  # fmt: skip
    assert {f"ACC-{row}" for row in rows} <= {name for name, _ in CLAIMS}


@pytest.mark.parametrize("name", [name for name, _ in CLAIMS])
def test_both_sides_are_numbers_at_the_own_point_and_in_two_corners(name):
    for subject, corner in _points(name):
        assert isinstance(subject, HasPrintedBound)
        printed, truth = subject.printed(), subject.truth()
        assert printed.value >= 0, corner
        assert truth.value >= 0, corner
        assert truth.error >= 0
        assert not math.isinf(truth.value) or math.isinf(printed.value), corner


@pytest.mark.parametrize("name", [name for name, _ in CLAIMS])
def test_the_proof_at_the_own_point_holds_the_float_ratio(name):
    subject, _ = next(_points(name))
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert proof.error <= 1e-9 * proof.value + 1e-12
    ratio = subject.truth().value / subject.printed().value
    # Truths near 0 are taken from below and their bounds from above: the float ratio errs to one side.
    assert ratio <= proof.upper * (1 + 1e-6)
    assert ratio == pytest.approx(proof.value, rel=1e-5)


@pytest.mark.parametrize("name", [name for name, _ in CLAIMS])
def test_claims_carry_no_expectation(name):
    assert dict(REGISTRY.entries.items())[name].expectation is None
