"""AD-SHUFFLE-RUN: what the sampled subjects show, beside the traces of the algorithm."""

from __future__ import annotations

import numpy as np

from dpverify.datasets.neighbors.canaries import BLANK, FLIPPED, canary_table
from dpverify.sampling.streams import stream
from reference_impls.papers.adadp.lemmas.sampled_runs import AdadpNoisySums, AdadpShuffledScore


def test_runs_show_their_traces_and_the_score_adds_up_what_the_batches_say_for_the_record() -> None:
    subject = AdadpShuffledScore(batch_size=2, steps=2)
    table = canary_table([*[FLIPPED] * 7, BLANK], high=1e9, name="t")
    scores = subject.sample(table, 3, rng=stream(0, "score"))
    traces = subject.algorithm.traces(table, 3, rng=stream(0, "score"))
    numbers = 2 - traces[:, :, 0]
    expected = (np.exp((2 * numbers - 2) / 4) - np.exp((numbers - 0.5) / 4)).sum(axis=1)
    np.testing.assert_allclose(scores, expected)
    shown = AdadpNoisySums(batch_size=2, steps=2, sampling="shuffled").sample(table, 3, rng=stream(0, "score"))
    np.testing.assert_array_equal(shown, traces[:, :, 0])
