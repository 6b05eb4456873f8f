"""Sections: what waits is registered when it is asked for, whole, once, and by the rules of everything else."""

import pytest

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry

ABOUT = {"mechanisms": {"laplace": {"about": "noise"}}, "lemmas": {"lemma": {}}}


@pytest.fixture
def calls():
    return []


@pytest.fixture
def registry(calls):
    found = Registry()

    def register(known):
        calls.append("called")
        known.mechanisms.add("laplace", dict)
        known.lemmas.add("lemma", list)

    with found.registering("a plug-in"):
        found.defer(register, ABOUT)
    return found


def test_a_name_is_known_before_anything_is_registered(registry, calls):
    assert "laplace" in registry.mechanisms
    assert list(registry.mechanisms) == registry.mechanisms.names() == ["laplace"]
    assert len(registry.mechanisms) == 1
    assert registry.mechanisms.waiting("laplace").about == ABOUT
    assert calls == []


def test_one_question_registers_all_of_a_source_once(registry, calls):
    assert registry.mechanisms.get("laplace") is dict
    assert registry.lemmas.waiting("lemma") is None
    assert registry.lemmas.get("lemma") is list
    assert dict(registry.lemmas.items()) == {"lemma": list}
    assert registry.lemmas.in_order() == (list,)
    assert calls == ["called"]


def test_the_order_is_that_of_the_sources_whoever_is_asked_for_first(registry):
    registry.defer(lambda known: known.mechanisms.add("b", set), {"mechanisms": {"b": {}}})
    registry.mechanisms.add("a", tuple)
    assert registry.mechanisms.get("b") is set
    assert registry.mechanisms.in_order() == (dict, set, tuple)
    assert [name for name, _ in registry.mechanisms.items()] == ["a", "b", "laplace"]


@pytest.mark.parametrize("section", ["mechanisms", "known_broken"])
def test_a_name_that_waits_is_taken(registry, section):
    with pytest.raises(InputError, match=r"called 'laplace': builtins\.dict of a plug-in and builtins\.list; allowed"):
        getattr(registry, section).add("laplace", list)


def test_two_sources_of_one_name_are_refused(registry):
    with pytest.raises(InputError, match=r"two mechanisms called 'laplace': builtins\.dict of a plug-in and builtins"):
        registry.defer(lambda known: known.mechanisms.add("laplace", set), ABOUT)


def test_a_name_that_the_source_does_not_bring_is_unknown(registry):
    registry.defer(lambda known: known.mechanisms.add("new", set), {"mechanisms": {"old": {}}})
    with pytest.raises(InputError, match="no mechanisms called 'old'"):
        registry.mechanisms.get("old")
    assert list(registry.mechanisms) == ["laplace", "new"]


def test_a_name_that_nobody_announced_is_found(registry):
    registry.defer(lambda known: known.mechanisms.add("new", set), {"mechanisms": {"old": {}}})
    assert registry.mechanisms.get("new") is set
    assert [name for name, _ in registry.mechanisms.items()] == ["laplace", "new"]


def test_a_registration_may_use_what_waits(registry, calls):
    registry.defer(
        lambda known: known.mechanisms.add("twice", known.mechanisms.get("laplace")), {"mechanisms": {"twice": {}}}
    )
    assert registry.mechanisms.get("twice") is dict
    assert calls == ["called"]


def test_a_failed_registration_is_tried_again_and_never_half_a_success(registry):
    tries = []

    def fails(known):
        tries.append(1)
        raise InputError("broken", allowed="whole")

    registry.defer(fails, {"auditors": {"event": {}}})
    for _ in range(2):
        with pytest.raises(InputError, match="broken"):
            registry.auditors.get("event")
    assert len(tries) == 2


def test_a_section_is_a_mapping_whose_things_are_registered_when_they_are_asked_for(registry, calls):
    found = registry.mechanisms.mapping()
    assert ("laplace" in found, "other" in found, len(found), list(found), calls) == (True, False, 1, ["laplace"], [])
    assert dict(found) == {"laplace": dict}
    assert found.get("other") is None
