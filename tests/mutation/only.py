"""A plug-in of pytest: only the tests that MUTATION_TESTS lists (all, if it lists none), without MUTATION_EXCLUDED."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    listed, excluded = (
        set(Path(os.environ[name]).read_text().splitlines()) for name in ("MUTATION_TESTS", "MUTATION_EXCLUDED")
    )
    kept = [each for each in items if (not listed or each.nodeid in listed) and each.nodeid not in excluded]
    config.hook.pytest_deselected(items=[each for each in items if each not in set(kept)])
    items[:] = kept
