"""AP-GAPS: the table's subtraction, what falls and what stands."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from reference_impls.papers.adpsgd.lemmas.table_gaps import TABLE, Gaps, shown, shown_text


def test_one_gap_of_thirty_differs() -> None:
    distances = Gaps().distances()
    assert len(distances) == 30
    floats = {
        (key, epoch): abs(round(float(adp) - float(dp), 2) - float(gap))
        for key, cells in TABLE.items()
        for epoch, (adp, dp, gap) in zip((60, 120, 200), cells, strict=True)
    }
    assert {key: float(value) for key, value in distances.items()} == pytest.approx(floats, abs=1e-12)
    assert [row["epoch"] for row in Gaps().describe()["differ"]] == [60]
    assert len(Gaps(where="text").distances()) == 3


@pytest.mark.parametrize("where", ["table", "text"])
def test_the_prints_fall_and_their_repairs_stand(examined, where: str) -> None:
    evidence = examined(f"AP-GAPS.{where}")
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert judge(examined(f"AP-GAPS-R.{where}")) is Status.NOT_REFUTED


def test_what_the_remarks_show_holds() -> None:
    assert shown().holds
    assert shown_text().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="where"):
        Gaps(where="figure")  # type: ignore[arg-type]
