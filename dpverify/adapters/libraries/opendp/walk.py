"""All that the installed OpenDP offers: the grid's points as claims, combinators, chains, and their twins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from dpverify.adapters.libraries.offered import NotExamined, Offered, Offers
from dpverify.adapters.libraries.opendp.claims import guarantee_of
from dpverify.adapters.libraries.opendp.combined import Combined, combined
from dpverify.adapters.libraries.opendp.draws import SPECIAL, as_it_is, fast_draws, single_draws
from dpverify.adapters.libraries.opendp.grid import Point, UnknownParameterError, chained, constructors, points
from dpverify.adapters.libraries.opendp.sabotaged import bounds_from_the_data, half_the_noise, twins_of
from dpverify.adapters.libraries.opendp.spaces import distance_of, pairs_of
from dpverify.definitions.pure_dp import ApproxDP

NO_RELEASE = {
    "make_proof_link": "a helper that writes the address of a proof",
    "make_chain_tt": "combines two transformations; nothing is released",
}
"""Public names that begin like constructors and make no measurement."""

TWIN_CHAINS = ("make_sum", "make_count", "make_mean")
"""Transformations that are also followed by half the noise."""


def walk(dp: Any, *, quick: bool) -> Offers:
    """Every constructor of measurements and combinators, each over its grid."""
    found = _Found()
    for constructor in constructors(dp.m):
        _measurement(dp, constructor, found, quick=quick)
    for constructor in constructors(dp.c):
        _combinator(dp, constructor.__name__, found)
    for claim in _chains(dp, quick=quick):
        found.add("make_chain_mt", claim)
    found.add("make_chain_mt", bounds_from_the_data(dp))
    return found.offers()


class _Found:
    """What has been found so far."""

    def __init__(self) -> None:
        self.claims: dict[str, Offered] = {}
        self.reasons: dict[str, str] = {}
        self.names: dict[str, None] = {}
        self.aside: list[NotExamined] = []
        self.groups: set[tuple[str, ...]] = set()

    def first(self, *group: str) -> bool:
        """Whether no claim of this group has been found yet."""
        new = group not in self.groups
        self.groups.add(group)
        return new

    def add(self, constructor: str, claim: Offered) -> None:
        self.names[constructor] = None
        self.claims.setdefault(claim.id, claim)

    def fail(self, constructor: str, reason: str) -> None:
        self.names[constructor] = None
        self.reasons.setdefault(constructor, reason)

    def offers(self) -> Offers:
        examined = {claim.constructor for claim in self.claims.values()}
        return Offers(
            claims=tuple(self.claims.values()),
            not_examined=tuple(
                NotExamined(constructor=name, reason=self.reasons.get(name, "no point of the grid is accepted"))
                for name in self.names
                if name not in examined
            ),
            constructors=tuple(self.names),
            aside=tuple(self.aside),
        )


def _measurement(dp: Any, constructor: Callable[..., Any], found: _Found, *, quick: bool) -> None:
    name = constructor.__name__
    if name in NO_RELEASE:
        found.aside.append(NotExamined(constructor=name, reason=NO_RELEASE[name]))
        return
    found.names[name] = None
    special = SPECIAL.get(name)
    more = special.more(dp) if special is not None and special.more is not None else {}
    try:
        made = list(points(constructor, dp, more=more, quick=quick))
    except (UnknownParameterError, ImportError) as problem:
        found.fail(name, f"no values are known for its parameter {problem}")
        return
    for point, measurement in made:
        values = point.words.get("categories", ())
        pairs = pairs_of(measurement.input_domain, measurement.input_metric, values=values)
        if special is not None and special.pairs is not None:
            pairs = special.pairs(pairs)
        if not pairs:
            found.fail(name, f"no neighbours are known on {_plain(measurement.input_domain)}")
            continue
        distance = distance_of(measurement.input_domain, measurement.input_metric)
        try:
            loss = measurement.map(distance)
            guarantee, implied = guarantee_of(measurement.output_measure, loss)
        except Exception as problem:  # noqa: BLE001 - the privacy map has no value at this distance
            found.fail(name, f"its privacy map at {distance}: {_line(problem)}")
            continue
        told = _told(point.words)
        shape, element = _group(measurement), _element(measurement)
        choices = [f"{key}={value}" for key, value in told.items() if key in ("negate", "optimize")]
        groups = ((name, shape, *choices), (name, shape.partition(" ")[0], element))
        new = [found.first(*group) for group in groups] if point.quick else []
        first = True in new
        if quick and not first:
            continue
        read = as_it_is if special is None else special.read
        claim = Offered(
            id=_id(name, measurement, told),
            constructor=name,
            guarantee=guarantee,
            source=_source(measurement, distance, loss, implied),
            relation=f"{_plain(measurement.input_metric)} at most {_number(distance)}",
            pairs=pairs,
            build=fast_draws(point.make, read, example=pairs[0].d0),
            single=single_draws(point.make, read),
            parameters=told,
            profile="quick" if first else "full",
        )
        found.add(name, claim)
        if first and found.first("twin", name, repr(measurement.output_measure)):
            for twin in twins_of(claim, point, read):
                found.add(name, twin)


def _combinator(dp: Any, name: str, found: _Found) -> None:
    if name in NO_RELEASE:
        if not any(each.constructor == name for each in found.aside):
            found.aside.append(NotExamined(constructor=name, reason=NO_RELEASE[name]))
        return
    found.names[name] = None
    for each in combined(dp, name):
        try:
            measurement = each.make(1.0)
            loss = measurement.map(each.d_in) if each.loss is None else each.loss(measurement)
            guarantee, implied = guarantee_of(measurement.output_measure, loss)
        except Exception as problem:  # noqa: BLE001 - said in the table
            found.fail(name, _line(problem))
            continue
        # Integers with half the noise exceed an epsilon that is only implied, at a delta, by almost nothing.
        share = "quarter" if isinstance(guarantee, ApproxDP) else "half"
        for twin, scale in (("", 1.0), (share, {"half": 0.5, "quarter": 0.25}[share])):
            if twin and not _scaled(each):
                continue
            found.add(name, _of_combined(each, guarantee, _source(measurement, each.d_in, loss, implied), scale, twin))


def _scaled(each: Combined) -> bool:
    """Whether the combinator takes its noise when it is made (interactive ones take it with each query)."""
    return each.read is as_it_is


def _of_combined(each: Combined, guarantee: Any, source: str, scale: float, twin: str) -> Offered:
    def make() -> Callable[[Any], Any]:
        measurement = each.make(scale)
        given = each.given
        return measurement if given is None else lambda data: measurement(given(data))

    return Offered(
        id=f"{each.constructor}:{each.label}" + (f":twin-{twin}-scale" if twin else ""),
        constructor=each.constructor,
        guarantee=guarantee,
        source=source,
        relation=each.relation,
        pairs=each.pairs,
        build=fast_draws(make, each.read, example=each.pairs[0].d0),
        single=single_draws(make, each.read),
        parameters={"inner": each.label},
        twin=f"{twin} of the scale of the noise inside" if twin else "",
    )


def _chains(dp: Any, *, quick: bool) -> Iterator[Offered]:
    seen: set[tuple[str, str]] = set()
    for point, transformation, noise in chained(dp, quick=quick):
        assert point.space is not None
        distance = distance_of(point.space.domain, point.space.metric)
        pairs = pairs_of(point.space.domain, point.space.metric)
        try:
            moved = transformation.map(distance)
            scale = float(moved) if moved else 1.0

            def make(factor: float = 1.0, scale: float = scale, point: Point = point, noise: Any = noise) -> Any:
                return point.make() >> noise(scale * factor)

            measurement = make()
            loss = measurement.map(distance)
            guarantee, implied = guarantee_of(measurement.output_measure, loss)
        except Exception:  # noqa: BLE001 - unbounded here: no claim is made
            continue
        group = (point.name, _plain(point.space.metric))
        first = point.quick and group not in seen
        if quick and not first:
            continue
        new = group not in seen
        seen.add(group)
        told = _told(point.words)
        claim = Offered(
            id=_id(f"{point.name}+noise", measurement, told),
            constructor="make_chain_mt",
            guarantee=guarantee,
            source=_source(measurement, distance, loss, implied),
            relation=f"{_plain(point.space.metric)} at most {_number(distance)}",
            pairs=pairs,
            build=fast_draws(make, example=pairs[0].d0),
            single=single_draws(make),
            parameters={**told, "scale": scale},
            profile="quick" if first else "full",
        )
        yield claim
        if new and point.name in TWIN_CHAINS:
            yield half_the_noise(claim, partial(make, 0.5))


def _source(measurement: Any, distance: Any, loss: Any, implied: str) -> str:
    """Where the claim stands, in one line."""
    said = f"map({_number(distance)}) = {_number(loss)}, {_plain(measurement.output_measure)}"
    return f"{said}; {implied}" if implied else said


def _told(words: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as plain values."""
    kept = {name: value for name, value in words.items() if name not in ("input_domain", "input_metric", "MO")}
    plain = (bool, int, float, str, list, tuple)
    said = {name: value for name, value in kept.items() if not callable(value)}
    return {name: value if isinstance(value, plain) else _plain(value) for name, value in said.items()}


