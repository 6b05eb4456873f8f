"""Names under which tests, sessions and reports carry what the plug-in needs."""

from __future__ import annotations

from typing import Any

import pytest

from dpverify.pytest_plugin.settings import Settings

MARKER = "dp_claim"

PROPERTY = "dpverify"
"""Reports of tests carry one such property an audit: what the summary needs, in any worker."""

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()

AUDITS: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()
"""Of a test: what was found of each audit so far."""
