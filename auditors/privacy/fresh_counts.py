"""Counts in fresh draws, in parts that a run can be resumed from: the last step of auditors that fix events first.

Streams are named by side and chunk, so the counts are the same whoever makes the parts, in any order, after any kill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.outputs import Drawer, Sample
from dpverify.core.auditing import Task
from dpverify.core.chunks import parts


def fresh_counts(
    task: Task, drawer: Drawer, subject: object, count: Callable[[Sample], Any], *, about: Any, name: str = "certify"
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Counts so far and draws so far, both sides together, after each part; the last says all.

    Parameters
    ----------
    task : Task
        Its `trials` a side are drawn.
    drawer : Drawer
        Of the pair.
    subject : mechanism
        What is drawn from: parts are kept only of a subject without state.
    count : callable
        What is counted in a sample: a whole number, or a list of k.
    about : plain JSON values
        What is counted, in full: parts of another count are told apart by it.
    name : str
        Of the task's streams that are drawn from.

    Yields
    ------
    counts : ndarray of int, shape (2,) or (2, k)
        On d0 and on d1; the same array, updated.
    drawn : int
        Of 2 * `task.trials`.
    """
    sizes = drawer.chunks(task.trials)

    def counted(place: int) -> Any:
        chunk, side = divmod(place, 2)
        found = count(drawer.draw(side, sizes[chunk], rng=task.stream(name, side, chunk)))
        return np.asarray(found).tolist()

    found = parts(task, subject, (name,), 2 * len(sizes), counted, about=about)
    counts: NDArray[np.int64] | None = None
    drawn = 0
    for place, part in enumerate(found):
        chunk, side = divmod(place, 2)
        some = np.asarray(part, dtype=np.int64)
        counts = np.zeros((2, *some.shape), dtype=np.int64) if counts is None else counts
        counts[side] += some
        drawn += sizes[chunk]
        yield counts, drawn
