"""The audited form of a program: a callable's, without what needs a look inside, and with words of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.callable_mechanism import CallableMechanism, OnError
from dpverify.adapters.copies import short_repr
from dpverify.adapters.dependence import DependentError
from dpverify.adapters.mechanism_errors import RaisedError
from dpverify.adapters.signature import Call
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError
from dpverify.core.note import Kind, Note
from dpverify.programs.command import Command
from dpverify.programs.failure import ProgramError

TRIED, ASKED = 64, 16
"""Outputs of two requests that are compared, and requests for one output each."""

VARIED = 20
"""So many of them must be no usual value before equal outputs say something: fair coins agree with 1e-17 at most."""

OWN_NOISE = Note(
    Kind.SEED,
    "the program gave other outputs for the same seed: it draws randomness of its own, so this run cannot be made "
    "again to the bit",
)
NOT_TOLD = Note(Kind.SEED, "the program is told no seed ({seed}), so this run cannot be made again to the bit")
SAME = Note(
    Kind.SEED,
    "deterministic: the program gave the same outputs for different seeds, so it ignores its seed, or seeds itself; "
    "what it shows then follows from the data, and each output was asked for by itself",
)
CONSTANT = Note(
    Kind.SEED,
    "deterministic: requests with different seeds gave one output on each data set, and the two differ: there is no "
    "noise, or its seed is fixed",
)


class CommandMechanism(CallableMechanism):
    """A program with the capability ``sample``; its noise cannot be recorded.

    Parameters are those of `CallableMechanism`.

    Raises
    ------
    InputError
        When there is no such program, or settings do not fit it.
    """

    recorded = None  # type: ignore[assignment]  # no auditor can replay it

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        call: Call | None = None,
        on_error: OnError = "raise",
        limit: TimeLimit | None = None,
    ) -> None:
        assert isinstance(function, Command)
        if call is not None:
            raise InputError(f"call {call!r} with a command", allowed="no call: its places say how it is started")
        if on_error == "output" and function.batches:
            raise InputError(
                f"on_error 'output' with {function.text}, whose requests fail as a whole",
                allowed="a command that is started for each output",
                remedy="write {data} or {seed} into it, and no {count}",
            )
        function.check()
        super().__init__(function, on_error=on_error, limit=limit)
        self.command = function
        if limit is not None and limit.per_call is not None:
            function.silence = limit.per_call + 1.0  # the limit itself says so first

    def seed_notes(
        self, d0: Any, d1: Any, notes: tuple[Note, ...], *, stream: Callable[..., np.random.Generator]
    ) -> tuple[Note, ...]:
        """The probe's notes in words about programs, with one on outputs that do not follow the seed.

        If a batch is the same for two seeds, each draw is a request of its own from here on.
        """
        kept = [note for note in notes if note.kind is not Kind.SEED]
        if not self.command.seeded:
            kept.append(NOT_TOLD)
        elif not self.reproducible:
            kept.append(OWN_NOISE)
        ones = []
        for side, data in enumerate((d0, d1)):
            sizes = (TRIED, TRIED) if self.call == "batch" else (ASKED,)
            found = [self._draw(data, size, stream("seeds", side, each)) for each, size in enumerate(sizes)]
            if len(found) == 2 and np.array_equal(found[0], found[1]) and _varied(found[0]):
                self.one_by_one(DependentError(self.name, "is the same for every seed"))
                return (*kept, SAME)
            both = np.concatenate(found)
            ones.append(both[0] if (both == both[0]).all() else None)
        if ones[0] is not None and ones[1] is not None and not np.array_equal(ones[0], ones[1]):
            kept.append(CONSTANT)
        return tuple(kept)

    def _refusal(self, raised: RaisedError, dataset: Any) -> InputError:
        problem = raised.problem
        if not isinstance(problem, ProgramError | InputError):
            return super()._refusal(raised, dataset)
        if isinstance(problem, InputError):
            return problem
        return InputError(
            f"{self.name} {problem}{self._has_returned.across(dataset)}",
            allowed="a program that answers every request on both data sets",
            remedy=f"call it once by hand on {short_repr(dataset)}",
        )


def _varied(outputs: NDArray[np.float64]) -> bool:
    """Tell whether enough of the outputs are not the usual one."""
    _, counts = np.unique(outputs.reshape(len(outputs), -1), axis=0, return_counts=True)
    return bool(len(outputs) - counts.max() >= VARIED)
