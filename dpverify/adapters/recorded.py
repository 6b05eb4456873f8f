"""A user's callable under a recorder, as a subject with transcripts.

Noise comes as numbers that keep an account of themselves (`dpverify.recording.traced`). Code that takes no such numbers
raises; it is then run again with plain ones, and every draw counts as a hidden coin but for declared primitives and
releases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.adapters.copies import own_copy
from dpverify.adapters.raised import RaisedError, Returned
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import one_line
from dpverify.core.transcript import Step, Transcript
from dpverify.recording.compare import same
from dpverify.recording.door import Recording


class RecordedCallable:
    """A callable with the capability ``transcript``.

    Parameters
    ----------
    limit : TimeLimit or None
        Of each run.

    Attributes
    ----------
    traced : bool
        False once the callable has refused noise that keeps its account.
    refusal : str
        Why it has.

    Raises
    ------
    InputError
        In `transcript` and `replay`, when the callable raises with plain numbers too, exits, or takes too long.
    """

    def __init__(self, function: Callable[..., Any], name: str, *, limit: TimeLimit | None = None) -> None:
        self.function, self.name = function, name
        self._limit = limit or TimeLimit()
        self._has_returned = Returned(name)
        self.traced, self.refusal = True, ""

    def transcript(self, dataset: Any, *, rng: np.random.Generator) -> Transcript:
        """One run on a copy of `dataset`."""
        started = Recording(rng)
        return self._run(dataset, started.blank())

    def replay(self, dataset: Any, transcript: Transcript) -> Transcript:
        """The run on `dataset` with the transcript's draws, and its released values where it is held."""
        return self._run(dataset, transcript)

    def faithful(self, dataset: Any, transcript: Transcript) -> bool:
        """Whether the untouched function, with plain numbers from the transcript's streams, shows the same to the bit.

        Where it does not, the callable is not asked again to take noise that keeps its account.
        """
        if not self.traced:
            return True
        told = []
        for traced in (True, False):
            start = replace(transcript, held=False)
            with self._limit.call(self.name), Recording(replay=start, traced=traced) as recording:
                try:
                    recording.run(self.function, own_copy(dataset))
                except (Exception, SystemExit):  # noqa: BLE001 - a user's code may raise anything, in one of the two
                    break
            told.append((recording.told, recording.transcript.steps))
        if len(told) == 2 and _alike([part for part, _ in told]) and _steps_alike(told[0][1], told[1][1]):
            return True
        self.traced, self.refusal = False, "with them it shows other values than with plain numbers"
        return False

    def _run(self, dataset: Any, start: Transcript) -> Transcript:
        if self.traced:
            try:
                return self._once(dataset, start, traced=True)
            except RaisedError as raised:  # the plain run decides
                plain, problem = self._plain(dataset, start), raised.problem
                self.traced, self.refusal = False, f"{type(problem).__name__}: {one_line(str(problem))}"
                return plain
        return self._plain(dataset, start)

    def _plain(self, dataset: Any, start: Transcript) -> Transcript:
        try:
            return self._once(dataset, start, traced=False)
        except RaisedError as raised:
            raise self._has_returned.refusal(raised, dataset) from raised.problem

    def _once(self, dataset: Any, start: Transcript, *, traced: bool) -> Transcript:
        with self._limit.call(self.name), Recording(replay=start, traced=traced) as recording:
            try:
                recording.run(self.function, own_copy(dataset))
            except (Exception, SystemExit) as problem:
                raise RaisedError(problem) from problem
        self._has_returned.add(dataset)
        return recording.transcript


def _alike(told: list[list[tuple[str, list[Any]]]]) -> bool:
    first, second = told
    if [(name, len(parts)) for name, parts in first] != [(name, len(parts)) for name, parts in second]:
        return False
    return all(
        same(float(one), float(other)) if isinstance(one, _PLAIN) and isinstance(other, _PLAIN) else same(one, other)
        for (_, ours), (_, theirs) in zip(first, second, strict=True)
        for one, other in zip(ours, theirs, strict=True)
    )


_PLAIN = (bool, int, float)


def _steps_alike(traced: tuple[Step, ...], plain: tuple[Step, ...]) -> bool:
    """One form of the result; and the queries, of which a run with plain numbers may see more."""
    forms = [[step.value for step in steps if step.name == "form of the result"] for steps in (traced, plain)]
    theirs = iter([step for step in plain if step.kind == "query"])
    return forms[0] == forms[1] and all(
        any(one.name == other.name and same(one.clean, other.clean) for other in theirs)
        for one in traced
        if one.kind == "query"
    )
