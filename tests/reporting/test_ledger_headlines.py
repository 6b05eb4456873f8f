"""The first page's two tables: whose numbers, in which order, with which objection, and epsilon beside each measure."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composition
from dpverify.reporting.ledger_epsilon import epsilon_text, epsilons, gaussian_epsilon, proposition_1
from dpverify.reporting.ledger_headlines import MATERIAL, headline_tables, headlines
from dpverify.reporting.ledger_markdown import examined
from dpverify.reporting.ledger_objections import objection_lines, objection_section
from dpverify.reporting.ledger_standing import factor_text, standing
from tests.reporting.test_ledger_pages import objected, row, searched


def ids(items: list[Any]) -> list[str]:
    return [item["id"] for item in items]


def fell(id: str, **objection: Any) -> dict[str, Any]:
    return objected(searched(id, 1.5), **objection)


def test_a_row_without_an_objection_is_no_headline() -> None:
    assert ids(headlines([fell("A")]).paper) == ["A"]
    for changed in ({"says": ""}, {"left": ""}):
        assert not any(headlines([fell("A", **changed)]))
    assert not any(headlines([searched("A", 1.5)]))


def test_a_reading_that_the_paper_excludes_is_no_headline() -> None:
    assert not any(headlines([fell("A", excluded="section 2")]))
    assert not any(headlines([fell("A", excluded="section 2", printed=[], ours="all")]))


def test_only_the_papers_numbers_with_their_places_are_in_the_first_table() -> None:
    assert ids(headlines([fell("A", printed=[], ours="n = 2")]).ours) == ["A"]
    assert ids(headlines([fell("A", ours="n = 2")]).ours) == ["A"]  # one number of ours is enough
    assert not headlines([fell("A", printed=[])]).paper
    assert ids(headlines([objected(searched("A", 0.5))]).ours) == ["A"]  # found by a search, away from what was stated


def test_rows_are_ordered_by_what_a_user_loses_and_not_by_the_factor() -> None:
    items = [
        objected(searched("A", 9.0), loses="remark"),
        objected(searched("B", 5.0), loses="sensitivity"),
        objected(searched("C", 1.2), loses="privacy"),
        objected(searched("D", 7.0), loses="privacy"),
    ]
    assert ids(headlines(items).paper) == ["C", "D", "B", "A"]
    text = "\n".join(headline_tables(headlines(items), items))
    assert text.index("**Privacy") < text.index("`C`") < text.index("**A sensitivity") < text.index("**Neither")
    ours = [objected(item, ours="n = 2", loses=item["ledger"]["objection"]["loses"]) for item in items]
    assert ids(headlines(ours).ours) == ["C", "D", "B"]  # by numbers of ours, no remarks
    rate = objected(searched("A", 9.0, guarantee='UpperBound(quantity="number")'), loses="remark")
    assert not any(headlines([rate]))  # a remark on what is no privacy claim


def test_of_a_sentence_one_reading_is_shown_that_of_the_largest_loss() -> None:
    items = [fell("A.a", loses="remark"), fell("A.b", loses="privacy"), fell("A.c", loses="privacy")]
    assert ids(headlines(items).paper) == ["A.b"]
    found = objected(searched("A.a", 0.5), ours="n = 2")
    assert ids(headlines([found, fell("A.b", ours="n = 2")]).ours) == ["A.b"]  # what a search found comes last


def test_a_small_excess_is_no_headline() -> None:
    assert not any(headlines([objected(searched("A", MATERIAL - 0.01))]))


def test_a_row_shows_all_of_its_objection() -> None:
    beside = row("B", verdict="not_refuted")
    items = [fell("A", scale="order 2", beside=["B", "NOWHERE"]), beside]
    (line,) = (each for each in headline_tables(headlines(items), items) if "[`A`]" in each)
    for part in ("n = 3 (Table 1)", "*ours, for its size alone:* order 2", "They object.", "This is left."):
        assert part in line
    assert "Beside it: [`B`](ledger/BLSGD.md#b) is not refuted" in line
    (line,) = (each for each in headline_tables(headlines([fell("A", ours="two")]), []) if "[`A`]" in each)
    assert "n = 3 (Table 1); *ours:* two" in line
    section = "\n".join(objection_section(items[0]))
    assert "**The authors' strongest objection.** They object." in section
    assert "n = 3 (Table 1)" in section
    assert "No headline" not in section
    assert "No headline" in "\n".join(objection_section(fell("A", excluded="section 2")))
    assert all(len(each) < 80 for each in objection_lines(items[0]))
    assert any("They object." in each for each in objection_lines(items[0]))
    assert objection_lines(searched("A", 1.5)) == list(objection_section(searched("A", 1.5))) == []


def test_certified_attained_drawn_and_searched_are_told_apart() -> None:
    def how(item: dict[str, Any]) -> str:
        found = standing(item)
        assert found is not None
        return found.how

    once = row("A", verdict="refuted", bound=3.0, claimed=2.0, tightness=1.5, proved=True, confidence=None)
    assert how(once) == "certified"
    assert how(once | {"proved": False}) == "attained"
    assert how(once | {"confidence": 0.999}) == "drawn"
    assert how(searched("A", 1.5, confidence=None)) == "attained"  # proved elsewhere, at the worst
    assert how(searched("A", 0.5)) == "searched"


def test_a_factor_that_is_ours_says_so() -> None:
    told = fell("A", factor="unbounded, {factor} after 3")
    assert factor_text(told) == "unbounded, 1.5 after 3 (epsilon)"
    assert factor_text(fell("A", factor="off by {value}")) == "off by 1.5 (epsilon)"
    assert factor_text(fell("A")) == "1.5 times in epsilon"


RENYI = {"guarantee": "RDP(order=4, epsilon=1)", "parameters": {"order": 4.0}, "measure": "ratio"}


def test_epsilon_stands_beside_each_measure() -> None:
    """Beside epsilon itself, a delta, a Renyi divergence, a Gaussian's, and what an objection computes."""
    approx = {"guarantee": "ApproxDP(epsilon=1, delta=1e-5)", "parameters": {"delta": 1e-5}}
    assert epsilon_text(objected(searched("A", 1.5, **approx))) == "epsilon 1.5 for 1 at delta = 1e-05"
    bounded = {"guarantee": 'UpperBound(quantity="delta")', "parameters": {"epsilon": 0.2}, "measure": "ratio"}
    assert epsilon_text(objected(searched("A", 1.5, **bounded))) == "epsilon more than 0.2 for 0.2 at delta = 1"
    renyi = searched("A", 1.5, **RENYI)
    found = epsilons(objected(renyi, delta=1e-8))
    assert found is not None
    assert found.found - found.claimed == pytest.approx(0.5)
    assert found.claimed == pytest.approx(1.0 + math.log(1e8) / 3.0)
    given = {"claimed": 1.0, "found": 2.0, "how": "by hand"}
    assert epsilon_text(objected(searched("A", 1.5), epsilon=given)) == "epsilon 2 for 1 (by hand)"
    assert epsilon_text(objected(renyi, no_epsilon="no delta is printed")) == "no epsilon: no delta is printed"
    assert epsilon_text(objected(renyi)) == ""


