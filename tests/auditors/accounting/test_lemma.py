"""The lemma auditor on lemmas whose answer is known: true ones, false ones, and false ones without a proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import flint
import pytest

from auditors.accounting.lemma import ROUNDING, LemmaAuditor
from auditors.accounting.lemma_points import LemmaPoint
from auditors.search_boxes import PARTS
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Enclosed, Evidence
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.number_bounds import UpperBound
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.balls import at_working_precision, enclosed_ball
from dpverify.sampling.streams import stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """The lemma x^2 <= bound * x on (0, high]: it fails where x > bound, most at the upper end."""

    x: float = 0.5
    y: float = 1.0
    bound: float = 2.0
    provable: bool = True

    def printed(self) -> Enclosed:
        return Enclosed(value=self.bound * self.x)

    def truth(self) -> Enclosed:
        return Enclosed(value=self.x * self.x, error=1e-15 * self.x * self.x)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        return enclosed_ball(flint.arb(self.x) / flint.arb(self.bound)) if self.provable else None


def audit(subject: type = Square, *, parameters: dict | None = None, **boxes: tuple[float, float]) -> Evidence:
    claim = Claim(
        id="toy",
        guarantee=UpperBound(quantity="number"),
        relation="numbers",
        subject="toy",
        parameters=parameters or {},
        space=SearchSpace(parameters=boxes),
        source=Source(paper="toy", locus="1"),
    )
    task = Task(
        claim=claim,
        build=lambda **searched: subject(**{**claim.parameters, **searched}),
        neighbors=Numbers(),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, "toy", *names),
    )
    auditor = LemmaAuditor()
    assert auditor.refuses(task) is None
    return auditor.audit(task)


def test_a_lemma_that_holds_is_not_refuted_and_never_certified():
    evidence = audit(x=(0.01, 2.0), y=(0.0, 1.0))
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.bound == pytest.approx(1.0, rel=1e-9)
    assert evidence.statistics["failed"] == 0
    assert evidence.statistics["smallest"] is None


def test_a_lemma_that_fails_in_a_corner_is_refuted_with_the_worst_the_smallest_and_the_map():
    evidence = audit(parameters={"x": 0.5, "y": 0.25}, x=(0.01, 2.1), y=(0.0, 1.0))
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound == pytest.approx(1.05, rel=1e-9)
    assert evidence.proved
    own, smallest = evidence.statistics["own"], evidence.statistics["smallest"]
    assert own["ratio"] == pytest.approx(0.25)
    # Half of the excess remains, and the parameter that plays no part is back at the claim's own value.
    assert 1.0 + 0.025 <= smallest["ratio"] <= 1.0 + 0.03
    assert smallest["parameters"]["y"] == pytest.approx(0.25, abs=1e-12)
    parts = evidence.statistics["map"]["x"]
    assert len(parts) == PARTS
    assert [part["failed"] > 0 for part in parts] == [False] * (PARTS - 1) + [True]
    assert sum(part["points"] for part in parts) == evidence.statistics["evaluations"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Faint(Square):
    """Far out, above `PROVABLE`, the worst points have no proof, or one that says too little."""

    far: Enclosed | None = None

    def proved_ratio(self) -> Enclosed | None:
        return self.far if self.x > PROVABLE else Square.proved_ratio(self)

    def describe(self) -> dict[str, float]:
        return {"x": self.x}


PROVABLE = 2.08


@pytest.mark.parametrize(
    "far",
    [
        None,
        Enclosed(value=1.05),
        Enclosed(value=0.9, proved=True),
        Enclosed(value=1.04, error=0.1, proved=True),
        Enclosed(value=1 + ROUNDING / 2, proved=True),
    ],
    ids=["none", "not proved", "below one", "too wide", "within rounding"],
)
def test_a_worst_point_without_a_proof_gives_way_to_one_with_it(far):
    evidence = audit(Faint, parameters={"x": 0.5, "far": far}, x=(0.01, 2.1))
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["worst"]["parameters"]["x"] == pytest.approx(2.1)
    assert evidence.witness == evidence.statistics["smallest"]
    place = evidence.witness["parameters"]["x"]
    assert 2.04 < place < 2.06
    assert evidence.bound == pytest.approx(place / 2, rel=1e-12)
    assert evidence.statistics["described"] == {"x": place}


def test_what_is_described_is_the_witness_and_not_the_own_point():
    evidence = audit(Faint, parameters={"x": 0.5}, x=(0.01, 2.07))
    assert evidence.statistics["described"]["x"] == evidence.witness["parameters"]["x"] == pytest.approx(2.07)


def test_an_excess_without_a_proof_is_inconclusive():
    evidence = audit(parameters={"provable": False}, x=(0.01, 3.0))
    assert evidence.excess > 0
    assert judge(evidence) is Status.INCONCLUSIVE


def test_an_excess_at_the_claims_own_numbers_is_its_own_smallest_witness():
    evidence = audit(parameters={"x": 2.5}, x=(1.0, 4.0))
    assert evidence.statistics["smallest"]["parameters"] == {"x": 2.5}


def test_without_a_box_only_the_own_numbers_are_looked_at():
    evidence = audit(parameters={"x": 2.5})
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["evaluations"] == 1


def test_an_excess_within_rounding_is_none():
    evidence = audit(parameters={"x": 2.0 * (1 + ROUNDING / 2)})
    assert judge(evidence) is Status.NOT_REFUTED


def test_an_excess_of_a_millionth_is_one():
    evidence = audit(parameters={"x": 2.0 * (1 + 1e-6)})
    assert judge(evidence) is Status.REFUTED
    assert evidence.excess == pytest.approx(1e-6, rel=1e-3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsure(Square):
    """Both sides known up to errors."""

    printed_error: float = 0.0
    truth_error: float = 0.0

    def printed(self) -> Enclosed:
        return Enclosed(value=1.0, error=self.printed_error)

    def truth(self) -> Enclosed:
        return Enclosed(value=1.05, error=self.truth_error)

    def proved_ratio(self) -> Enclosed | None:
        return Enclosed(value=1.05, proved=True)


@pytest.mark.parametrize(
    ("errors", "least"),
    [
        ({"printed_error": 0.1}, 1.05 / 1.1),
        ({"truth_error": 0.1}, 0.95),
        ({"printed_error": 0.02, "truth_error": 0.04}, 1.01 / 1.02),
        ({"printed_error": 0.01, "truth_error": 0.01}, 1.04 / 1.01),
    ],
)
def test_an_excess_is_one_with_both_errors_on_the_lemmas_side(errors, least):
    subject = Unsure(**errors)
    assert LemmaPoint(parameters={}, printed=subject.printed(), truth=subject.truth()).least == pytest.approx(least)
    evidence = audit(Unsure, parameters=errors)
    assert evidence.statistics["failed"] == (least > 1)
    assert judge(evidence) is (Status.REFUTED if least > 1 else Status.NOT_REFUTED)
    if least < 1:
        assert evidence.excess == pytest.approx(least - 1, abs=1e-9)
        assert evidence.bound - evidence.error == pytest.approx(least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blurred(Square):
    """Far out the ratio is larger, and known up to more than itself."""

    def truth(self) -> Enclosed:
        true = Square.truth(self)
        return replace(true, error=2 * true.value) if self.x > PROVABLE else true


def test_a_larger_ratio_that_may_be_none_does_not_hide_a_sure_excess():
    evidence = audit(Blurred, parameters={"x": 0.5}, x=(0.01, 4.0))
    assert judge(evidence) is Status.REFUTED
    assert 1.0 < evidence.statistics["worst"]["ratio"] <= PROVABLE / 2


def test_the_same_seed_gives_the_same_evidence():
    assert audit(x=(0.01, 2.1), y=(0.0, 1.0)) == audit(x=(0.01, 2.1), y=(0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Zero(Square):
    """A printed bound of 0 for a truth above it."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.0)

    def proved_ratio(self) -> Enclosed | None:
        return Enclosed(value=math.inf, proved=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent(Square):
    """A bound that promises nothing."""

    def printed(self) -> Enclosed:
        return Enclosed(value=math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nonsense(Square):
    """A truth that is no number."""

    def truth(self) -> Enclosed:
        return Enclosed(value=math.nan)


def test_a_bound_of_zero_a_bound_of_infinity_and_no_number():
    assert judge(audit(Zero)) is Status.REFUTED
    silent = audit(Silent, x=(1.0, 4.0))
    assert judge(silent) is Status.NOT_REFUTED
    assert silent.bound == 0.0
    with pytest.raises(AuditError, match="no"):
        audit(Nonsense)


def test_it_refuses_other_claims_and_subjects_without_a_printed_bound():
    claim = Claim(
        id="toy", guarantee=PureDP(epsilon=1.0), relation="numbers", subject="toy", source=Source(paper="t", locus="1")
    )
    task = Task(claim=claim, build=Square, neighbors=Numbers(), alpha=0.5, trials=1, stream=lambda *names: stream(0))
    assert "no printed bound" in str(LemmaAuditor().refuses(task))
    other = replace(task, claim=replace(claim, guarantee=UpperBound()), build=dict)
    assert "offers no printed bound" in str(LemmaAuditor().refuses(other))


class Barred(Square):
    """Computable but where `barred` says; the ratio is 3 at the far end and 1/2 at the claim's own value."""

    barred = (0.6, 0.9)

    def truth(self):
        if self.barred[0] < self.x < self.barred[1]:
            raise AuditError("beyond balls")
        return Enclosed(value=3.0 if self.x >= self.barred[1] else 0.5)

    def printed(self):
        return Enclosed(value=1.0)

    def proved_ratio(self):
        return None if self.x < self.barred[1] else Enclosed(value=3.0, proved=True)


class Nowhere(Barred):
    """Computable at the claim's own value and hardly anywhere else."""

    barred = (0.2001, 2.0)


def test_what_cannot_be_computed_on_the_way_hides_no_excess() -> None:
    found = audit(Barred, parameters={"x": 0.2}, x=(0.0, 1.0))
    assert found.excess > 1.9
    assert found.proved
    assert found.statistics["uncomputed"] > 0
    assert found.statistics["smallest"]["parameters"]["x"] >= 0.9


def test_a_range_that_can_hardly_be_computed_is_not_one_where_the_lemma_holds() -> None:
    with pytest.raises(UnsupportedError, match="too few to say that it holds there"):
        audit(Nowhere, parameters={"x": 0.2}, x=(0.199, 1.0))
