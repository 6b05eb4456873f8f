"""The exact privacy loss of a program whose noise can be recorded and whose outputs are shown at once.

A run is recorded on one data set and repeated with the same draws on its neighbour (`dpverify.recording`). Where no
hidden draw decides anything, what is shown without noise is the same, and the noisy values have Gaussian or Laplace
noise of one scale on both sides, the output's law is known on both: a product of independent noise around two vectors.
A program without any noise that shows different values on any two data sets loses everything: between the two lies a
chain of neighbours, and on some pair of it the two outputs must differ.

Side: exact for each pair up to rounding, so the largest over some pairs is a lower bound on the mechanism's loss, and
its loss only as far as the worst pair is among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.core.errors import DpverifyError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Guarantee, LawPair, Pair
from dpverify.core.transcript import Step, Transcript
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.product import ProductLaw
from dpverify.recording.compare_runs import compare
from dpverify.sampling.streams import stream

SAME_SCALE = 1e-9
"""Relative difference below which two scales are one."""

LAWS: dict[str, Callable[..., Any]] = {"gaussian": GaussianLaw, "laplace": LaplaceLaw}


def known_loss(function: Callable[..., Any], guarantee: Guarantee, pairs: Sequence[Pair]) -> list[float] | None:
    """Return the largest true value of each measure over the pairs; None where it is not known for all."""
    measures = guarantee.measures()
    largest = [0.0] * len(measures)
    runs: list[Transcript] = []
    for place, pair in enumerate(pairs):
        try:
            found = _of_pair(function, measures, pair, place, runs)
        except DpverifyError:
            return None
        if found is None:
            return None
        largest = [max(one, other) for one, other in zip(largest, found, strict=True)]
    if all(step.kind in ("public", "query") for run in runs for step in run.steps) and any(
        compare(runs[0], run).apart is not None for run in runs[1:]
    ):
        return [_whole(measure) for measure in measures]
    return largest


def _of_pair(
    function: Callable[..., Any], measures: Sequence[Measure], pair: Pair, place: int, runs: list[Transcript]
) -> list[float] | None:
    recorded = RecordedCallable(function, "a mutant")
    first = recorded.transcript(pair.d0, rng=stream(0, "known loss", place))
    if not recorded.traced or not recorded.faithful(pair.d0, first):
        return None
    second = recorded.replay(pair.d1, first)
    runs += [first, second]
    found = compare(first, second)
    if found.coin is not None or not recorded.traced:
        return None
    if found.apart is not None:  # certain on one side, impossible on the other
        return None if found.noisy else [_whole(measure) for measure in measures]
    if len({one.call for one, _ in found.noisy}) > 1:
        return None  # later values may depend on earlier ones
    return _of_laws(measures, list(found.noisy))


def _of_laws(measures: Sequence[Measure], noisy: list[tuple[Step, Step]]) -> list[float] | None:
    """Compute it from independent noise on both sides."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for one, other in noisy:
        law = LAWS.get(one.law)
        if law is None or one.law != other.law:
            return None
        if np.any(np.abs(one.scale - other.scale) > SAME_SCALE * np.maximum(one.scale, other.scale)):
            pure = all(measure.kind == "epsilon" and measure.argument == 0 for measure in measures)
            return [math.inf] * len(measures) if pure else None
        for place, step in enumerate((one, other)):
            sides[place].append(law(locations=step.clean, scales=one.scale))
    if not sides[0]:
        return [0.0] * len(measures)
    laws = ProductLaw(laws=tuple(sides[0])).against(ProductLaw(laws=tuple(sides[1])))
    found = [_value(laws, measure) for measure in measures]
    return None if any(value is None for value in found) else [value for value in found if value is not None]


def _value(laws: LawPair, measure: Measure) -> float | None:
    """The measure in the worse direction."""
    kinds = {"epsilon": "epsilon", "delta": "delta", "renyi": "renyi"}
    if measure.kind == "mu":
        factors = getattr(laws, "factors", ())
        mus = [float(factor.mu().value) for factor in factors if hasattr(factor, "mu")]
        return math.hypot(*mus) if len(mus) == len(factors) else None
    if measure.kind not in kinds:
        return None
    return max(float(getattr(side, measure.kind)(measure.argument).value) for side in (laws, laws.swap()))


def _whole(measure: Measure) -> float:
    """Return the loss of two laws that share nothing."""
    return 1.0 if measure.kind == "delta" else math.inf
