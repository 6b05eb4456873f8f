"""Any Python callable as a mechanism: ``f(dataset, rng)``, ``f(dataset, size, rng)`` or a plain ``f(dataset)``.

The parameter *names* ``rng`` and ``size`` decide which of the three it is, in any position. Each call gets a copy of
the data set. Outputs may be numbers, labels (strings), arrays, tables and containers of these. They are encoded
completely (see `encoding`), including changes of type, key and length, or refused. An exception ends the audit with one
line, or is counted as an output (``on_error``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.bound import function_of
from dpverify.adapters.copies import equal, independent_copy, short_repr
from dpverify.adapters.dependence import (
    DependentError,
    RepeatedDrawsCheck,
    dependence_between_calls,
    dependence_in_call,
)
from dpverify.adapters.encoding import Encoder, decoded
from dpverify.adapters.mechanism_errors import RaisedError, ReturnedOn
from dpverify.adapters.output_columns import Column
from dpverify.adapters.output_structure import Part
from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.adapters.signature import CALLS, Call, signature
from dpverify.adapters.time_limit import TimeLimit
from dpverify.adapters.untouchable import Untouchable, was_touched
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError
from dpverify.core.note import ONE_BY_ONE, Kind, Note, plain_notes

OnError = Literal["raise", "output"]
ON_ERROR: tuple[OnError, ...] = ("raise", "output")
_PATIENCE = 64  # calls that may raise before one returns
_BLIND_CALLS = 16  # with data that notice when they are looked at


class CallableMechanism:
    """A user's callable with the capability ``sample``.

    Parameters
    ----------
    function : callable, or an instance that has ``sample``
        The mechanism.
    call : "scalar", "batch", "plain" or None
        How it is called; None infers it from the parameters' names.
    on_error : "raise" or "output"
        Whether an exception ends the audit (InputError), or is an output. With ``output`` every output begins with a
        number: 0 when the callable returned, else the code of the exception's type (the rest is then 0).
    limit : TimeLimit or None
        Time limit of each call.

    Attributes
    ----------
    reproducible : bool
        False for a plain callable, which does not use the given rng, so a seed does not repeat its draws.
    labels, errors : dict
        Codes given to label outputs, and to types of exceptions, in the order in which they were first seen.
    dependent : str
        How draws of one batch depend on each other, if that was detected; then each draw is a separate call.
    only : ndarray or None
        The output, if all outputs on both data sets were the same; else None.

    Raises
    ------
    InputError
        When the callable has other parameters without a default, raises, or returns unusable outputs. In `sample` and
        `learn` the message also says whether this distinguishes the two data sets.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        call: Call | None = None,
        on_error: OnError = "raise",
        limit: TimeLimit | None = None,
    ) -> None:
        self.name = callable_name(function)
        self.function = function_of(function)
        self._keywords, found = signature(self.function, self.name)
        self.call: Call = call or found
        if self.call not in CALLS:
            raise InputError(f"call {self.call!r}", allowed=", ".join(CALLS))
        self._keywords &= {"scalar": {"rng"}, "batch": {"rng", "size"}, "plain": set()}[self.call]
        if self.call == "batch" and "size" not in self._keywords:
            raise InputError(f"{self.name} has no parameter called size", allowed="call='scalar' or call='plain'")
        if on_error not in ON_ERROR:
            raise InputError(f"on_error {on_error!r}", allowed=", ".join(ON_ERROR))
        if on_error == "output" and self.call == "batch":
            raise InputError(
                f"on_error 'output' with the batches of {self.name}, which fail as a whole",
                allowed="a mechanism that makes one output a call",
                remedy="give it the parameters (dataset, rng) only",
            )
        self.on_error: OnError = on_error
        self.reproducible = "rng" in self._keywords
        self._encoder = Encoder(self.name)
        self.labels = self._encoder.labels
        self.errors: dict[str, int] = {}
        self._limit = limit or TimeLimit()
        self._has_returned = ReturnedOn(self.name)
        self._looked_at = False
        self._deep = sys.getrecursionlimit()
        self._one: NDArray[np.float64] | None = None
        self._others = False
        self._freshness = RepeatedDrawsCheck(self.name)
        self.dependent = ""

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """`size` independent outputs as float64, shape (size,) or (size, k); labels come as their codes."""
        self.learn(dataset, rng=rng)
        outputs = self._draw(dataset, size, rng)
        self._freshness.check(outputs, dataset)
        if not self._others and len(outputs):
            self._one = outputs[0] if self._one is None else self._one
            self._others = self._one.shape != outputs.shape[1:] or not _all_are(self._one, outputs)
        return outputs

    def learn(self, dataset: Any, *, rng: np.random.Generator) -> None:
        """Learn the form of an output by calls until one returns; needed only where exceptions are outputs.

        Since all calls on one data set may raise, it must be called on both before sampling.
        """
        if self.on_error == "raise" or self._encoder.layout is not None:
            return
        for _ in range(_PATIENCE):
            if self._looked_at:
                return
            self.look(dataset, 1, rng=rng)

    def look(self, dataset: Any, size: int, *, rng: np.random.Generator) -> None:
        """Learn the forms of `size` outputs (in one call of a batch mechanism), before sampling.

        They decide the layout of outputs. A later form is an output, too, but its numbers are not used (`Layout`).
        """
        batch = size if self.call == "batch" else None
        for _ in range(1 if batch else size):
            try:
                self._run(
                    independent_copy(dataset), batch or 1, rng, dataset, partial(self._encoder.look_at, size=batch)
                )
            except RaisedError as raised:
                if self.on_error == "raise":
                    raise self._refusal(raised, dataset) from raised.problem
                continue
            self._looked_at = True

    def look_at_order(self, dataset: Any, size: int, *, rng: np.random.Generator) -> None:
        """Raise DependentError if `size` draws, made in two calls, depend on each other."""
        known = dict(self.labels)
        first, second = (self._draw(dataset, size // 2, rng) for _ in range(2))
        self._encoder.forget(known)
        how = dependence_in_call(first) or dependence_in_call(second) or dependence_between_calls(first, second)
        if how:
            raise DependentError(self.name, f"gives draws that depend on one another ({how})")

    def one_by_one(self, problem: DependentError) -> bool:
        """From now on make a separate call for each draw, since batches are dependent; False if already so."""
        if self.call != "batch" or self.dependent:
            return False
        self.dependent, self._freshness = problem.how, RepeatedDrawsCheck(self.name)
        self._one, self._others = None, False
        return True

    @property
    def only(self) -> NDArray[np.float64] | None:
        """The output, if all outputs were the same; else None."""
        return None if self._others else self._one

    def told(self, output: NDArray[np.float64]) -> str:
        """A short text of an encoded output: labels instead of codes, and numbers."""
        if self._encoder.nothing:
            return self._encoder.nothing
        label = next((label for label, code in self.labels.items() if output.shape == () and code == output), None)
        return short_repr(decoded(output).tolist() if label is None else label)

    def notes(self) -> tuple[Note, ...]:
        """Notes on batches, and on the encoding of outputs that are not just numbers."""
        encoded = plain_notes(*self._encoder.notes())
        if not self.dependent:
            return encoded
        return Note(Kind.BATCH, f"a batch {self.dependent}: {ONE_BY_ONE}"), *encoded

    @property
    def blind(self) -> float:
        """The fraction of outputs with a part that no event can compare (`Encoder.blind`)."""
        return self._encoder.blind

    @property
    def width(self) -> int:
        """Numbers in an output, as far as known."""
        return self._encoder.width

    @property
    def forms(self) -> dict[str, str]:
        """Descriptions of the forms of outputs, by code; empty if there was only one."""
        return self._encoder.forms

    @property
    def columns(self) -> tuple[Column, ...]:
        """What each number of an encoded output stands for."""
        return self._encoder.columns(self.errors if self.on_error == "output" else None)

    def recorded(self) -> RecordedCallable:
        """The callable under a recorder (grey box); InputError where exceptions are outputs."""
        if self.on_error == "output":
            raise InputError(
                f"on_error 'output' with a recording of {self.name}, which has no place for exceptions",
                allowed="on_error 'raise' where a method records the mechanism (replay, loss)",
                remedy="catch the exception inside, and return a value of the usual form",
            )
        return RecordedCallable(self.function, self.name, limit=self._limit)

    def mutates(self, dataset: Any, *, rng: np.random.Generator) -> bool:
        """Whether a call changes the data set that it gets (a copy)."""
        given = independent_copy(dataset)
        with suppress(RaisedError):
            self._run(given, 1, rng, dataset)
        return not equal(given, dataset)

    def ignores_data(self, *, rng: np.random.Generator) -> bool:
        """Whether some calls return without ever having looked at the data set that they are given."""
        for _ in range(_BLIND_CALLS):
            given = Untouchable()
            try:
                self._run(given, 1, rng, None)
            except RaisedError:
                return False
            if was_touched(given):
                return False
        return True

    def _draw(self, dataset: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        if self.call == "batch":
            if self.dependent and size > 1:
                return np.concatenate([self._draw(dataset, 1, rng) for _ in range(size)])
            try:
                read = partial(self._encoder.batch, size=size)
                return cast("NDArray[np.float64]", self._run(independent_copy(dataset), size, rng, dataset, read))
            except RaisedError as raised:
                raise self._refusal(raised, dataset) from raised.problem
        if self._encoder.layout is None:
            kept = [self._once(dataset, rng) for _ in range(size)]  # all outputs are read first for their forms
            for each in kept:
                if not isinstance(each, float):
                    self._encoder.look(each)
            self._encoder.settle()
            return np.array([self._row(each) for each in kept])
        first = self._encoded(dataset, rng)
        outputs = np.empty((size, *first.shape))
        outputs[0] = first
        for index in range(1, size):
            outputs[index] = self._encoded(dataset, rng)
        return outputs

    def _encoded(self, dataset: Any, rng: np.random.Generator) -> NDArray[np.float64]:
        """The row of one output of a callable that makes one output for each call."""
        if self.on_error == "output":
            return self._row(self._once(dataset, rng))
        try:
            return cast("NDArray[np.float64]", self._run(independent_copy(dataset), 1, rng, dataset, self._encoder.one))
        except RaisedError as raised:
            raise self._refusal(raised, dataset) from raised.problem

    def _once(self, dataset: Any, rng: np.random.Generator) -> list[Part] | float:
        """The parts of one output, or the code of an exception."""
        try:
            return cast("list[Part]", self._run(independent_copy(dataset), 1, rng, dataset, self._encoder.parts))
        except RaisedError as raised:
            if self.on_error == "raise":
                raise self._refusal(raised, dataset) from raised.problem
            return float(self.errors.setdefault(type(raised.problem).__name__, len(self.errors) + 1))

    def _row(self, found: list[Part] | float) -> NDArray[np.float64]:
        """The row of an output; where exceptions are outputs, it begins with 0 for "no exception"."""
        if isinstance(found, float):
            return np.array([found, *[0.0] * self._encoder.width])
        row = self._encoder.row(found)
        return row if self.on_error == "raise" else np.array([0.0, *np.atleast_1d(row)])

    def _refusal(self, raised: RaisedError, dataset: Any) -> InputError:
        batch = self.call == "batch"
        words = "" if batch else ", or count exceptions as outputs: on_error 'output'"
        return self._has_returned.refusal(raised, dataset, otherwise=words)

    def _run(
        self,
        given: Any,
        size: int,
        rng: np.random.Generator,
        dataset: Any,
        read: Callable[[Any], Any] = lambda output: output,
    ) -> Any:
        """Call the callable on `given`, a copy of `dataset`, and `read` its output: the limit holds for both."""
        words: dict[str, Any] = {"rng": rng, "size": size}
        with self._limit.call(self.name):
            try:
                output = self.function(given, **{name: words[name] for name in self._keywords})
            except (Exception, SystemExit) as problem:
                raise RaisedError(problem) from problem
            if sys.getrecursionlimit() < self._deep:  # we go deeper than the callable leaves room for
                sys.setrecursionlimit(self._deep)
            self._has_returned.add(dataset)
            return read(output)


def _all_are(one: NDArray[np.float64], outputs: NDArray[np.float64]) -> bool:
    """Whether every output equals this one, including the sign of zeros."""
    return bool((outputs == one).all() and (np.signbit(outputs) == np.signbit(one)).all())
