import pytest

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry


def test_a_name_is_given_once_and_both_owners_are_named():
    registry = Registry()
    registry.mechanisms.add("laplace", dict)
    with pytest.raises(InputError, match=r"two mechanisms called 'laplace': builtins\.dict and builtins\.list"):
        registry.mechanisms.add("laplace", list)


def test_an_unknown_name_suggests_the_nearest():
    registry = Registry()
    registry.mechanisms.add("laplace", dict)
    with pytest.raises(InputError, match="allowed: laplace"):
        registry.mechanisms.get("laplac")


def test_known_broken_subjects_live_in_a_registry_of_their_own():
    registry = Registry()
    registry.known_broken.add("svt3", dict)
    assert "svt3" not in registry.mechanisms
    assert registry.subject("svt3") is dict


def test_names_come_in_order():
    registry = Registry()
    for name in ("b", "a", "c"):
        registry.mechanisms.add(name, dict)
    assert [name for name, _ in registry.mechanisms.items()] == list(registry.mechanisms) == ["a", "b", "c"]
    assert len(registry.mechanisms) == 3


def test_a_thing_is_a_plugins_only_while_it_registers():
    registry = Registry()
    with registry.registering("a plug-in"):
        registry.mechanisms.add("laplace", dict)
    with pytest.raises(InputError, match=r"builtins\.dict of a plug-in and builtins\.list; allowed"):
        registry.mechanisms.add("laplace", list)
