"""What `dpverify list` says: one line each, that a person understands."""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry
from dpverify.reporting.listing import listing


@pytest.mark.parametrize(
    "kind", ["mechanisms", "known-broken", "auditors", "datasets", "accountants", "steps", "relations"]
)
def test_every_line_says_something_without_markup(kind: str) -> None:
    rows = listing(registry(), kind)
    assert rows
    for row in rows:
        assert len(row["about"]) > 15, row
        assert "``" not in row["about"]
        assert ":class:" not in row["about"]
        assert not row["about"].startswith("Subject")


def test_a_subject_is_told_by_what_it_is() -> None:
    about = {row["name"]: row["about"] for row in listing(registry(), "mechanisms")}
    assert about["dp-sgd"].startswith("DP-SGD (Abadi et al. 2016, Algorithm 1)")


def test_a_data_set_is_told_by_its_size_and_source() -> None:
    about = {row["name"]: row["about"] for row in listing(registry(), "datasets")}
    assert about["breast-cancer"].startswith("569 x 31, here; UCI Breast Cancer")
    assert about["ipums-br"].startswith("38,000 x 53, not here; ")
