"""The question of one audit of a callable: what is claimed, where to look, how long, how sure, and what to keep.

Each entry (`dpverify.audit`, `assert_dp`, ``dp_audit``, a suite file, the command line) makes one `Question`. Its
fields are the arguments of ``dpverify.audit``, whose docstring explains them; no other list of them exists.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from dpverify.core.errors import InputError

if TYPE_CHECKING:
    from dpverify.adapters.callable_mechanism import OnError
    from dpverify.adapters.signature import Call
    from dpverify.core.subjects import Guarantee
    from dpverify.neighbourhood.neighbours import Bounds
    from dpverify.neighbourhood.outside import Domain

P = ParamSpec("P")
R = TypeVar("R")

DEFAULT_CONFIDENCE = 0.999


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Question:
    """One audit as it was asked for. Nothing is checked before it is settled (`dpverify.audits.settle`)."""

    mechanism: Callable[..., Any]
    d0: Any = None
    d1: Any = None
    _: KW_ONLY
    claim: Guarantee | str
    data: Any = None
    records: Any = None
    bounds: Bounds | str | None = None
    unit: str | None = None
    domain: Domain = "example"
    relation: str | None = None
    trials: int | None = None
    seconds: float | None = None
    confidence: float | None = None
    false_alarm_rate: float | None = None
    seed: int = 0
    call: Call | None = None
    methods: Sequence[str] | None = None
    name: str | None = None
    parameters: Mapping[str, Any] | None = None
    progress: Callable[[str, float], None] | None = None
    on_error: OnError = "raise"
    max_seconds: float | None = None
    max_seconds_per_call: float | None = None
    sequential: bool = False
    detect: float | None = None
    evidence_file: Path | str | None = None
    regressions: Path | str | None = None
    isolate: bool | None = None
    show_records: bool = False
    rare: float | None = None
    strict: bool = False

    def sure(self) -> float:
        """The confidence, however it was stated.

        InputError where both `confidence` and `false_alarm_rate` are given.
        """
        if self.false_alarm_rate is None:
            sure = DEFAULT_CONFIDENCE if self.confidence is None else self.confidence
            return float(check_number("confidence", sure))
        if self.confidence is not None:
            raise InputError(
                "confidence beside false_alarm_rate", allowed="one of them", remedy="confidence = 1 - false_alarm_rate"
            )
        return confidence_at(self.false_alarm_rate)

    def given(self) -> dict[str, Any]:
        """The arguments that are not at their defaults, but for the mechanism, the claim and the data sets."""
        apart = ("mechanism", "claim", *DATA)
        told = ((each.name, each.default, getattr(self, each.name)) for each in fields(self) if each.name not in apart)
        return {
            name: value for name, default, value in told if (value is not None if default is None else value != default)
        }

    def words(self) -> dict[str, Any]:
        """The arguments that were given, but for the mechanism."""
        return {**self.given(), **self.data_sets(), "claim": self.claim}

    def data_sets(self) -> dict[str, Any]:
        """``data``, one example, or ``d0`` and ``d1``."""
        return {"data": self.data} if self.data is not None else {"d0": self.d0, "d1": self.d1}


def check_number(name: str, value: Any) -> Any:
    """The value; InputError for one that is no number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name} = {value!r}", allowed="a number")
    return value


def confidence_at(rate: Any) -> float:
    """The confidence at a false-alarm probability; InputError for one that is none."""
    if not 0.0 < check_number("false_alarm_rate", rate) < 1.0:
        raise InputError(f"false_alarm_rate = {rate!r}", allowed="a number in (0, 1), such as 1e-9")
    return float(1.0 - rate)


DATA = ("data", "d0", "d1")
"""Arguments that are data sets."""


def answers(question: Callable[P, Question]) -> Callable[[Callable[[Question], R]], Callable[P, R]]:
    """Give a function of a question the arguments of `question`."""
    signature = inspect.signature(question)

    def decorate(function: Callable[[Question], R]) -> Callable[P, R]:
        @functools.wraps(function)
        def entry(*given: P.args, **named: P.kwargs) -> R:
            try:
                signature.bind(*given, **named)
            except TypeError as problem:
                raise TypeError(f"{function.__name__}(): {problem}") from None
            return function(question(*given, **named))

        result = inspect.signature(function).return_annotation
        entry.__signature__ = signature.replace(return_annotation=result)  # type: ignore[attr-defined]
        return entry

    return decorate
