"""Remarks on accounting rows show what they say, quickly, and only about claims that exist."""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry

REMARKS = {name: remark for name, remark in registry().remarks.items() if name.startswith(("ACC-", "AP-"))}


@pytest.mark.parametrize("name", sorted(REMARKS))
def test_the_numbers_show_what_is_said(name: str) -> None:
    known = registry()
    assert REMARKS[name].claim == name
    assert name in known.entries
    shown = REMARKS[name].shown()
    assert shown.holds
    assert shown == REMARKS[name].shown()


@pytest.mark.parametrize("name", ["ACC-GAUSS-CLASSIC", "ACC-EPS-TABLE-ADP", "ACC-EPS-TABLE-BR"])
def test_each_refuted_row_has_one(name: str) -> None:
    assert name in REMARKS
