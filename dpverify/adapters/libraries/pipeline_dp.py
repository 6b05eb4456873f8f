"""PipelineDP's local backend as a subject: every scalar metric, with each kind of noise, on one public partition.

The claim is the total epsilon and delta of the budget accountant. The unit is a privacy id, which one of two neighbours
has and the other has not, as PipelineDP's documentation has it. PipelineDP draws its noise by PyDP, in C++: it can be
neither seeded nor recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.adapters.libraries.offered import Library, NotExamined, Offered, Offers, Profile, in_short
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee, Pair
from dpverify.definitions.pure_dp import ApproxDP, PureDP

EPSILON, DELTA, FAULT = 1.0, 0.01, 8.0
FAULTS = {"PERCENTILE": 64.0}
"""Where a smaller fault is not found with the draws of a quick table: its loss on small data sets is a small part of
what is claimed."""

BASES = ([0.0] * 3, [1.0, 0.0, 1.0, 0.0])


class PipelineDP(Library):
    """See `Library`."""

    name = "pipeline_dp"
    package = "pipeline-dp"
    module = "pipeline_dp"
    recorded = "not recorded: the noise is drawn by PyDP, in C++, and can be neither seen nor seeded"

    def offers(self, profile: Profile) -> Offers:
        """Every metric."""
        return _offers()


@functools.cache
def _offers() -> Offers:
    import pipeline_dp

    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for name in sorted(vars(pipeline_dp.Metrics)):
        if name.startswith("_"):
            continue
        names.append(name)
        metric = getattr(pipeline_dp.Metrics, name)
        reason = ""
        for kind in pipeline_dp.NoiseKind:
            made = _of(name, metric, kind)
            if isinstance(made, str):
                reason = made
            else:
                claims += made
        if not any(each.constructor == name for each in claims):
            missing.append(NotExamined(constructor=name, reason=reason))
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


def _of(name: str, metric: Any, kind: Any) -> list[Offered] | str:
    chosen = metric(50) if callable(metric) else metric
    words = {"metric": chosen, "kind": kind}
    try:
        _release(words, EPSILON, list(BASES[1]))
    except Exception as problem:  # noqa: BLE001 - said in the table
        return in_short(problem)
    pairs = [
        Pair(d0=list(base), d1=[*base, extreme], label=f"one privacy id more, with the value {extreme:g}, base {place}")
        for place, base in enumerate(BASES)
        for extreme in (1.0, 0.0)
    ]
    delta = 0.0 if kind.name == "LAPLACE" else DELTA
    guarantee: Guarantee = ApproxDP(epsilon=EPSILON, delta=delta) if delta else PureDP(epsilon=EPSILON)
    return [
        Offered(
            id=f"{name}:{kind.name}" + (":twin-epsilon" if factor > 1 else ""),
            constructor=name,
            guarantee=guarantee,
            source=f"NaiveBudgetAccountant(total_epsilon={EPSILON:g}, total_delta={delta:g})",
            relation="one privacy id more or less",
            pairs=pairs,
            build=functools.partial(_build, words, factor * EPSILON),
            parameters={"metric": name, "noise": kind.name},
            twin=f"{factor:g} times the epsilon that is claimed" if factor > 1 else "",
        )
        for factor in (1.0, FAULTS.get(name, FAULT))
    ]


def _build(words: Mapping[str, Any], epsilon: float) -> Callable[..., Any]:
    def release(data: Any) -> list[float]:
        return _release(words, epsilon, data)

    return release


def _release(words: Mapping[str, Any], epsilon: float, data: Any) -> list[float]:
    """One run of the engine on rows of (privacy id, value) in one public partition."""
    import pipeline_dp

    delta = 0.0 if words["kind"].name == "LAPLACE" else DELTA
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=delta)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    parameters = pipeline_dp.AggregateParams(
        metrics=[words["metric"]],
        noise_kind=words["kind"],
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=0.0,
        max_value=1.0,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: "all",
        value_extractor=lambda row: row[1],
    )
    found = engine.aggregate(list(enumerate(data)), parameters, extractors, public_partitions=["all"])
    accountant.compute_budgets()
    ((_, numbers),) = list(found)
    return [float(number) for number in numbers]


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("pipeline_dp", PipelineDP())
