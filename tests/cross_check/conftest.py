"""The libraries that ``make`` installs for these tests alone. One that is missing fails its tests: none is skipped."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import warnings
from types import ModuleType

import pytest


def absent(name: str) -> None:
    """Fail in one line."""
    pytest.fail(
        f"{name} is missing: pip install --no-deps --use-pep517 --constraint constraints.txt {name}", pytrace=False
    )


@pytest.fixture(scope="session")
def opacus() -> ModuleType:
    """Opacus's analysis module alone: the package around it needs a deep-learning framework, this file does not."""
    if not list(importlib.metadata.distributions(name="opacus")):
        absent("opacus")
    files = importlib.metadata.distribution("opacus").files or []
    (path,) = (file.locate() for file in files if str(file) == "opacus/accountants/analysis/rdp.py")
    spec = importlib.util.spec_from_file_location("opacus_rdp", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def autodp() -> ModuleType:
    """autodp, with its banks and zoos loaded."""
    if importlib.util.find_spec("autodp") is None:
        absent("autodp")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs, at import
        for part in ("rdp_bank", "mechanism_zoo", "transformer_zoo"):
            importlib.import_module(f"autodp.{part}")
    return importlib.import_module("autodp")
