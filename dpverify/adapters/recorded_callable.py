"""A user's callable under a recorder, as a subject with transcripts.

Noise consists of traced numbers (`dpverify.recording.traced_number`). Code that raises with such numbers is run again
with plain ones; then every draw counts as a hidden coin, except declared primitives and releases.

Outputs become the types that a comparison of runs uses: numbers, labels, lists and dicts. Any other output (a table, a
set, a sparse matrix) becomes a dict of its parts, by the readers of sampled outputs. Outputs that these cannot read
completely are refused, since a comparison by `==` or printed form might miss differences.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from dpverify.adapters.copies import independent_copy
from dpverify.adapters.mechanism_errors import RaisedError, ReturnedOn
from dpverify.adapters.output_structure import DEEPEST, UnreadableError, refusal, unpacked
from dpverify.adapters.scalars import read_scalar
from dpverify.adapters.time_limit import TimeLimit
from dpverify.adapters.unpacked_containers import Member
from dpverify.adapters.unpacked_value import CannotReadError
from dpverify.core.errors import one_line
from dpverify.core.transcript import Step, Transcript
from dpverify.recording.compare_runs import print_alike, same_bits
from dpverify.recording.release_likelihood import Answer, Shown
from dpverify.recording.traced_array import TracedArray
from dpverify.recording.traced_number import Traced
from dpverify.recording.user_hooks import Recording, empty_transcript

REPEATS = 10
"""Repeated runs that distinguish a program with other randomness from one that does not accept traced numbers."""


class RecordedCallable:
    """A callable with the capability ``transcript``.

    Parameters
    ----------
    limit : TimeLimit or None
        Time limit of each run.

    Attributes
    ----------
    traced : bool
        False once the callable has failed with traced numbers.
    refusal : str
        The reason of that failure.

    Raises
    ------
    InputError
        In `transcript` and `replay`, when the callable also raises with plain numbers, exits, or takes too long.
    """

    def __init__(self, function: Callable[..., Any], name: str, *, limit: TimeLimit | None = None) -> None:
        self.function, self.name = function, name
        self._limit = limit or TimeLimit()
        self._has_returned = ReturnedOn(name)
        self.traced, self.refusal = True, ""

    @cached_property
    def _accepts(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.function).parameters)

    def _read(self, output: Any) -> Any:
        return plain_output(output, self.name)

    def transcript(self, dataset: Any, *, rng: np.random.Generator) -> Transcript:
        """One run on a copy of `dataset`."""
        return self._run(dataset, empty_transcript(rng))

    def replay(self, dataset: Any, transcript: Transcript) -> Transcript:
        """The run on `dataset` with the transcript's draws, and its released values where it is held."""
        return self._run(dataset, transcript)

    def observed(self, dataset: Any, *, rng: np.random.Generator) -> Shown:
        """The shown values of one run of the unchanged function, with plain numbers, on a copy of `dataset`."""
        start = empty_transcript(rng)
        with self._limit.call(self.name), Recording(replay=start, traced=False) as recording:
            try:
                recording.run(self.function, independent_copy(dataset), read=self._read, accepts=self._accepts)
            except UnreadableError:
                raise
            except (Exception, SystemExit) as problem:
                raise self._has_returned.refusal(RaisedError(problem), dataset) from problem
        self._has_returned.add(dataset)
        return recording.shown

    def explained(self, dataset: Any, shown: Shown, *, rng: np.random.Generator) -> tuple[Answer, ...]:
        """Likelihoods of the shown values under a run on `dataset`, with independent coins.

        Empty if the function raises, since it may not accept values shown on other data.
        """
        start = empty_transcript(rng)
        with (
            self._limit.call(self.name),
            Recording(replay=start, observed=shown, traced=self.traced) as recording,
        ):
            try:
                recording.run(self.function, independent_copy(dataset), read=self._read, accepts=self._accepts)
            except UnreadableError:
                raise
            except (Exception, SystemExit):  # noqa: BLE001 - a user's code may raise anything
                return ()
        return recording.answers

    def faithful(self, dataset: Any, transcript: Transcript) -> bool:
        """Whether the unchanged function, with plain numbers from the same streams, shows the same values to the bit.

        If not, the callable gets no traced numbers any more; unless its unchanged runs differ among themselves, which
        is not due to tracing.
        """
        start = replace(transcript, held=False)
        if not self.traced or any(self._borne_out(dataset, start) is not None for _ in range(REPEATS)):
            return True
        if not self._repeats(dataset, start):
            return True
        self.traced, self.refusal = False, "with them it shows other values than with plain numbers"
        return False

    def fresh(self, dataset: Any, *, rng: np.random.Generator) -> Transcript | None:
        """One run on a copy of `dataset`; None if the unchanged function shows other values with the same draws."""
        start = empty_transcript(rng)
        return self._borne_out(dataset, start) if self.traced else self._plain(dataset, start)

    def _borne_out(self, dataset: Any, start: Transcript) -> Transcript | None:
        """The run with traced numbers, if the run with plain numbers shows the same."""
        runs = []
        for traced in (True, False):
            with self._limit.call(self.name), Recording(replay=start, traced=traced) as recording:
                try:
                    recording.run(self.function, independent_copy(dataset), read=self._read, accepts=self._accepts)
                except UnreadableError:
                    raise
                except (Exception, SystemExit):  # noqa: BLE001 - a user's code may raise anything, in one of the two
                    return None
            runs.append(recording)
        first, second = runs
        if _alike([first.told, second.told]) and _steps_alike(first.transcript.steps, second.transcript.steps):
            return first.transcript
        return None

    def _repeats(self, dataset: Any, start: Transcript) -> bool:
        """Whether unchanged runs with the same draws show the same."""
        runs = []
        for _ in range(REPEATS):
            with self._limit.call(self.name), Recording(replay=start, traced=False) as recording:
                try:
                    recording.run(self.function, independent_copy(dataset), read=self._read, accepts=self._accepts)
                except UnreadableError:
                    raise
                except (Exception, SystemExit):  # noqa: BLE001 - the recorded run decides what is said of it
                    return True
            runs.append(recording.told)
        return all(_alike([runs[0], each]) for each in runs[1:])

    def _run(self, dataset: Any, start: Transcript) -> Transcript:
        if self.traced:
            try:
                return self._once(dataset, start, traced=True)
            except RaisedError as raised:  # the run with plain numbers decides
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
                recording.run(self.function, independent_copy(dataset), read=self._read, accepts=self._accepts)
            except UnreadableError:
                raise
            except (Exception, SystemExit) as problem:
                raise RaisedError(problem) from problem
        self._has_returned.add(dataset)
        return recording.transcript


