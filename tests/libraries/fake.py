"""A library of two mechanisms, one of them wrong, with the twins that their audits must find."""

from functools import partial
from typing import ClassVar

import numpy as np

from dpverify.adapters.libraries.offered import Library, NotExamined, Offered, Offers
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import PureDP

PAIRS = (Pair(d0=0.0, d1=1.0, label="0 and 1"),)


def noisy(scale):
    def mechanism(data, size, rng):
        return data + rng.laplace(scale=scale, size=size)

    return mechanism


def raising():
    def mechanism(data, rng):
        raise RuntimeError("no release today")

    return mechanism


def offered(name, scale, *, twin="", **more):
    return Offered(
        id=name,
        constructor=name.partition(":")[0],
        guarantee=PureDP(epsilon=1.0),
        source="epsilon(1) = 1",
        relation="values at most 1 apart",
        pairs=PAIRS,
        build=partial(noisy, scale),
        parameters={"scale": scale},
        twin=twin,
        **more,
    )


class FakeLibrary(Library):
    """Two constructors with claims, one that raises, one that nobody can build."""

    name, package, module, recorded = "fake", "fake", "fake", "recorded: numpy's generator"
    reports: ClassVar = {"wro*": "fake/fake#7"}

    def __init__(self, *claims):
        self.claims = claims

    def version(self):
        return "1.0"

    def offers(self, profile):
        chosen = tuple(each for each in self.claims if profile == "full" or each.profile == "quick")
        names = tuple(dict.fromkeys(each.constructor for each in self.claims))
        return Offers(
            claims=chosen,
            not_examined=(NotExamined(constructor="mystery", reason="no values are known for its parameter x"),),
            constructors=(*names, "mystery"),
        )


def right():
    return offered("right", 1.0)


def wrong(single=None):
    return offered("wrong", 0.25, single=single)


def twin():
    return offered("right:twin-scale", 0.4, twin="less noise")


def failing():
    return Offered(
        id="failing",
        constructor="failing",
        guarantee=PureDP(epsilon=1.0),
        source="",
        relation="values at most 1 apart",
        pairs=PAIRS,
        build=raising,
    )


def right_single():
    return noisy(1.0)


def constant():
    return Offered(
        id="constant",
        constructor="constant",
        guarantee=PureDP(epsilon=1.0),
        source="",
        relation="values at most 1 apart",
        pairs=PAIRS,
        build=lambda: lambda data, size, rng: np.zeros(size) + 0 * data,
    )
