"""A user's callable under a recorder, as a subject with transcripts.

Noise comes as numbers that keep an account of themselves (`dpverify.recording.traced`). Code that takes no such numbers
raises; it is then run again with plain ones, and every draw counts as a hidden coin but for declared primitives and
releases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters.copies import own_copy, short
from dpverify.core.errors import InputError, one_line
from dpverify.core.transcript import Transcript
from dpverify.recording.door import Recording


class RecordedCallable:
    """A callable with the capability ``transcript``.

    Attributes
    ----------
    traced : bool
        False once the callable has refused noise that keeps its account.
    refusal : str
        Why it has.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = function, name
        self.traced, self.refusal = True, ""

    def transcript(self, dataset: Any, *, rng: np.random.Generator) -> Transcript:
        """One run on a copy of `dataset`."""
        started = Recording(rng)
        return self._run(dataset, started.blank())

    def replay(self, dataset: Any, transcript: Transcript) -> Transcript:
        """The run on `dataset` with the transcript's draws, and its released values where it is held."""
        return self._run(dataset, transcript)

    def _run(self, dataset: Any, start: Transcript) -> Transcript:
        if self.traced:
            try:
                return self._once(dataset, start, traced=True)
            except Exception as problem:  # noqa: BLE001 - a user's code may raise anything; the plain run decides
                plain = self._plain(dataset, start)
                self.traced, self.refusal = False, f"{type(problem).__name__}: {one_line(str(problem))}"
                return plain
        return self._plain(dataset, start)

    def _plain(self, dataset: Any, start: Transcript) -> Transcript:
        try:
            return self._once(dataset, start, traced=False)
        except Exception as problem:
            raise InputError(
                f"{self.name} raised {type(problem).__name__}: {one_line(str(problem)) or '(no message)'}",
                allowed="a mechanism that returns on both data sets",
                remedy=f"call it once by hand on {short(dataset)}",
            ) from problem

    def _once(self, dataset: Any, start: Transcript, *, traced: bool) -> Transcript:
        with Recording(replay=start, traced=traced) as recording:
            recording.run(self.function, own_copy(dataset))
        return recording.transcript
