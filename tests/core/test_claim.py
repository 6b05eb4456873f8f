import dataclasses
import json

import pytest

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP


@dataclasses.dataclass(frozen=True)
class Promise:
    words: str = "Promise()"

    def text(self):
        return self.words

    def measures(self):
        return (Measure(kind="epsilon", argument=0.0, claimed=1.0),)


def claim(**changes):
    given = {
        "id": "X",
        "guarantee": Promise(),
        "relation": "replace",
        "subject": "s",
        "source": Source(paper="P", locus="Thm 1"),
    }
    return Claim(**{**given, **changes})


def test_a_claim_without_readings_is_itself():
    assert claim().single() == (claim(),)


def test_each_reading_is_a_claim_of_its_own():
    other = Promise("Other()")
    readings = (
        Reading(key="a", text="as printed", parameters={"low": 0}),
        Reading(key="b", text="as worded", guarantee=other, relation="add-remove", subject="t"),
    )
    first, second = claim(readings=readings, parameters={"low": 5, "high": 6}).single()
    assert (first.id, first.parameters, first.subject) == ("X.a", {"low": 0, "high": 6}, "s")
    assert (second.id, second.guarantee, second.relation, second.subject) == ("X.b", other, "add-remove", "t")
    assert first.readings == () and second.readings == ()


def test_no_claim_can_carry_an_expectation():
    """Auditors see claims whole, so a claim has no place where a verdict could be written down."""
    names = {field.name for field in dataclasses.fields(Claim)}
    assert names == {
        *("id", "guarantee", "relation", "subject", "source", "parameters", "space", "statement", "readings", "streams")
    }
    with pytest.raises(TypeError):
        claim(expectation="broken")


@pytest.mark.parametrize("name", ["", "two words", "tab\tbed"])
def test_ids_are_words(name):
    with pytest.raises(InputError, match="claim id"):
        claim(id=name)


def test_readings_have_distinct_keys():
    with pytest.raises(InputError, match="readings"):
        claim(readings=(Reading(key="a", text=""), Reading(key="a", text="")))


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 0},
        {"low": 1.0, "high": 0.0},
        {"high": float("inf")},
        {"parameters": {"x": (2.0, 1.0)}},
        {"sizes": (0, 1)},
        {"sizes": (3, 3)},
        {"proportional": "x"},
        {"proportional": "x", "parameters": {"x": (0.0, 1.0)}},
    ],
)
def test_search_spaces_are_checked(changes):
    with pytest.raises(InputError):
        SearchSpace(**changes)


def test_a_search_space_says_what_it_demands_and_is_plain_json():
    assert SearchSpace().demands == frozenset()
    assert SearchSpace().record() == {}
    space = SearchSpace(size=2, parameters={"x": (0.5, 2.0)}, sizes=(2, 5), proportional="x")
    assert space.demands == {"sizes", "proportional"}
    kept = space.record()
    assert kept == {"size": 2, "parameters": {"x": [0.5, 2.0]}, "sizes": [2, 5], "proportional": "x"}
    assert json.loads(json.dumps(kept)) == kept
    assert space.at(5).demands == {"proportional"}
    assert space.stated() == SearchSpace(size=2)


def test_a_range_in_units_of_the_subject():
    subject = type("Subject", (), {"noise": 4.0})()
    space = SearchSpace(size=2, low=-1.0, high=3.0, unit="noise")
    assert space.demands == {"unit"}
    assert space.scaled(subject) == SearchSpace(size=2, low=-4.0, high=12.0)
    assert SearchSpace(low=0.0).scaled(subject) == SearchSpace(low=0.0)


def test_claimed_numbers_follow_the_parameter_they_are_proportional_to():
    space = SearchSpace(parameters={"x": (0.5, 8.0), "y": (0.0, 1.0)}, proportional="x")
    theorem = claim(guarantee=RDP(orders=(2, 3), epsilons=(4.0, 6.0)), parameters={"x": 2.0}, space=space)
    assert theorem.guarantee_at({"x": 6.0, "y": 0.5}) == RDP(orders=(2, 3), epsilons=(12.0, 18.0))
    assert theorem.guarantee_at({"y": 0.5}) is theorem.guarantee_at({"x": 2.0}) is theorem.guarantee
    assert claim(guarantee=PureDP(epsilon=1), parameters={"x": 4.0}, space=space).guarantee_at({"x": 1.0}) == PureDP(
        epsilon=0.25
    )
    fixed = claim(guarantee=PureDP(epsilon=1), parameters={"x": 4.0}, space=SearchSpace(parameters={"x": (1.0, 2.0)}))
    assert fixed.guarantee_at({"x": 1.0}) is fixed.guarantee


@pytest.mark.parametrize("own", [{}, {"x": 0.0}, {"x": float("inf")}, {"x": "much"}])
def test_what_is_proportional_needs_a_base_and_a_guarantee_that_scales(own):
    space = SearchSpace(parameters={"x": (0.5, 8.0)}, proportional="x")
    with pytest.raises(InputError, match="proportional to x"):
        claim(guarantee=PureDP(epsilon=1), parameters=own, space=space)
    with pytest.raises(InputError, match="Promise"):
        claim(parameters={"x": 1.0}, space=space)
    late = Reading(key="a", text="", guarantee=PureDP(epsilon=1), parameters={"x": 1.0}, space=space)
    assert claim(readings=(late,)).single()[0].space == space
