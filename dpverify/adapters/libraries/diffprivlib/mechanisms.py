"""Every mechanism class of ``diffprivlib.mechanisms``: values that differ by the sensitivity that it was made for."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.adapters.libraries.diffprivlib.seeded import Once, seeded
from dpverify.adapters.libraries.offered import NotExamined, Offered, Offers, by_default
from dpverify.core.subjects import Guarantee, Pair
from dpverify.definitions.pure_dp import ApproxDP, PureDP

VALUES: dict[str, Sequence[Any]] = {
    "epsilon": (1.0, 0.5, 3.0),
    "delta": (0.05, 0.01),
    "sensitivity": (1, 2),
    "lower": (0,),
    "upper": (4,),
    "value0": ("a",),
    "value1": ("b",),
    "utility_list": ([["a", "b", 1.0], ["a", "c", 2.0], ["b", "c", 2.0]],),
    "hierarchy": ([["a", "b"], ["c", "d"]],),
    "monotonic": (False, True),
}
"""By parameter name; the first value is that of the quick profile."""

ALWAYS = ("monotonic", "sensitivity")
"""Parameters with a default that are given all the same."""

ASIDE = {
    "DPMachine": "an abstract base class",
    "DPMechanism": "an abstract base class",
    "TruncationAndFoldingMixin": "a mixin of other mechanisms",
}

FACTORS = {"Bingham": 64.0, "ExponentialCategorical": 4.0, "ExponentialHierarchical": 4.0}
"""How many times less noise a twin has, where half as much may still be enough: these lose less than they claim."""

ELSEWHERE = {
    "Vector": "perturbs an objective function, and its claim is about the minimiser, which models.LogisticRegression "
    "releases: examined there"
}


def mechanisms(*, quick: bool) -> Offers:
    """All classes of the module that are a mechanism."""
    import diffprivlib.mechanisms as module

    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    aside: list[NotExamined] = []
    for name, kind in sorted(vars(module).items()):
        if not inspect.isclass(kind) or name.startswith("_"):
            continue
        if inspect.isabstract(kind) or name in ASIDE:
            aside.append(NotExamined(constructor=name, reason=ASIDE.get(name, "an abstract class")))
            continue
        names.append(name)
        if name in ELSEWHERE:
            missing.append(NotExamined(constructor=name, reason=ELSEWHERE[name]))
            continue
        found, reason = _of(name, kind, quick=quick)
        claims += found
        if not found:
            missing.append(NotExamined(constructor=name, reason=reason))
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names), aside=tuple(aside))


def _of(name: str, kind: Any, *, quick: bool) -> tuple[list[Offered], str]:
    """The claims of one class, or why there are none."""
    parameters = inspect.signature(kind).parameters
    needed = [
        key
        for key, each in parameters.items()
        if key not in ("utility", "random_state") and (each.default is each.empty or key in ALWAYS)
    ]
    unknown = [key for key in needed if key not in VALUES]
    if unknown:
        return [], f"no values are known for its parameter {unknown[0]}"
    claims, reason = list[Offered](), "no values of its parameters are accepted"
    axes = [VALUES[key][: 1 if quick else None] for key in needed]
    for place, values in enumerate(itertools.product(*axes)):
        words = dict(zip(needed, values, strict=True))
        made = _first_that_fits(kind, words, utility="utility" in parameters)
        if isinstance(made, str):
            reason = made
            continue
        once, pairs = made
        claim = _claim(name, kind, words, once, pairs, quick=place == 0)
        claims.append(claim)
        if place == 0:
            claims += _twins(claim, kind, words, utility="utility" in parameters)
    return claims, reason


def _once(kind: Any, words: Mapping[str, Any], *, utility: bool) -> Once:
    if utility:
        return lambda data, state: kind(**words, utility=list(data), random_state=state).randomise()
    made: dict[int, Any] = {}

    def once(data: Any, state: Any) -> Any:
        if id(state) not in made:  # made once for a batch: a user keeps a mechanism, too
            made.clear()
            made[id(state)] = kind(**words, random_state=state)
        return made[id(state)].randomise(data)

    return once


def _first_that_fits(kind: Any, words: Mapping[str, Any], *, utility: bool) -> tuple[Once, list[Pair]] | str:
    """The kind of data that the mechanism takes: numbers, labels, a matrix; or why it takes none."""
    once, reason = _once(kind, words, utility=utility), ""
    candidates = (_utilities(words),) if utility else (_numbers(words), _labels(words), _matrices(words))
    for pairs in candidates:
        try:
            for data in (pairs[0].d0, pairs[0].d1):
                once(data, np.random.RandomState(0))
        except Exception as problem:  # noqa: BLE001 - the library says that these data do not fit
            reason = reason or " ".join(str(problem).split())[:120]
        else:
            return once, pairs
    return reason


def _numbers(words: Mapping[str, Any]) -> list[Pair]:
    step = words.get("sensitivity", 1)
    ends = [(1, 1 + step), (0, step), (4 - step, 4)]
    return [Pair(d0=a, d1=b, label=f"{a} and {b}") for a, b in ends]


def _labels(words: Mapping[str, Any]) -> list[Pair]:
    ends = (
        [("a", "b")]
        if "value0" in words
        else list(itertools.combinations("abcd" if "hierarchy" in words else "abc", 2))
    )
    return [Pair(d0=a, d1=b, label=f"{a} and {b}") for a, b in ends]


def _utilities(words: Mapping[str, Any]) -> list[Pair]:
    """Utilities that move by the sensitivity: one up and the others down, or (monotonic) one up."""
    step, size = float(words["sensitivity"]), 16
    base = [2.0 * step] * size
    up, lower = [base[0] + step, *base[1:]], [base[0] + step, *[each - step for each in base[1:]]]
    down = [base[0] - step, *base[1:]]
    ends = [(base, up), (base, down)]
    if not words.get("monotonic"):
        ends = [(base, lower), (base, [base[0] - step, *[each + step for each in base[1:]]]), *ends]
    return [Pair(d0=a, d1=b, label=f"utilities, pair {place}") for place, (a, b) in enumerate(ends)]


def _matrices(words: Mapping[str, Any]) -> list[Pair]:
    """Second moments that differ by one record of norm at most the sensitivity's root."""
    step = float(words.get("sensitivity", 1))
    base = np.diag([2.0, 1.0])
    added = [np.diag([0.0, step]), np.diag([step, 0.0]), np.full((2, 2), step / 2.0)]
    return [Pair(d0=base, d1=base + each, label=f"one record more, pair {place}") for place, each in enumerate(added)]


