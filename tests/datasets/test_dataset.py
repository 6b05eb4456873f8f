"""Data sets by name."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.dataset import Dataset, load_table


def test_the_registered_sets_load_by_name() -> None:
    assert load_table("breast-cancer").name == "breast-cancer"
    assert load_table("auto").name in ("adult", "breast-cancer")


def test_every_registered_set_is_described() -> None:
    for name, found in registry().datasets.items():
        assert isinstance(found, Dataset)
        assert found.name == name
        assert found.source
        assert found.licence
        assert found.available() in (True, False)


def test_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(InputError, match="breast-cancer"):
        load_table("breast-cancr")
