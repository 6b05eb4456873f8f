"""AP-THM41.c: section 6's batches stand, unaveraged ones fall."""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.verdict import Status, judge
from reference_impls.papers.adpsgd.lemmas.batch_run import BatchRun, shown
from reference_impls.papers.adpsgd.lemmas.whole_run import WholeRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Unaveraged(WholeRun):
    """A mutant: 256 records are drawn, and one of them moves the release by 2 G."""

    @property
    def rate(self) -> float:
        return 256 / self.whole[0]


def test_the_experiments_batches_stand_and_unaveraged_noise_falls(examined) -> None:
    evidence = examined("AP-THM41.c")
    assert judge(evidence) is Status.NOT_REFUTED
    assert 0.03 < evidence.bound < 0.04
    rows = evidence.statistics["described"]["batches of 256"]
    assert all(row["footnote 3"] < row["one replaced >="] < row["claimed"] for row in rows)
    assert judge(examined("AP-THM41.c", Unaveraged, batch=1)) is Status.REFUTED


def test_the_event_is_below_the_bracket() -> None:
    run = BatchRun()
    proof = run.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert 0.9 * run.truth().value < proof.value * run.epsilon <= run.truth().upper


def test_what_the_remark_shows_holds() -> None:
    assert shown().holds
