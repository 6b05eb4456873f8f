"""What `dpverify list` says: one line each, that a person understands."""

from __future__ import annotations

import pytest

from dpverify.core.listing import listing
from dpverify.core.plugins import registry


@pytest.mark.parametrize(
    "kind", ["mechanisms", "known-broken", "lemmas", "auditors", "datasets", "accountants", "steps", "relations"]
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


def test_mechanisms_are_algorithms_by_family_and_lemmas_the_rest() -> None:
    families: dict[str, list[str]] = {}
    for row in listing(registry(), "mechanisms"):
        families.setdefault(row["family"], []).append(row["name"])
    assert list(families) == sorted(families)
    assert {"admm", "federated", "line_search", "mechanisms", "optimizers", "ranking"} <= set(families)
    assert max(map(len, families.values())) <= 35  # a screen
    lemmas = listing(registry(), "lemmas")
    assert {row["family"] for row in lemmas} >= {"accounting", "adadp", "adpsgd", "blsgd", "diss/admm", "rsgd"}
    assert not {row["name"] for row in lemmas} & {name for names in families.values() for name in names}
    assert not any(name.startswith("lemma-") for names in families.values() for name in names)
