"""Rankers on sessions: clipped listwise SGD, and PrivBR; `rows` is the number of sessions.

A changed session moves its clipped gradient, or the clipped sum, from one point of a ball of radius C to another: by 2
C, whatever the published account believed. Labels that change are a special case of a replaced session. The repaired
PrivBR scales its noise to a bound over all sessions' documents, which labels do not change; the published one to a
bound over the sample, which is not certified.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost
from reference_impls.calibration.fixed_size_batches import FixedSizeFamily


class ListwiseFamily(FixedSizeFamily):
    """ListNet, ListMLE and BayesRank, clipped."""

    relations = ("labels", "replace", "add-remove")
    then = "DISS Lemma 2.3 at sensitivity C as printed, whole orders up to 500"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """What is not clipped."""
        return "without clipping no noise is enough; give a finite clip" if math.isinf(algorithm.clip) else None

    def releases(self, algorithm: Any, asked: Asked) -> tuple[float, list[float]]:
        """Sums, which move by 2 C."""
        return _share(algorithm, asked), [algorithm.noise_multiplier * algorithm.believed / 2.0] * algorithm.steps


class PrivBrRepairedFamily(FixedSizeFamily):
    """PrivBR with a public bound."""

    relations: ClassVar[tuple[str, ...]] = ("labels",)

    def releases(self, algorithm: Any, asked: Asked) -> tuple[float, list[float]]:
        """Sums, which move by C."""
        return _share(algorithm, asked), [algorithm.noise_multiplier] * algorithm.steps


class PrivBrFamily(PrivBrRepairedFamily):
    """PrivBR as printed."""

    relations = ()
    never = (
        "its noise is scaled to the sessions of the sample, which tells them, so no sound accountant certifies it; "
        "privbr-repaired is certified"
    )

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """None."""
        raise InputError(f"PrivBr: {self.never}", allowed="privbr-repaired")


def _share(algorithm: Any, asked: Asked) -> float:
    if algorithm.batch > asked.rows:
        raise InputError(
            f"{type(algorithm).__name__}: batches of {algorithm.batch} from {asked.rows} sessions",
            allowed="rows >= batch",
        )
    return float(algorithm.batch / asked.rows)


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("ListwiseSgd", ListwiseFamily())
    registry.calibrations.add("PrivBr", PrivBrFamily())
    registry.calibrations.add("PrivBrRepaired", PrivBrRepairedFamily())
