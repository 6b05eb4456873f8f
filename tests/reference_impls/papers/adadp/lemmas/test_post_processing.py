"""AD-POST: runs that are given the same noisy sums; a mutant that falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.core.verdict import Status, judge
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.post_processing import PostProcessed


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeking(Adadp):
    """A fault: what is published of the error is not computed from the noisy sums alone."""

    def run(self, dataset: Any, tape: Tape) -> Any:
        result = Adadp.run(self, dataset, tape)
        tape.publish("error", float(dataset.features[0, 0]))
        return result


@dataclass(frozen=True, kw_only=True)
class PeekingTwins(PostProcessed):
    @property
    def algorithm(self) -> Adadp:
        return Peeking(batch_size=4, noise_multiplier=2.0, steps=3)


def test_runs_that_are_given_the_same_sums_show_the_same_and_a_look_at_the_data_shows(examined) -> None:
    one = PostProcessed()
    first = one.algorithm.transcript(one.table("first"), rng=stream(0, "adadp-post"))
    second = one.algorithm.replay(one.table("second"), first)
    assert not np.array_equal(first.iterates, second.iterates)  # without their sums held, the runs part
    assert one.difference == 0.0
    assert judge(examined("AD-POST.paper", PeekingTwins)) is Status.REFUTED
