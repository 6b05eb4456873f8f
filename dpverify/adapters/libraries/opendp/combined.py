"""OpenDP's combinators, over inner measurements of every privacy measure; interactive ones are asked two queries.

A combinator that amplifies is no mechanism of its own: its claim is about a data set that is a simple random sample of
a population, so what is audited draws that sample and then calls the measurement.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.adapters.libraries.opendp.draws import Read, as_it_is
from dpverify.adapters.libraries.opendp.spaces import Space
from dpverify.core.subjects import Pair

POPULATION, SAMPLED = 8, 4
"""Records of a population, and of the simple random sample that the amplified measurement is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """A measurement that a combinator made."""

    constructor: str
    label: str
    """Of what was combined."""
    make: Callable[[float], Any]
    """``make(scale)`` with the scale of the inner noise: 1 as claimed, smaller for a twin."""
    d_in: Any = 1
    """The distance of neighbours."""
    pairs: Sequence[Pair] = (Pair(d0=0, d1=1, label="0 and 1"),)
    """At that distance."""
    relation: str = "AbsoluteDistance at most 1"
    read: Read = as_it_is
    """Makes plain values of a release."""
    loss: Callable[[Any], Any] | None = None
    """The claimed loss of what `make` made, where its map does not say."""
    given: Callable[[Any], Any] | None = None
    """What is passed to the measurement, made of the data set; None passes the data set."""


def number_space(dp: Any) -> Space:
    """Integers under the absolute distance."""
    return Space(dp.atom_domain(T=int), dp.absolute_distance(T=int))


def _laplace(dp: Any, scale: float) -> Any:
    space = number_space(dp)
    return dp.m.make_laplace(space.domain, space.metric, 2.0 * scale)


def _gaussian(dp: Any, scale: float) -> Any:
    space = number_space(dp)
    return dp.m.make_gaussian(space.domain, space.metric, scale)


def _measured(dp: Any) -> Iterator[tuple[str, Callable[[Any, float], Any], Any]]:
    """Both kinds of noise, and the measure of each."""
    yield "laplace", _laplace, dp.max_divergence()
    yield "gaussian", _gaussian, dp.zero_concentrated_divergence()


def combined(dp: Any, constructor: str) -> Iterator[Combined]:
    """What is audited of one combinator; nothing for one that this file does not know."""
    made = _KNOWN.get(constructor)
    if made is not None:
        yield from made(dp, constructor)


def _of_one(inner: Mapping[str, Callable[[Any, float], Any]], **words: Any) -> Callable[..., Iterator[Combined]]:
    """A combinator of one measurement."""

    def each(dp: Any, constructor: str) -> Iterator[Combined]:
        function = getattr(dp.c, constructor)
        for label, make in inner.items():
            yield Combined(
                constructor=constructor,
                label=label,
                make=lambda scale, make=make: function(make(dp, scale), **words),  # type: ignore[misc]
            )

    return each


def _of_two(dp: Any, constructor: str) -> Iterator[Combined]:
    function = getattr(dp.c, constructor)
    for label, make in {"laplace": _laplace, "gaussian": _gaussian}.items():
        yield Combined(
            constructor=constructor,
            label=f"two-{label}",
            make=lambda scale, make=make: function([make(dp, scale), make(dp, scale)]),  # type: ignore[misc]
        )


def _interactive(dp: Any, constructor: str) -> Iterator[Combined]:
    """Two queries, the second of which follows from the first answer."""
    function, space = getattr(dp.c, constructor), number_space(dp)
    for label, make, measure in _measured(dp):

        def made(scale: float, measure: Any = measure) -> Any:
            """The compositor; its queries are made by `read`."""
            return function(space.domain, space.metric, measure, d_in=1, d_mids=[0.5, 0.5])

        def read(queryable: Any, make: Any = make) -> list[Any]:
            first = queryable(make(dp, 1.0))
            return [first, queryable(make(dp, 1.0 if first > 0 else 1.25))]

        yield Combined(
            constructor=constructor,
            label=f"two-{label}",
            make=made,
            read=read,
        )


def _odometer(dp: Any, constructor: str) -> Iterator[Combined]:
    """Two queries, and the loss that the odometer then tells."""
    space = number_space(dp)
    for label, make, measure in _measured(dp):

        def made(scale: float, measure: Any = measure) -> Any:
            return dp.c.make_fully_adaptive_composition(space.domain, space.metric, measure)

        def read(queryable: Any, make: Any = make) -> list[Any]:
            return [queryable(make(dp, 1.0)), queryable(make(dp, 1.0))]

        def loss(odometer: Any, read: Any = read) -> Any:
            queryable = odometer(0)
            read(queryable)
            return queryable.privacy_loss(1)

        yield Combined(
            constructor=constructor,
            label=f"two-{label}",
            make=made,
            read=read,
            loss=loss,
        )


