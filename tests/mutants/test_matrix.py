"""The page of mutants is drawn from its records; a few cells are made again, in a fraction of the time."""

from __future__ import annotations

import pytest

from dpverify.testing import check_mechanism
from dpverify.testing.sabotage.kinds import kinds_of
from dpverify.testing.sabotage.report import OUTCOMES
from tests.mutants.matrix import PAGE, kept, made, rendered
from tests.mutants.plain_mechanisms import sigma_suffices, subjects

KNOWN = {subject.name: subject for subject in subjects()}


def test_the_page_is_drawn_from_the_records():
    assert rendered(kept()) == PAGE.read_text()


def test_every_mechanism_has_a_record_of_every_mutant():
    records = {record["mechanism"]: record for record in kept()}
    assert set(records) == set(KNOWN)
    for record in records.values():
        assert {row["outcome"] for row in record["rows"]} <= set(OUTCOMES)
        assert len(record["rows"]) + len(record["left_out"]) == 8
        assert record["claim"] == KNOWN[record["mechanism"]].claim


def test_gaussian_noise_suffices():
    assert sigma_suffices()


@pytest.mark.parametrize(
    ("name", "mutant"),
    [("clipped_sum", "noise-halved"), ("histogram", "noise-reused"), ("clipped_mean", "clip-dropped")],
)
def test_a_cell_comes_out_as_it_is_recorded(name, mutant):
    """No chance is in it: replay finds each from a few runs, with certainty but for 1e-9."""
    (recorded,) = [record for record in kept() if record["mechanism"] == name]
    (row,) = [row for row in recorded["rows"] if row["name"] == mutant]
    (again,) = made(KNOWN[name], seconds=30, only=[mutant])["rows"]
    assert again["outcome"] == row["outcome"] == "killed"
    assert again["loss"] == row["loss"]


def test_a_fixed_seed_that_the_audit_does_not_see_breaks_the_contract():
    """As the page says of the survivors."""
    for name in ("noisy_max", "above_threshold"):
        subject = KNOWN[name]
        broken = {each.name: each for each in kinds_of(subject.mechanism, name, [], altered=True)}["seed-fixed"].broken
        with pytest.raises(AssertionError, match="adds no noise"):
            check_mechanism(broken, claim=subject.claim, data=subject.data)
