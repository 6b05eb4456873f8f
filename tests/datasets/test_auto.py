"""``auto``: Adult where it is, breast-cancer elsewhere, and never a silent change of data."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files
from dpverify.datasets.auto import load_default


def test_without_adult_it_is_the_bundled_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.delenv(files.VARIABLE, raising=False)
    assert load_default().name == "breast-cancer"


def test_a_damaged_adult_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    (tmp_path / "adult").mkdir()
    for name in ("a9a", "a9a.t"):
        (tmp_path / "adult" / name).write_bytes(b"+1 1:1\n")
    with pytest.raises(InputError, match="sha256"):
        load_default()


def test_a_mistyped_variable_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path / "none"))
    with pytest.raises(InputError, match="is no folder"):
        load_default()
