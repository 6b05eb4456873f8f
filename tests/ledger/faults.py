"""Seeded faults in claims of the ledger, and what the deterministic audits say of one.

Three kinds: a claim that says nine tenths of what it says, a printed bound that reads 1 (or 0) in the place of one of
its parameters, and a claim that is taken to be about another neighbour relation. Where a fault must show is computed,
by looking at single points or pairs and by no auditor.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from auditors.privacy.exact.points import measured
from auditors.sensitivity.query_change import quick_change
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim
from dpverify.core.errors import DpverifyError
from dpverify.core.evidence import Enclosed
from dpverify.core.plugins import registry
from dpverify.core.subjects import HasPrintedBound, Pair, Scalable
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, decide
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.runner.plan import subject_builder, task_streams, unit_for
from dpverify.runner.thread_limits import one_thread
from dpverify.sampling.streams import stream

Builder = Callable[..., Any]

FAULT = 0.9

CLEARLY = 1.02
"""By so much must a fault be exceeded: a search with it is no worse than one without, but not to the last digit."""

CORNERS = 3
"""Parameters of which all ends are tried for a point at which a dropped one shows; the others follow in turn."""

LARGEST = 1e9
"""By no more than this does a dropped parameter lower a bound: doubles would no longer hold what is proved of it."""

BETWEEN = 8
"""Steps from the neutral value to the parameter's own, at which a bound that depends on it may only rise."""

PAIRS = 16
"""Of another relation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misprinted:
    """A lemma with another printed bound; `factor` is that of the wrong one over the right one.

    A proof of the ratio is one of the ratio to the wrong bound, which is what is claimed to the rounding of a division.
    """

    lemma: Any
    factor: float

    def printed(self) -> Enclosed:
        return _scaled(self.lemma.printed(), self.factor)

    def truth(self) -> Enclosed:
        return self.lemma.truth()

    def proved_ratio(self) -> Enclosed | None:
        proof = self.lemma.proved_ratio()
        return None if proof is None else _scaled(proof, 1 / self.factor)


def _scaled(found: Enclosed, factor: float) -> Enclosed:
    return dataclasses.replace(found, value=found.value * factor, error=found.error * factor)


def faulty(claim: Claim) -> tuple[Claim, Builder] | None:
    """The claim and its subject with a tenth less claimed; None where no fault can be seeded like this."""
    guarantee, plain = claim.guarantee, subject_builder(registry(), claim)
    if isinstance(guarantee, SensitivityBound):
        smaller = dataclasses.replace(guarantee, bound=guarantee.bound * FAULT)
        return dataclasses.replace(claim, guarantee=smaller), plain
    if isinstance(guarantee, Scalable):
        return dataclasses.replace(claim, guarantee=guarantee.scaled(FAULT)), plain
    if isinstance(plain(), HasPrintedBound):
        return claim, lambda **searched: Misprinted(lemma=plain(**searched), factor=FAULT)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A parameter whose place in a printed bound another value takes, and a point at which that shows."""

    name: str
    neutral: int
    point: Mapping[str, float]
    ratio: float
    """truth / misprinted there."""


def without(claim: Claim, drop: Drop) -> Builder:
    """The claim's lemma, its bound printed without the parameter; as it is where there is no such bound."""
    plain = subject_builder(registry(), claim)

    def build(**searched: Any) -> Any:
        lemma = plain(**searched)
        return Misprinted(lemma=lemma, factor=_factor(plain, lemma, searched, drop.name, drop.neutral))

    return build


def _factor(plain: Builder, lemma: Any, point: Mapping[str, Any], name: str, neutral: float) -> float:
    """The bound without the parameter over that with it, no less than 1 / `LARGEST`; 1 where one of them is no positive
    number."""
    try:
        with np.errstate(all="ignore"):  # the neutral value may be beyond what the lemma is for
            wrong, right = plain(**{**point, name: _like(lemma, name, neutral)}).printed().value, lemma.printed().value
    except (DpverifyError, ArithmeticError, ValueError):
        return 1.0
    factor = wrong / right if right > 0 else 1.0
    return max(factor, 1 / LARGEST) if 0 < factor < math.inf else 1.0


def _like(lemma: Any, name: str, value: float) -> Any:
    return type(getattr(lemma, name, 1.0))(value)


