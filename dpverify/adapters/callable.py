"""Any Python callable as a mechanism: ``f(dataset, rng)``, ``f(dataset, size, rng)`` or a plain ``f(dataset)``.

Which of the three it is, is read off the parameter *names* ``rng`` and ``size``, wherever they stand. Each call gets
its own copy of the data set. Outputs may be numbers, labels (strings), arrays, tables and containers of these; they
are encoded whole (see `encoding`), changes of type, key and length among them, or refused. An exception is an output
too: it ends the audit with one line, or is counted as one (``on_error``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.copies import equal, own_copy, short
from dpverify.adapters.encoding import Encoder
from dpverify.adapters.raised import RaisedError, Returned
from dpverify.adapters.recorded import RecordedCallable
from dpverify.adapters.signature import CALLS, Call, signature
from dpverify.adapters.structure import Part
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError

OnError = Literal["raise", "output"]
ON_ERROR: tuple[OnError, ...] = ("raise", "output")
_WATCHED = 64  # draws of continuous outputs that never come twice by chance
_PATIENCE = 64  # calls that may raise before one returns


class CallableMechanism:
    """A user's callable with the capability ``sample``.

    Parameters
    ----------
    function : callable
        The mechanism.
    call : "scalar", "batch", "plain" or None
        How it is called; None reads it off its parameters' names.
    on_error : "raise" or "output"
        What an exception is: the end of the audit (InputError), or an output like others. With ``output`` every output
        begins with a number: 0 when the callable returned, else the code of the exception's type (the rest is then 0).
    limit : TimeLimit or None
        Of each call.

    Attributes
    ----------
    reproducible : bool
        False for a plain callable: its randomness is its own, so a seed gives nothing back.
    labels, errors : dict
        Codes given to label outputs, and to types of exceptions, in the order in which they were first seen.
    only : ndarray or None
        The one output that ever came, on whichever data set; None when there were others.

    Raises
    ------
    InputError
        When the callable has other parameters without a default, raises, or returns what no audit can use; in `sample`
        and `learn`, one line that says what, and whether it tells the two data sets apart.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        call: Call | None = None,
        on_error: OnError = "raise",
        limit: TimeLimit | None = None,
    ) -> None:
        if not callable(function):
            raise InputError(f"the mechanism {function!r} is not callable", allowed="a function of (dataset, rng)")
        self.function = function
        self.name = getattr(function, "__qualname__", type(function).__qualname__)
        self._keywords, found = signature(function, self.name)
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
        self._has_returned = Returned(self.name)
        self._looked_at = False
        self._one: NDArray[np.float64] | None = None
        self._others = False
        self._seen: set[bytes] = set()
        self._constants: list[tuple[Any, NDArray[np.float64]]] = []  # of data sets on which 64 outputs were one

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """`size` independent outputs as float64, shape (size,) or (size, k); labels come as their codes."""
        self.learn(dataset, rng=rng)
        outputs = self._draw(dataset, size, rng)
        self._fresh(outputs, dataset)
        if not self._others and len(outputs):
            self._one = outputs[0] if self._one is None else self._one
            self._others = self._one.shape != outputs.shape[1:] or not _all_are(self._one, outputs)
        return outputs

    def learn(self, dataset: Any, *, rng: np.random.Generator) -> None:
        """Learn the form of an output, from calls until one returns; only where exceptions are outputs of that form.

        Where they may be all that comes on one data set, this is to be called on both before anything is sampled.
        """
        if self.on_error == "raise" or self._encoder.layout is not None:
            return
        for _ in range(_PATIENCE):
            if self._looked_at:
                return
            self.look(dataset, 1, rng=rng)

    def look(self, dataset: Any, size: int, *, rng: np.random.Generator) -> None:
        """Learn the forms of `size` outputs (in one call, of a mechanism that makes many), before any is sampled.

        They settle how outputs are laid out; a form that comes later is an output too, but its numbers are not looked
        at (`Layout`).
        """
        for _ in range(1 if self.call == "batch" else size):
            try:
                output = self._run(own_copy(dataset), size if self.call == "batch" else 1, rng, dataset)
            except RaisedError as raised:
                if self.on_error == "raise":
                    raise self._refusal(raised, dataset) from raised.problem
                continue
            self._encoder.look_at(output, size if self.call == "batch" else None)
            self._looked_at = True

    @property
    def only(self) -> NDArray[np.float64] | None:
        """The one output that ever came; None when there were others, or none."""
        return None if self._others else self._one

    def told(self, output: NDArray[np.float64]) -> str:
        """An encoded output in short words: the label that a code stands for, numbers as they are."""
        if self._encoder.nothing:
            return self._encoder.nothing
        label = next((label for label, code in self.labels.items() if output.shape == () and code == output), None)
        return short(output.tolist() if label is None else label)

    def notes(self) -> tuple[str, ...]:
        """What the encoding of outputs makes of them, where it is not just their numbers."""
        return self._encoder.notes()

    @property
    def forms(self) -> dict[str, str]:
        """Forms that outputs had, in words, by their codes; empty where there was one only."""
        return self._encoder.forms

    def recorded(self) -> RecordedCallable:
        """The same callable under a recorder (grey box); InputError where exceptions are to be outputs."""
        if self.on_error == "output":
            raise InputError(
                f"on_error 'output' with a recording of {self.name}, which has no place for exceptions",
                allowed="on_error 'raise' where a method records the mechanism (replay, loss)",
                remedy="catch the exception inside, and return a value of the usual form",
            )
        return RecordedCallable(self.function, self.name, limit=self._limit)

    def mutates(self, dataset: Any, *, rng: np.random.Generator) -> bool:
        """Whether one call changes the data set that it is given (a copy)."""
        given = own_copy(dataset)
        with suppress(RaisedError):
            self._run(given, 1, rng, dataset)
        return not equal(given, dataset)

    def _draw(self, dataset: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        if self.call == "batch":
            try:
                return self._encoder.batch(self._run(own_copy(dataset), size, rng, dataset), size)
            except RaisedError as raised:
                raise self._refusal(raised, dataset) from raised.problem
        if self._encoder.layout is None:
            kept = [self._once(dataset, rng) for _ in range(size)]  # all of them, so that all forms are known
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
        """One output of a callable that makes one a call, as a row."""
        if self.on_error == "output":
            return self._row(self._once(dataset, rng))
        try:
            return self._encoder.one(self._run(own_copy(dataset), 1, rng, dataset))
        except RaisedError as raised:
            raise self._refusal(raised, dataset) from raised.problem

    def _once(self, dataset: Any, rng: np.random.Generator) -> list[Part] | float:
        """The parts of one output, or the code of an exception."""
        try:
            return self._encoder.parts(self._run(own_copy(dataset), 1, rng, dataset))
        except RaisedError as raised:
            if self.on_error == "raise":
                raise self._refusal(raised, dataset) from raised.problem
            return float(self.errors.setdefault(type(raised.problem).__name__, len(self.errors) + 1))

    def _row(self, found: list[Part] | float) -> NDArray[np.float64]:
        """The row of an output; where exceptions are outputs too, behind a 0 that says that there was none."""
        if isinstance(found, float):
            return np.array([found, *[0.0] * self._encoder.width])
        row = self._encoder.row(found)
        return row if self.on_error == "raise" else np.array([0.0, *np.atleast_1d(row)])

    def _refusal(self, raised: RaisedError, dataset: Any) -> InputError:
        batch = self.call == "batch"
        words = "" if batch else ", or count exceptions as outputs: on_error 'output'"
        return self._has_returned.refusal(raised, dataset, otherwise=words)

    def _fresh(self, outputs: NDArray[np.float64], dataset: Any) -> None:
        """Refuse draws that came before, or that come again within a batch: no bound holds for dependent draws.

        Independent draws are constant 64 times, and then so at another value, with probability 2^-128 at most.
        """
        first = outputs[:_WATCHED]
        if len(first) < _WATCHED:
            return
        different = len({row.tobytes() for row in first + 0.0})  # one zero
        if different == 1 and not self._same_constant(first[0], dataset):
            raise self._dependent(f"gave one value {_WATCHED} times, and then another one {_WATCHED} times")
        if different < _WATCHED // 2:
            return
        key = hashlib.sha256(first.tobytes()).digest()
        if key in self._seen:
            raise self._dependent(f"gave the same {_WATCHED} outputs twice")
        self._seen.add(key)

    def _same_constant(self, row: NDArray[np.float64], dataset: Any) -> bool:
        """Whether the constant that came on `dataset` before, if any, is this one."""
        for known, constant in self._constants:
            if equal(known, dataset):
                return np.array_equal(constant, row)
        self._constants.append((dataset, row))
        return True

    def _dependent(self, how: str) -> InputError:
        return InputError(
            f"{self.name} {how}: dependent draws",
            allowed="independent draws at each call, and within a batch",
            remedy="draw from the rng that it is given, once for each output, and do not seed inside",
        )

    def _run(self, given: Any, size: int, rng: np.random.Generator, dataset: Any) -> Any:
        """What the callable returns on `given`, a copy of `dataset`."""
        words: dict[str, Any] = {"rng": rng, "size": size}
        with self._limit.call(self.name):
            try:
                output = self.function(given, **{name: words[name] for name in self._keywords})
            except (Exception, SystemExit) as problem:
                raise RaisedError(problem) from problem
        self._has_returned.add(dataset)
        return output


def _all_are(one: NDArray[np.float64], outputs: NDArray[np.float64]) -> bool:
    """Whether every output is this one, the sign of a zero included."""
    return bool((outputs == one).all() and (np.signbit(outputs) == np.signbit(one)).all())
