"""BL-BATCH-NORM and its repair: verdicts, a mutant, remarks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dpverify.core.evidence import Enclosed
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.papers.blsgd.lemmas.batch_norm import NormalisedGradient


@dataclass(frozen=True, slots=True, kw_only=True)
class NineTenths(NormalisedGradient):
    """The repaired row at nine tenths of its price."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.9 * NormalisedGradient.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        found = NormalisedGradient.proved_ratio(self)
        assert found is not None
        return Enclosed(value=found.value / 0.9, error=1e-12, proved=True)


@pytest.mark.parametrize("reading", ["a", "b", "c"])
def test_refuted_as_printed_and_not_as_repaired(status, reading):
    assert status(f"BL-BATCH-NORM.{reading}") is Status.REFUTED
    assert status(f"BL-BATCH-NORM.{reading}", divisor="expected") is Status.NOT_REFUTED


def test_nine_tenths_of_the_repaired_price_falls(status):
    assert status("BL-BATCH-NORM-R.a", NineTenths) is Status.REFUTED


def test_remarks_show_what_they_say():
    for reading in ("a", "b", "c"):
        assert registry().remarks.get(f"BL-BATCH-NORM.{reading}").shown().holds
