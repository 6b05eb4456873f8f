"""Sources of scores: recorded ones, or a subject that draws single numbers, which are used as scores.

A sampled subject is drawn on one pair, the first of the claim's neighbours. For one-run audits each canary is a
separate run on d1 ("in") or d0, by a fair coin; together they are one mechanism with many coins, to which the theorems
apply. Separate draws decide whether high or low scores mean "in".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.candidate_pairs import candidate_pairs
from dpverify.core.auditing import Task
from dpverify.core.subjects import Float, HasCanaries, HasScores, Pair, capabilities

PILOT = 200


def lacks_scores(task: Task, recorded: type) -> str | None:
    """None when the subject has scores of the `recorded` kind or draws single numbers, else the reason."""
    subject = task.build()
    if isinstance(subject, recorded):
        return None
    if "sample" not in capabilities(subject):
        return "the subject has neither scores of an attack nor samples"
    drawn = np.asarray(subject.sample(_pair(task).d0, 2, rng=task.stream("probe")))
    return None if drawn.ndim == 1 and drawn.dtype.kind in "biuf" else "the subject's outputs are no single numbers"


def drawn_scores(task: Task) -> tuple[Float, Float]:
    """Scores on D and on D'."""
    subject = task.build()
    if isinstance(subject, HasScores):
        return subject.scores(rng=task.stream("scores"))
    pair = _pair(task)
    first, second = (
        _numbers(subject.sample(data, task.trials, rng=task.stream("scores", side)))
        for side, data in enumerate((pair.d0, pair.d1))
    )
    return first, second


def drawn_run(task: Task) -> tuple[Float, NDArray[np.int64], int]:
    """Scores of one training's canaries, their values, and how many values there are."""
    subject = task.build()
    if isinstance(subject, HasCanaries):
        scores, included = subject.canary_run(rng=task.stream("training"))
        return np.asarray(scores, dtype=np.float64), np.asarray(included, dtype=np.int64), subject.values
    pair = _pair(task)
    sides = (pair.d0, pair.d1)
    pilot = [
        np.median(_numbers(subject.sample(data, PILOT, rng=task.stream("pilot", side))))
        for side, data in enumerate(sides)
    ]
    sign = -1.0 if pilot[1] < pilot[0] else 1.0
    included = task.stream("coins").integers(0, 2, size=task.trials)
    scores = np.empty(task.trials)
    for side, data in enumerate(sides):
        here = included == side
        if here.any():
            scores[here] = sign * _numbers(
                subject.sample(data, int(np.count_nonzero(here)), rng=task.stream("training", side))
            )
    return scores, included, 2


def _pair(task: Task) -> Pair:
    return candidate_pairs(task, 1)[0]


def _numbers(outputs: NDArray[Any]) -> Float:
    return np.asarray(outputs, dtype=np.float64)
