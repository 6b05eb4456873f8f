"""AP-PROP51: the terms by naive sums, what falls and what stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from reference_impls.papers.adpsgd.lemmas.noise_terms import PropositionTerm, shown


def test_the_terms_are_the_naive_sums() -> None:
    b = [math.sqrt(3.0 + 0.5 * t) for t in range(1, 61)]
    first, second, log = sum(1 / x for x in b), sum(1 / x**2 for x in b), math.log(11.0)
    root = math.sqrt(60 / 0.5)
    expected = {
        "first": (math.sqrt(0.5 / 59), 1 / first),
        "second": (log / 0.5, second),
        "adp-third": (root, first),
        "dp-third": (2 * root * log, 60 * second / first),
    }
    for term, (printed, truth) in expected.items():
        subject = PropositionTerm(a=3.0, c=0.5, steps=60.0, term=term)
        assert subject.printed().value == pytest.approx(printed, rel=1e-13)
        assert subject.truth().value == pytest.approx(truth, rel=1e-13)
    assert PropositionTerm(a=3.0, c=0.5, steps=60.0, mended=True).printed().value == pytest.approx(2 * root, rel=1e-13)


def test_nothing_is_said_below_the_condition() -> None:
    assert math.isinf(PropositionTerm(steps=84.0).printed().value)
    assert math.isfinite(PropositionTerm(steps=85.0).printed().value)


@dataclass(frozen=True, slots=True, kw_only=True)
class LessTerm(PropositionTerm):
    share: float = 0.9

    def printed_ball(self) -> flint.arb | None:
        found = PropositionTerm.printed_ball(self)
        return None if found is None else found * self.share


def test_the_third_term_of_9_falls_at_the_papers_numbers_and_its_repair_stands(examined) -> None:
    evidence = examined("AP-PROP51.adp-third")
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert 1.9 < evidence.statistics["own"]["ratio"] < evidence.bound < 2
    assert judge(examined("AP-PROP51-R.adp-third")) is Status.NOT_REFUTED
    assert judge(examined("AP-PROP51-R.adp-third", LessTerm)) is Status.REFUTED


@pytest.mark.parametrize(("term", "share"), [("dp-third", 0.4), ("first", 0.8), ("second", 0.9)])
def test_the_other_terms_stand_and_a_share_of_them_falls(examined, term: str, share: float) -> None:
    assert judge(examined(f"AP-PROP51.{term}")) is Status.NOT_REFUTED
    assert judge(examined(f"AP-PROP51.{term}", LessTerm, share=share, effort=1.0)) is Status.REFUTED


def test_what_the_remark_shows_holds() -> None:
    assert shown().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="term"):
        PropositionTerm(term="third")  # type: ignore[arg-type]
