"""A sampling scheme of one's own: held against a loader like ours, as an object or by its registered name."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status
from dpverify.plugin import Scheme, SchemeTest, Visible, fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Halves(Scheme):
    """``halves(size=b)``: even records in one batch, odd ones in the next."""

    kind = "halves"
    rank = 5
    size: int | None = None

    def tests(self, seen, pilot, *, spare):
        parity = seen.flat % 2
        ends = np.cumsum(seen.sizes)[:-1]
        mixed = sum(np.unique(batch).size > 1 for batch in np.split(parity, ends))
        yield fact("batches are mixed", f"{mixed} of {seen.batches} batches are mixed", impossible=mixed > 0)

    def text(self, seen):
        return f"halves(size={self.settled(seen).size})"

    def settled(self, seen):
        return replace(self, size=self.size or int(seen.sizes[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedFor(Halves):
    """The same, which says what its tests would have seen: they are of facts."""

    kind = "looked-for"
    unseen: tuple[Visible, ...] = ()

    def visible(self, seen, *, level) -> list[Visible]:
        return list(self.unseen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Untested(Halves):
    """A scheme without a single test."""

    kind = "untested"

    def tests(self, seen, pilot, *, spare):
        return iter(())


def by_halves():
    return [list(range(0, 40, 2)), list(range(1, 40, 2))]


def mixed():
    return [list(range(20)), list(range(20, 40))]


def audited(loader, scheme):
    return dpv.audit_sampler(loader, records=40, accounted=scheme, epochs=5)


@pytest.mark.parametrize("scheme", [Halves(), Halves(size=20)])
def test_it_is_ruled_out_with_its_own_words(scheme):
    found = audited(mixed, scheme)
    assert found.verdict is Status.REFUTED
    assert found.deviations[0][:2] == ("batches are mixed", "10 of 10 batches are mixed")
    assert found.found == "cyclic(size=20)"


@pytest.mark.parametrize("scheme", [Halves(), Untested()])
def test_where_it_does_not_say_what_it_would_have_seen_it_is_no_pass(scheme):
    found = audited(by_halves, scheme)
    assert found.verdict is Status.INCONCLUSIVE
    assert found.reason == f"{scheme.kind} does not say which deviations would have been seen (its method `visible`)"


def test_it_stands_where_it_does():
    found = audited(by_halves, LookedFor())
    assert found.verdict is Status.NOT_REFUTED
    assert found.found == "halves(size=20)"


@pytest.mark.parametrize(
    ("unseen", "verdict"),
    [
        (Visible(words="rate of a single record", size=None, fine=True), Status.NOT_REFUTED),
        (Visible(words="rate of a single record", size=None), Status.INCONCLUSIVE),
        (Visible(words="rate", size=2.0), Status.INCONCLUSIVE),
        (Visible(words="rate", size=0.5), Status.NOT_REFUTED),
    ],
)
def test_a_short_reading_shows_nothing_fine_and_must_show_the_rest(unseen, verdict):
    assert audited(by_halves, LookedFor(unseen=(unseen,))).verdict is verdict


def test_its_deviations_are_tests_of_the_same_kind_as_ours():
    assert isinstance(fact("x", "y", impossible=True), SchemeTest)


def test_registered_it_is_known_by_its_name_and_found(monkeypatch):
    known = Registry()
    for name in registry().schemes.names():
        known.schemes.add(name, registry().schemes.get(name))
    known.schemes.add("halves", Halves)
    monkeypatch.setattr("dpverify.loaders.audit.registry", lambda: known)
    assert audited(mixed, "halves(size=20)").verdict is Status.REFUTED
    assert audited(by_halves, "poisson").found == "halves(size=20)"