def test_the_conversion_is_an_upper_bound_and_gaussians_are_exact() -> None:
    """Against privacy-loss distributions, which are another computation: shift 2, order 4, divergence 8."""
    low, high = gaussian_epsilon(8.0, 4.0, 1e-6)
    other = compose(Composition.of(GaussianStep(sigma=1.0, sensitivity=2.0))).epsilon(1e-6)
    assert other.lower is not None
    assert other.upper is not None
    assert other.lower <= high
    assert low <= other.upper
    assert high - low < 1e-6
    assert high < proposition_1(8.0, 4.0, 1e-6)


def test_the_sentence_counts_what_was_found() -> None:
    def made(refuted: int, certified: int, rest: int, open_: int = 0) -> str:
        counts = {"refuted": refuted, "certified": certified, "not_refuted": rest, "unsupported": open_}
        items = [row(f"{verdict}-{k}", verdict=verdict) for verdict, count in counts.items() for k in range(count)]
        return examined([*items, row("A-R", verdict="certified")])  # a repair is not counted

    assert made(2, 1, 3) == (
        "Every claim that we found was examined: of 6, each reading counted, 2 are false as stated, 1 is proved, "
        "for 3 no violation was found."
    )
    assert "2 are proved" in made(1, 2, 0)
    assert made(0, 0, 1, open_=2).startswith("All but 2 claims that we found were examined: of 3,")
