"""Keys of what an audit follows from: every change of it makes another key, and nothing else does."""

from __future__ import annotations

import functools
import importlib
import sys

import pytest

from dpverify.gate.code_key import code_key

MINE = (
    "from helper_of_keys import scale\ndef noisy(data, rng, times=1):\n    return sum(data) + scale() * rng.laplace()\n"
)
HELPER = "def scale():\n    return 1.0\n"


@pytest.fixture
def key(tmp_path, monkeypatch):
    """``key(mine, helper)``: of the mechanism in these sources, in modules that are loaded afresh."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def made(mine=MINE, helper=HELPER, *things):
        for name, text in (("mine_of_keys", mine), ("helper_of_keys", helper)):
            (tmp_path / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        sys.dont_write_bytecode = True
        return code_key(importlib.import_module("mine_of_keys").noisy, *things)

    yield made
    for name in ("mine_of_keys", "helper_of_keys"):
        sys.modules.pop(name, None)


def test_the_same_code_has_the_same_key(key):
    assert key() == key()


def test_the_mechanisms_code_and_the_code_that_it_uses_change_it(key):
    assert len({key(), key(MINE.replace("sum", "max")), key(MINE, HELPER.replace("1.0", "0.5"))}) == 3


def test_other_things_change_it(key):
    assert len({key(MINE, HELPER, [1, 2]), key(MINE, HELPER, [1, 3]), key()}) == 3


def test_a_package_that_warns_when_it_is_asked_for_its_version_is_no_error(key):
    mine = "import markupsafe\n" + MINE  # warns so in every version since 3.0
    assert key(mine) != key()


def test_what_a_callable_is_bound_to_changes_it():
    def scaled(scale):
        return lambda data, rng: sum(data) + scale * rng.laplace()

    class Noisy:
        def __init__(self, scale):
            self.scale = scale

        def __call__(self, data, rng):
            return sum(data) + self.scale * rng.laplace()

        def release(self, data, rng):
            return self(data, rng)

    def plain(data, rng, scale):
        return sum(data) + scale * rng.laplace()

    for make in (
        scaled,
        Noisy,
        lambda scale: Noisy(scale).release,
        lambda scale: functools.partial(plain, scale=scale),
    ):
        assert code_key(make(1.0)) == code_key(make(1.0))
        assert code_key(make(1.0)) != code_key(make(0.5))
