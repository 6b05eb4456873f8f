"""AM-LHAT: the print is off by the product of gradient and point, the repair is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.papers.diss.lemmas.admm.expansion import Expansion
from tests.reference_impls.rows import status

NUMBERS = st.floats(-10.0, 10.0)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.floats(0.01, 10.0))
def test_the_distance_by_hand(value: float, first: float, second: float, x_1: float, x_2: float, rho: float) -> None:
    at = {"value": value, "first": first, "second": second, "x_1": x_1, "x_2": x_2, "rho": rho}
    found, allowed = Expansion(**at).sides()
    assert float(found) == pytest.approx(abs(first * x_1 + second * x_2), abs=1e-11)
    moved, room = Expansion(moved=True, **at).sides()
    assert moved <= room == allowed


def test_verdicts() -> None:
    assert status("AM-LHAT", "lemma") is Status.REFUTED
    assert status("AM-LHAT-R", "lemma") is Status.NOT_REFUTED
    assert registry().remarks.get("AM-LHAT").shown().holds
    with pytest.raises(InputError):
        Expansion(rho=0.0)