def _claim(
    name: str, kind: Any, words: Mapping[str, Any], once: Once, pairs: Sequence[Pair], *, quick: bool
) -> Offered:
    """The claim of one mechanism, with the epsilon and delta that it says it has."""
    made = kind(**words, **({"utility": list(pairs[0].d0)} if isinstance(pairs[0].d0, list) else {}))
    told = ":".join(f"{key}={_short(value)}" for key, value in words.items())
    return Offered(
        id=f"{name}:{told}".replace(" ", ""),
        constructor=name,
        guarantee=_guarantee(float(made.epsilon), float(made.delta)),
        source=f"epsilon = {made.epsilon:g}, delta = {made.delta:g}",
        relation=_relation(words, pairs[0].d0),
        pairs=pairs,
        build=seeded(once),
        single=by_default(once),
        parameters={key: value for key, value in words.items() if not isinstance(value, list)},
        profile="quick" if quick else "full",
    )


def _guarantee(epsilon: float, delta: float) -> Guarantee:
    return ApproxDP(epsilon=epsilon, delta=delta) if delta > 0 else PureDP(epsilon=epsilon)


def _relation(words: Mapping[str, Any], data: Any) -> str:
    if isinstance(data, str):
        return "any two labels"
    step = words.get("sensitivity", 1)
    if isinstance(data, list):
        return f"every utility moves by at most {step}"
    return f"values at most {step} apart" if not isinstance(data, np.ndarray) else "one record more, of norm at most 1"


def _twins(claim: Offered, kind: Any, words: Mapping[str, Any], *, utility: bool) -> Iterator[Offered]:
    """Half the noise (a quarter where there is a delta): another sensitivity where that is allowed, else epsilon."""
    factor = FACTORS.get(claim.constructor, 4.0 if "delta" in words else 2.0)
    wrong: list[dict[str, Any]] = []
    if "sensitivity" in words:
        wrong.append({**words, "sensitivity": words["sensitivity"] / factor})
    if "epsilon" in words:
        wrong.append({**words, "epsilon": words["epsilon"] * factor})
    for each in wrong:
        once = _once(kind, each, utility=utility)
        try:
            once(claim.pairs[0].d0, np.random.RandomState(0))
        except Exception:  # noqa: BLE001 - such as a sensitivity that must be an integer
            continue
        yield replace(
            claim,
            id=f"{claim.id}:twin-noise",
            build=seeded(once),
            single=by_default(once),
            twin=f"noise divided by {factor:g}",
        )
        return


def _short(value: Any) -> str:
    return f"{len(value)}-items" if isinstance(value, list) else str(value)
