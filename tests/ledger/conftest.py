"""What tests of the ledger share."""

from __future__ import annotations

import pytest

from auditors.sensitivity import search


@pytest.fixture
def short_search(monkeypatch):
    """A search of a tenth of the points: what is decided again here is asked for nothing else."""
    monkeypatch.setattr(search, "EXAMPLES", 30)
