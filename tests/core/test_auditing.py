"""Parts of long counts: named after what they count, and shared out only for subjects that remember nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpverify.core.auditing import Task, one_by_one, parts
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import task_streams


@dataclass(frozen=True)
class Frozen:
    """Remembers nothing."""


@dataclass
class Thawed:
    """May remember."""


class Plain:
    """May remember, too."""


def task(chunks=one_by_one, *, seed=0, trials=1000, prefix=("claim", "auditor")):
    claim = Claim(
        id="claim",
        guarantee=PureDP(epsilon=1.0),
        relation="replace",
        subject="subject",
        source=Source(paper="tests", locus=""),
        space=SearchSpace(size=1),
    )
    return Task(
        claim=claim,
        build=Frozen,
        neighbors=FixedPair(d0=[0], d1=[1], relation="replace"),
        alpha=0.1,
        trials=trials,
        stream=task_streams(seed, *prefix),
        chunks=chunks,
    )


def name_of(task, **more):
    """The name under which the parts are asked for."""
    asked = []

    def chunks(name, count, work):
        asked.append((name, count))
        return map(work, range(count))

    given = {"names": ("certify",), "count": 3, "about": {"threshold": 1.0}, **more}
    found = parts(replace(task, chunks=chunks), Frozen(), given["names"], given["count"], abs, about=given["about"])
    assert list(found) == list(range(given["count"]))
    return asked[0][0]


def test_one_by_one_is_in_order():
    assert list(one_by_one("", 4, lambda place: place * place)) == [0, 1, 4, 9]


def test_the_same_audit_asks_by_the_same_name():
    assert name_of(task()) == name_of(task())
    assert name_of(task()).startswith("certify ")


@pytest.mark.parametrize(
    "other",
    [
        lambda: name_of(task(seed=1)),
        lambda: name_of(task(prefix=("claim", "auditor", "replayed", 0))),
        lambda: name_of(task(trials=1001)),
        lambda: name_of(replace(task(), effort=0.2)),
        lambda: name_of(task(), about={"threshold": np.nextafter(1.0, 2.0)}),
        lambda: name_of(task(), count=4),
    ],
)
def test_anything_else_asks_by_another_name(other):
    assert other() != name_of(task())


@pytest.mark.parametrize("subject", [Thawed(), Plain(), lambda dataset, rng: 0.0])
def test_subjects_that_may_remember_are_drawn_in_one_go(subject):
    def forbidden(*_):
        raise AssertionError("shared out")

    assert list(parts(task(forbidden), subject, ("certify",), 3, abs)) == [0, 1, 2]
