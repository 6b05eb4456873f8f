"""BL-AMP-SHARED and its repair: verdicts, a mutant."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample


@dataclass(frozen=True, slots=True, kw_only=True)
class NineTenths(SharedSample):
    """The repaired row at nine tenths of its price."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.9 * SharedSample.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        found = SharedSample.proved_ratio(self)
        assert found is not None
        return Enclosed(value=found.value / 0.9, error=1e-12, proved=True)


@pytest.mark.parametrize("reading", ["a", "a-hinge", "a-gaussian", "b"])
def test_refuted_as_printed_and_not_as_repaired(status, reading):
    assert status(f"BL-AMP-SHARED.{reading}", effort=0.3) is Status.REFUTED
    assert status(f"BL-AMP-SHARED.{reading}", charge="together") is Status.NOT_REFUTED
    assert status(f"BL-AMP-SHARED-R.{reading}") is Status.NOT_REFUTED


def test_samples_of_their_own_need_no_more(status):
    assert status("BL-AMP-SHARED.a", sample="own") is Status.NOT_REFUTED


def test_nine_tenths_of_the_repaired_price_falls(status):
    assert status("BL-AMP-SHARED-R.a", NineTenths, effort=0.3) is Status.REFUTED
