"""Counts an event in new draws, in parts from which a run can be resumed.

Streams are named by side and chunk, so the counts do not depend on the worker, the order or an interruption.
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
    """Yield the counts and draws so far after each part; the last ones are complete.

    Parameters
    ----------
    task : Task
        The task; its `trials` a side are drawn.
    drawer : Drawer
        Draws outputs on the pair.
    subject : mechanism
        The mechanism; parts are saved only for a subject without state.
    count : callable
        Function that counts a sample: returns an integer, or a list of k.
    about : plain JSON values
        Full description of the count, which identifies its saved parts.
    name : str
        Name of the task's random streams.

    Yields
    ------
    counts : ndarray of int, shape (2,) or (2, k)
        Counts on d0 and d1; always the same array, updated.
    drawn : int
        Draws so far, of 2 * `task.trials`.
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
