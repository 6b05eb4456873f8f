"""Findings from one pair's runs, before they are confirmed by repeats: differences, laws, losses.

Each finding names its kind (`by`), which decides how it is confirmed on a user's callable.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from auditors.privacy.event_bounds import Goal
from auditors.privacy.replay.counts import ALPHA
from auditors.privacy.replay.laws import (
    ReplayBound,
    bound_by_difference,
    bound_by_laws,
    bound_by_orthant,
    bound_by_scales,
    first_values,
    loss,
)
from auditors.privacy.replay.runs import Replayer, Runs
from dpverify.core.errors import UnsupportedError
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.compare_runs import CertainDifference

FRESH = 16
"""New runs for a difference after noisy values; all of them must show such a difference."""

SLACK = 1e-9
"""Relative rounding error: a smaller excess does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding on one pair, with its place in words.

    Attributes
    ----------
    statistical : bool
        Whether it is based on new runs.
    by : "difference", "laws", "loss" or "log-ratio"
        A certain difference; laws of the values shown first; one history of releases; counts of such histories.
    """

    said: ReplayBound
    runs: Runs
    where: Mapping[str, Any] = field(default_factory=dict)
    statistical: bool = False
    by: Literal["difference", "laws", "loss", "log-ratio"] = "laws"

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Sort key: whether it exceeds the claim, whether it is proved, and by how much."""
        said = self.said
        share = said.value.value / said.measure.claimed if said.measure.claimed > 0 else said.value.value
        return said.excess > 0, said.value.proved or self.statistical, share

    @property
    def refutes(self) -> bool:
        """Whether it refutes the claim, so that the search may stop."""
        return self.rank[:2] == (True, True)


def findings(replayer: Replayer, goal: Goal, runs: Runs, place: int) -> Iterator[Found]:
    """All findings of the runs; whether they are certain is checked later."""
    direction = int(runs.reverse)
    apart, noisy = runs.comparison.apart, runs.comparison.noisy
    if apart is not None:
        yield from _by_difference(replayer, goal, runs, place, apart)
    if not noisy:
        return
    where = _where(runs)
    laws = first_values(runs.pair, noisy)
    if laws is not None:
        with suppress(UnsupportedError):
            yield Found(said=bound_by_laws(goal, laws), runs=runs, where=where)
    for said in (bound_by_orthant(goal, runs.pair, noisy, direction), bound_by_scales(goal, noisy, direction)):
        if said is not None:
            yield Found(said=said, runs=runs, where=where)
    if isinstance(goal.guarantee, PureDP):
        for each in (runs, *replayer.pushed(runs)):
            if each.comparison.apart is None or each.comparison.noisy:
                yield _by_loss(goal, each)


def _by_loss(goal: Goal, runs: Runs) -> Found:
    value = loss(runs.pair, runs.comparison.noisy)
    said = ReplayBound(
        measure=goal.headline,
        value=value,
        excess=value.value - goal.headline.claimed * (1.0 + SLACK),
        event=f"the loss of a history of {len(runs.comparison.noisy)} noisy releases",
    )
    return Found(said=said, runs=runs, where=_where(runs), by="loss")


def _by_difference(replayer: Replayer, goal: Goal, runs: Runs, place: int, apart: CertainDifference) -> Iterator[Found]:
    direction = int(runs.reverse)
    words = f"{apart.name} is {_short(apart.first)} on one data set and {_short(apart.second)} on the other"
    where = {"where": apart.where, "name": apart.name, "values": [_short(apart.first), _short(apart.second)]}
    p = 1.0
    needs_p = not _allows_nothing(goal, direction) or goal.headline.kind == "delta"
    if apart.released and not replayer.recorded and needs_p:
        p = math.nextafter(ALPHA ** (1.0 / FRESH), 0.0)
        for fresh in range(FRESH):
            again = replayer.runs(runs.pair, f"fresh {place} {fresh}", reverse=runs.reverse)
            if again.comparison.apart is None:
                return
    said = bound_by_difference(goal, p, direction, words)
    yield Found(said=said, runs=runs, where=where, statistical=p < 1.0, by="difference")


def _allows_nothing(goal: Goal, direction: int) -> bool:
    """Whether the claim excludes events that have probability 0 under one data set and not under the other."""
    return bool(goal.guarantee.tradeoff(np.zeros(1), reverse=bool(direction))[0] >= 1.0)


def _where(runs: Runs) -> dict[str, Any]:
    """The first noisy value whose noise-free value differs."""
    for one, other in runs.comparison.noisy:
        if not np.array_equal(one.clean, other.clean) or not np.array_equal(one.scale, other.scale):
            place = int(np.argmax((one.clean != other.clean) | (one.scale != other.scale)))
            values = [float(one.clean[place]), float(other.clean[place])]
            scales = [float(one.scale[place]), float(other.scale[place])]
            return {"where": one.where, "name": one.name, "values": values, "scales": scales}
    return {}


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
