"""The pairs and searched parameters that an auditor draws outputs from, in the order in which they are worth trying."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from auditors.candidate_pairs import candidate_pairs, corners, scaled_limit
from auditors.privacy.outputs import Drawer
from dpverify.core.auditing import Task
from dpverify.core.subjects import Pair

PAIRS = 25
"""Contenders at effort 1."""

PROBED = 16
"""Draws a side that reveal the shape of the outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A pair with a setting of the searched parameters; others have the claim's stated values.

    Attributes
    ----------
    place : int
        Number of the contender; it names the random streams.
    drawer : Drawer
        Draws outputs of the subject with these parameters on this pair.
    """

    place: int
    pair: Pair
    parameters: Mapping[str, float]
    drawer: Drawer


Kind = TypeVar("Kind", bound=Contender)


def contenders(task: Task, kind: type[Kind], *, draws: int, middle: bool = False) -> list[Kind]:
    """All combinations of pairs and settings, ordered by the sum of their ranks; AuditError when there is no pair.

    Parameters
    ----------
    task : Task
        Effort and trials limit the number of contenders.
    kind : type
        `Contender` or a subclass.
    draws : int
        Fewest draws a side for each contender.
    middle : bool
        Whether the middle of the box of parameters is a setting, beside the stated values and the corners.
    """
    limit = scaled_limit(task, PAIRS, draws=draws)
    pairs = candidate_pairs(task, limit)
    box = task.claim.space.parameters
    settings: list[dict[str, float]] = [{}, *corners(box)[: max(1, limit // 2)]]
    if box and middle:
        settings.append({name: (low + high) / 2.0 for name, (low, high) in box.items()})
    subjects = [task.build(**setting) for setting in settings]
    ranked = sorted((i + j, i, j) for i in range(len(pairs)) for j in range(len(settings)))[:limit]
    return [
        kind(place=place, pair=pairs[i], parameters=settings[j], drawer=Drawer(subjects[j], pairs[i]))
        for place, (_, i, j) in enumerate(ranked)
    ]


def probe(task: Task, drawer: Drawer) -> None:
    """Draw a few outputs a side, so that their width is known and errors of the subject appear early."""
    drawer.both(PROBED, task.stream, "probe")