def _id(name: str, measurement: Any, told: Mapping[str, Any]) -> str:
    parts = [name, _domain(measurement.input_domain), _short(measurement.input_metric)]
    parts += [_short(measurement.output_measure)]
    parts += [f"{key}={_number(value)}" for key, value in told.items() if key != "output_measure"]
    return re.sub(r"\s+", "", ":".join(parts))


def _group(measurement: Any) -> str:
    """What domains share that differ in their numbers' type, bounds and size; the metric's kind; the measure."""
    shape = re.match(r"\w+", repr(measurement.input_domain))
    kind = _short(measurement.input_metric).partition("-")[0]
    return f"{shape[0] if shape else ''} {kind} {measurement.output_measure!r}"


def _element(measurement: Any) -> str:
    """The type of a domain's numbers or labels."""
    return " ".join(re.findall(r"T=(\w+)", repr(measurement.input_domain)))


def _domain(domain: Any) -> str:
    text = repr(domain)
    shape = re.match(r"(\w+)Domain", text)
    words = [shape[1].lower() if shape else "?", *re.findall(r"T=(\w+)", text)]
    bounds, size = re.search(r"bounds=\[([^,]+), ([^\]]+)\]", text), re.search(r"(?:size|weight)=(\d+)", text)
    words += [f"{bounds[1]}..{bounds[2]}"] if bounds else []
    words += [f"size{size[1]}"] if size else []
    return "-".join(words)


def _short(thing: Any) -> str:
    text = re.sub(r"Distance|Divergence|T=", "", repr(thing)).replace("()", "")
    return re.sub(r"[(),<>\s]+", "-", text).strip("-").lower()


def _plain(thing: Any) -> str:
    return repr(thing).replace("()", "")


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_number, value))})"
    return str(value) if isinstance(value, int | str | list) else type(value).__name__


def _line(problem: BaseException) -> str:
    said = " ".join(str(problem).split())
    return said if len(said) <= 160 else f"{said[:157]}..."
