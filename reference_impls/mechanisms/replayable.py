"""A mechanism that can run once on a tape: from that come its transcript and its replays."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.core.transcript import Transcript
from dpverify.recording.tape import Tape

Float = NDArray[np.float64]


class Replayable:
    """A mechanism with a `run`; `sample` draws many outputs at once and need not give the same numbers."""

    __slots__ = ()

    @abstractmethod
    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One output, shape (k,), with the tape's randomness."""

    def transcript(self, dataset: Dataset, *, rng: np.random.Generator) -> Transcript:
        """One run with everything it did."""
        tape = Tape.recording(rng)
        return tape.transcript(self.run(dataset, tape))

    def replay(self, dataset: Dataset, transcript: Transcript) -> Transcript:
        """The run on `dataset` with the transcript's draws, and its released values where it is held."""
        tape = Tape.replaying(transcript)
        return tape.transcript(self.run(dataset, tape))