def _filter(dp: Any, constructor: str) -> Iterator[Combined]:
    """Two queries that use the budget up, and a third that must be refused."""
    space = number_space(dp)
    for label, make, measure in _measured(dp):

        def made(scale: float, measure: Any = measure) -> Any:
            odometer = dp.c.make_fully_adaptive_composition(space.domain, space.metric, measure)
            return dp.c.make_privacy_filter(odometer, d_in=1, d_out=1.0)

        def read(queryable: Any, make: Any = make) -> list[Any]:
            answers = [queryable(make(dp, 1.0)), queryable(make(dp, 1.0))]
            try:
                answers.append(queryable(make(dp, 1.0)))
            except dp.OpenDPException:
                return [*answers, 0, 0]  # refused
            return [*answers, 1]

        yield Combined(
            constructor=constructor,
            label=f"three-{label}",
            make=made,
            read=read,
        )


def _postprocessed(dp: Any, constructor: str) -> Iterator[Combined]:
    for label, make in {"laplace": _laplace, "gaussian": _gaussian}.items():

        def made(scale: float, make: Any = make) -> Any:
            doubled = dp.new_function(lambda x: 2 * x, TO=int)
            return dp.c.make_chain_pm(doubled, make(dp, scale))

        yield Combined(constructor=constructor, label=label, make=made)


def _selected(dp: Any, constructor: str) -> Iterator[Combined]:
    """Candidates whose score is their noisy value; the first above the threshold is released."""
    space = Space(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))

    def made(scale: float) -> Any:
        inner = dp.m.make_laplace(space.domain, space.metric, 2.0 * scale)

        def scored(data: Any) -> tuple[float, Any]:
            found = inner(data)
            return found, found

        pairs = dp.m.make_user_measurement(
            space.domain, space.metric, dp.max_divergence(), scored, inner.map, TO=(float, "ExtrinsicObject")
        )
        return dp.c.make_select_private_candidate(pairs, stop_probability=0.01, threshold=4.0)

    def read(released: Any) -> float:
        return -1.0 if released is None else float(released[0])

    yield Combined(
        constructor=constructor,
        label="laplace",
        make=made,
        d_in=1.0,
        pairs=(Pair(d0=0.0, d1=1.0, label="0 and 1"),),
        read=read,
    )


def _amplified(dp: Any, constructor: str) -> Iterator[Combined]:
    """A sum of a simple random sample."""
    domain = dp.vector_domain(dp.atom_domain(bounds=(0, 1)), size=SAMPLED)
    space = domain, dp.symmetric_distance()

    def made(scale: float) -> Any:
        inner = space >> dp.t.then_sum() >> dp.m.then_laplace(scale=scale / 2.0)
        return dp.c.make_population_amplification(inner, population_size=POPULATION)

    def sampled(population: Sequence[int]) -> list[int]:
        return random.SystemRandom().sample(list(population), SAMPLED)

    yield Combined(
        constructor=constructor,
        label="sum-laplace",
        make=made,
        d_in=2,
        pairs=(
            Pair(d0=[0] * POPULATION, d1=[1] + [0] * (POPULATION - 1), label="one record of the population replaced"),
        ),
        relation="SymmetricDistance of the population at most 2 (one record replaced)",
        given=sampled,
    )


def _smoothed(dp: Any, scale: float) -> Any:
    return dp.c.make_zCDP_to_approxDP(_gaussian(dp, scale))


def _fixed(dp: Any, scale: float) -> Any:
    return dp.c.make_fix_delta(_smoothed(dp, scale), delta=0.05)


_KNOWN: dict[str, Callable[[Any, str], Iterator[Combined]]] = {
    "make_adaptive_composition": _interactive,
    "make_approximate": _of_one({"laplace": _laplace, "gaussian": _gaussian}),
    "make_basic_composition": _of_two,
    "make_chain_pm": _postprocessed,
    "make_composition": _of_two,
    "make_fix_delta": _of_one({"smoothed": _smoothed}, delta=0.05),
    "make_fixed_approxDP_to_approxDP": _of_one({"fixed": _fixed}),
    "make_fully_adaptive_composition": _odometer,
    "make_population_amplification": _amplified,
    "make_privacy_filter": _filter,
    "make_pureDP_to_zCDP": _of_one({"laplace": _laplace}),
    "make_select_private_candidate": _selected,
    "make_sequential_composition": _interactive,
    "make_zCDP_to_approxDP": _of_one({"gaussian": _gaussian}),
}
"""How each combinator is given what it combines; one that is not here is said to be not examined."""
