"""A watched run has the numbers of an unwatched one, and tells its iterates in order."""

from __future__ import annotations

import numpy as np

from dpverify.datasets.breast_cancer import load_breast_cancer
from dpverify.recording.tape import WatchingTape
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_sgd import DpSgd


def test_a_watched_run_is_the_run():
    table, algorithm = load_breast_cancer().normalised(), DpSgd(steps=7)
    seen = []
    tape = WatchingTape(stream(0, "w"), lambda number, point, told: seen.append((number, point.copy(), dict(told))))
    watched = algorithm.run(table, tape)
    kept = algorithm.transcript(table, rng=stream(0, "w"))
    assert np.array_equal(watched, kept.result)
    assert [number for number, _, _ in seen] == list(range(8))
    assert all(np.array_equal(point, iterate) for (_, point, _), iterate in zip(seen, kept.iterates, strict=True))
    assert seen[-1][2]["step-size"] == algorithm.step_size
    assert "step-size" not in seen[0][2]
