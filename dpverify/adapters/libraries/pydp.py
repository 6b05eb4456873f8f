"""PyDP (python-dp) as a subject: its algorithms and its numerical mechanisms, which wrap Google's C++ library.

The claim is the epsilon (and delta) that the object was made with. PyDP names no relation, so data sets are audited
under both, as two readings of one claim. The noise is drawn in C++, and can be neither seeded nor recorded.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dpverify.adapters.libraries.offered import Library, NotExamined, Offered, Offers, Profile, both_readings, in_short
from dpverify.core.registry import Registry
from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.core.subjects import Guarantee, Pair
from dpverify.definitions.pure_dp import ApproxDP, PureDP

VALUES: dict[str, Any] = {"lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float", "percentile": 0.5}
BASES = ([0.0] * 4, [0.0, 0.0, 1.0, 1.0])
EXTREMES = (1.0, 0.0)
EPSILON, DELTA, FAULT = 1.0, 0.05, 6.0


class PyDP(Library):
    """See `Library`."""

    name = "pydp"
    package = "python-dp"
    module = "pydp"
    recorded = "not recorded: the noise is drawn in C++, and can be neither seen nor seeded"

    def offers(self, profile: Profile) -> Offers:
        """Algorithms and numerical mechanisms."""
        return _offers()


@functools.cache
def _offers() -> Offers:
    import pydp.algorithms.laplacian as algorithms
    import pydp.algorithms.numerical_mechanisms as mechanisms

    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for name, kind in sorted(vars(algorithms).items()):
        if not inspect.isclass(kind) or name.startswith("_"):
            continue
        names.append(name)
        words = {key: VALUES[key] for key in inspect.signature(kind).parameters if key in VALUES}
        once = _release(kind, words, EPSILON)
        try:
            once(list(BASES[1]), None)
        except Exception as problem:  # noqa: BLE001 - said in the table
            missing.append(NotExamined(constructor=name, reason=in_short(problem)))
            continue
        twin = functools.partial(_release, kind, words, FAULT * EPSILON)
        claims += both_readings(
            name,
            once,
            BASES,
            EXTREMES,
            epsilon=EPSILON,
            words=words,
            twin=twin,
            fault=f"{FAULT:g} times the epsilon that is claimed",
            faulty=ADD_REMOVE if name == "Count" else REPLACE,  # a count of replaced records is the same
        )
    for name, kind in sorted(vars(mechanisms).items()):
        if not inspect.isclass(kind) or not hasattr(kind, "add_noise") or name.startswith("_"):
            continue
        names.append(name)
        found = _mechanism(name, kind)
        if found:
            claims += found
        else:
            missing.append(NotExamined(constructor=name, reason="no values of its parameters are accepted"))
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


def _release(kind: Any, words: dict[str, Any], epsilon: float) -> Any:
    def once(data: Any, _state: Any) -> float:
        return float(kind(epsilon=epsilon, **words).quick_result(list(data)))

    return once


def _mechanism(name: str, kind: Any) -> list[Offered]:
    """The claims of one numerical mechanism on two values 1 apart, and its twin with more epsilon."""
    for words in ({"epsilon": EPSILON, "sensitivity": 1.0}, {"epsilon": EPSILON, "delta": DELTA, "sensitivity": 1.0}):
        try:
            made = kind(**words)
        except TypeError:
            continue
        delta = float(words.get("delta", 0.0))
        guarantee: Guarantee = ApproxDP(epsilon=EPSILON, delta=delta) if delta else PureDP(epsilon=EPSILON)
        wrong = kind(**{**words, "epsilon": FAULT * EPSILON})
        return [
            Offered(
                id=f"{name}:epsilon={EPSILON:g}" + (f":twin-{fault.replace(' ', '-')}" if fault else ""),
                constructor=name,
                guarantee=guarantee,
                source=f"epsilon = {EPSILON:g}, delta = {delta:g}, sensitivity = 1",
                relation="values at most 1 apart",
                pairs=(Pair(d0=0.0, d1=1.0, label="0 and 1"),),
                build=functools.partial(_noisy, noisy),
                parameters=words,
                twin=fault,
            )
            for noisy, fault in ((made, ""), (wrong, f"{FAULT:g} times the epsilon"))
        ]
    return []


def _noisy(mechanism: Any) -> Callable[..., Any]:
    def release(data: Any, size: int) -> list[float]:
        return [float(mechanism.add_noise(float(data))) for _ in range(size)]

    return release


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("pydp", PyDP())