def dropped(claim: Claim, worst: Mapping[str, float]) -> Drop | None:
    """The parameter without which the printed bound fails by most; None where none of them shows.

    Looked for at the worst point of the record, at the claim's own, and at some corners. What a bound does not rise or
    fall in (a seed, a name) is no factor of it.
    """
    plain, found = subject_builder(registry(), claim), list[Drop]()
    names = list(dict.fromkeys([*claim.parameters, *claim.space.parameters]))
    for point in _points(claim, worst):
        try:
            with np.errstate(all="ignore"):
                lemma = plain(**point)
                right, true = lemma.printed().value, lemma.truth().value
            if not (0 < right < math.inf and true > 0) or lemma.proved_ratio() is None:
                continue
        except DpverifyError:
            continue
        for name, neutral in product(names, (1, 0)):
            value = getattr(lemma, name, None)
            if isinstance(value, int | float) and not isinstance(value, bool) and value != neutral:
                wrong = right * _factor(plain, lemma, point, name, neutral)
                if wrong < right and wrong * CLEARLY < true:
                    found.append(Drop(name=name, neutral=neutral, point=point, ratio=true / wrong))
    ranked = sorted(found, key=lambda drop: -drop.ratio)
    return next((drop for drop in ranked if _monotone(plain, drop)), None)


def _points(claim: Claim, worst: Mapping[str, float]) -> Iterator[dict[str, float]]:
    yield dict(worst)
    yield {}
    boxes = claim.space.parameters
    for ends in product((0, 1), repeat=min(len(boxes), CORNERS)):
        yield {name: box[ends[place % CORNERS]] for place, (name, box) in enumerate(boxes.items())}


def _monotone(plain: Builder, drop: Drop) -> bool:
    lemma = plain(**drop.point)
    value = getattr(lemma, drop.name)
    between = [drop.neutral + part * (value - drop.neutral) / BETWEEN for part in range(BETWEEN + 1)]
    factors = [_factor(plain, lemma, drop.point, drop.name, each) for each in between]
    return factors == sorted(factors) and factors[0] < factors[-1]


def misread(claim: Claim, neighbors: str) -> Claim:
    """The claim as one about the neighbours of that name."""
    relation = neighbors.partition("/")[0]
    generator = neighbors if neighbors != relation else None
    return dataclasses.replace(claim, relation=relation, space=dataclasses.replace(claim.space, generator=generator))


def misreadings(claim: Claim) -> Iterator[str]:
    """Names of neighbours of other relations among which one pair at least exceeds the claim at its own parameters."""
    known, own = registry(), (claim.space.generator or claim.relation).partition("/")[2]
    for relation in dict.fromkeys(name.partition("/")[0] for name in sorted(known.neighbors)):
        named = f"{relation}/{own}" if own else relation
        name = named if named in known.neighbors else relation
        if relation != claim.relation and name in known.neighbors and _exceeded(claim, name):
            yield name


def _exceeded(claim: Claim, neighbors: str) -> bool:
    subject = subject_builder(registry(), claim)()
    space = misread(claim, neighbors).space
    try:
        space = space.scaled(subject) if space.unit else space
        generator = registry().neighbors.get(neighbors)
        pairs = generator.candidates(space, limit=PAIRS, rng=stream(0, claim.id, "misread"))
        return any(_ratio(claim, subject, pair) > CLEARLY for pair in pairs)
    except (DpverifyError, TypeError):  # the subject takes no such data
        return False


def _ratio(claim: Claim, subject: Any, pair: Pair) -> float:
    """What the pair shows over what is claimed, by the query's change or the exact laws."""
    measures = [each for each in claim.guarantee.measures() if each.claimed > 0]
    if isinstance(claim.guarantee, SensitivityBound):
        return quick_change(subject, pair, claim.guarantee.norm) / measures[0].claimed
    laws = subject.output_law(pair.d0).against(subject.output_law(pair.d1))
    return max(measured(side, each).lower / each.claimed for side in (laws, laws.swap()) for each in measures[:3])


@one_thread()
def verdict(claim: Claim, *, build: Builder | None = None) -> Status:
    """What the auditors that draw nothing say of a claim, maybe of another subject."""
    known = registry()
    task = Task(
        claim=claim,
        build=build or subject_builder(known, claim),
        neighbors=known.neighbors.get(claim.space.generator or claim.relation),
        alpha=1e-6,
        trials=1,
        stream=task_streams(0, claim.id),
    )
    exact = [
        each for _, each in known.auditors.items() if not each.statistical and not getattr(each, "by_request", False)
    ]
    unit = unit_for(SuiteEntry(claim=claim), task, exact)
    with np.errstate(over="ignore"):  # a search follows the fault to where the true claim's never goes
        found = [
            each.audit(dataclasses.replace(task, stream=task_streams(0, claim.id, each.name))) for each in unit.auditors
        ]
    return decide(claim, found, unsupported="; ".join(unit.refusals)).status


def decided_exactly(item: dict[str, Any]) -> bool:
    """Whether no draw has a part in the leading evidence of a record."""
    return item["method"] is not None and item["confidence"] is None


def single(claim_id: str) -> Claim:
    """A claim of the registry by its id, reading included."""
    return next(each for _, claim in registry().claims.items() for each in claim.single() if each.id == claim_id)
