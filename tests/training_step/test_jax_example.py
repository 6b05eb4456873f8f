"""The page's example in JAX, where JAX is installed: the right step passes, and the one with one key is found."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import dpverify as dpv
from tests.docs.examples import Page

pytest.importorskip("jax", reason="JAX is not installed here; tests/libraries/environments.py has it")
PAGE = Page(Path(__file__).parents[2] / "docs/howto/training-step.md")


@pytest.fixture
def example(tmp_path, monkeypatch):
    (tmp_path / "jaxstep.py").write_text(PAGE.files()["jaxstep.py"])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "jaxstep", raising=False)
    return importlib.import_module("jaxstep")


def test_the_right_step_passes(example):
    found = dpv.check_training_step(**example.setup())
    assert found.check() is found


def test_one_key_for_two_arrays_is_found(example):
    found = dpv.check_training_step(**example.setup_one_key())
    assert [row.name for row in found.rows if row.verdict == "refuted"] == ["noise reuse"]