def _alike(told: list[list[tuple[str, list[Any]]]]) -> bool:
    first, second = told
    if [(name, len(parts)) for name, parts in first] != [(name, len(parts)) for name, parts in second]:
        return False
    return all(
        print_alike(one, other)
        for (_, ours), (_, theirs) in zip(first, second, strict=True)
        for one, other in zip(ours, theirs, strict=True)
    )


def _steps_alike(traced: tuple[Step, ...], plain: tuple[Step, ...]) -> bool:
    """Whether form of the result and queries agree; a run with plain numbers may have more queries."""
    forms = [[step.value for step in steps if step.name == "form of the result"] for steps in (traced, plain)]
    theirs = iter([step for step in plain if step.kind == "query"])
    return forms[0] == forms[1] and all(
        any(one.name == other.name and same_bits(one.clean, other.clean) for other in theirs)
        for one in traced
        if one.kind == "query"
    )


_PLAIN = (bool, int, float, str, bytes, type(None), np.bool_, np.number, np.str_, Traced, TracedArray)


def plain_output(output: Any, name: str) -> Any:
    """The converted output of the callable `name`; InputError where it cannot be read completely."""
    try:
        return output if _is_plain(output, 0) else _taken_apart(output, 0)
    except CannotReadError as problem:
        raise refusal(output, name, problem) from None


def _is_plain(value: Any, depth: int) -> bool:
    """Whether the output has only types that comparisons use."""
    if depth > DEEPEST:
        raise CannotReadError(f"which holds itself, or is nested more than {DEEPEST} deep", "return a flat value")
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufUSc" or (
            value.dtype.kind == "O" and all(_is_plain(each, depth + 1) for each in value.reshape(-1).tolist())
        )
    if type(value) is dict:
        return all(_is_plain(each, depth + 1) for each in value.values())
    if isinstance(value, list | tuple):
        return all(_is_plain(each, depth + 1) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return set(getattr(value, "__dict__", fields)) <= set(fields) and all(
            _is_plain(getattr(value, field), depth + 1) for field in fields
        )
    return False


def _taken_apart(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise CannotReadError(f"which holds itself, or is nested more than {DEEPEST} deep", "return a flat value")
    if isinstance(value, Traced | TracedArray):
        return value
    if isinstance(value, Member):
        return True
    found = read_scalar(value) or unpacked(value)
    parts: dict[str, Any] = {place: _taken_apart(item, depth + 1) for place, item in found.inside}
    if found.wraps is not None:
        parts["values"] = _taken_apart(found.wraps, depth + 1)
    if len(found.atoms):
        parts["numbers"] = [each if isinstance(each, float | str | bytes) else repr(each) for each in found.atoms]
    return {"kind": found.kind, **parts}
