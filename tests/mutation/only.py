"""A plug-in of pytest: only the tests that MUTATION_TESTS lists (all, if it lists none), and none on freshness."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    listed = set(Path(os.environ["MUTATION_TESTS"]).read_text().splitlines())
    passed_over = re.compile(os.environ["MUTATION_FRESHNESS"])
    kept = [each for each in items if (not listed or each.nodeid in listed) and not passed_over.search(each.name)]
    config.hook.pytest_deselected(items=[each for each in items if each not in set(kept)])
    items[:] = kept
