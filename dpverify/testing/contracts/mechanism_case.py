"""One mechanism with its claim and an example, as the rules of its contract look at it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee, Pair
from dpverify.definitions.grammar import parse_guarantee
from dpverify.neighbourhood.neighbourhood import Neighbourhood, of_example
from dpverify.runner.memory import limit_files
from dpverify.runner.watched_process import WatchedProcess
from dpverify.sampling.streams import stream

PAIRS = 12
"""Pairs of neighbours that are tried."""


@dataclass
class MechanismCase:
    """A mechanism, what it claims, and where."""

    mechanism: Callable[..., Any]
    """As for ``dpverify.audit``."""
    claim: Any
    """What it claims: a guarantee or its text."""
    data: Any
    """An example data set."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """``relation``, ``records``, ``bounds``, ``unit``, ``call``."""
    seconds: float = 10.0
    """For one call."""

    @cached_property
    def place(self) -> Neighbourhood:
        """Neighbours of the example; InputError where its records cannot be read."""
        words = {name: self.settings.get(name) for name in ("relation", "records", "bounds", "unit")}
        return of_example(self.data, **words)

    @cached_property
    def pairs(self) -> list[Pair]:
        """Neighbours to try: made-up ones, and some with the example's own records."""
        return self.place.generator.candidates(SearchSpace(), limit=PAIRS, rng=stream(0, "contract"))

    @property
    def guarantee(self) -> Guarantee:
        """The claim; InputError where its text cannot be read."""
        if not isinstance(self.claim, str):
            return self.claim  # type: ignore[no-any-return]
        return parse_guarantee(self.claim, dict(registry().definitions.items()))

    def subject(self, limit: TimeLimit | None = None) -> CallableMechanism:
        """The callable as the audits call it; InputError for one that cannot be called so."""
        return CallableMechanism(self.mechanism, call=self.settings.get("call"), limit=limit)

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.subject().name

    def rng(self, *names: Any) -> np.random.Generator:
        """A generator named by words: the same state each time."""
        return stream(0, "contract", *names)

    def watched(self, work: Callable[[CallableMechanism], str]) -> str:
        """Return what `work` says of the subject, in a process of its own; how it ended, where it returned nothing.

        What the mechanism prints goes nowhere, and neither do messages of its exceptions.
        """
        subject = self.subject(limit := TimeLimit(per_call=self.seconds))

        def there() -> str:
            limit_files()
            with captured(), limit:
                try:
                    return work(subject)
                except InputError as problem:
                    raised = problem.__cause__
                    if raised is None:
                        raise
                    return f"{subject.name} raised {type(raised).__name__} (its message may hold records: not shown)"

        registry()  # once, before the process is copied
        try:
            return str(WatchedProcess(there).result())
        except InputError as problem:
            return problem.what
        except DpverifyError as problem:
            return f"{subject.name}: {problem}"


@contextmanager
def captured() -> Iterator[Callable[[], int]]:
    """Standard output and error go into a file; the value yielded says how many bytes of it were written so far."""
    with tempfile.TemporaryFile() as file, open(os.dup(file.fileno()), "w") as text:
        kept = [os.dup(number) for number in (1, 2)]
        for number in (1, 2):
            os.dup2(file.fileno(), number)

        def written() -> int:
            text.flush()
            return os.fstat(file.fileno()).st_size

        try:
            with redirect_stdout(text), redirect_stderr(text):
                yield written
        finally:
            for number, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, number)
                os.close(copy)
