import dataclasses

import pytest

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.measure import Measure


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
        *("id", "guarantee", "relation", "subject", "source", "parameters", "space", "statement", "readings")
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
    "changes", [{"size": 0}, {"low": 1.0, "high": 0.0}, {"high": float("inf")}, {"parameters": {"x": (2.0, 1.0)}}]
)
def test_search_spaces_are_checked(changes):
    with pytest.raises(InputError):
        SearchSpace(**changes)
