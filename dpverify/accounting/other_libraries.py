"""Compositions of other libraries as steps here: dp_accounting's events, Opacus' histories, OpenDP's measurements.

No library is imported: an event is known by its class's name and its fields, and every field must be one that is known
here, since a new one may change what the event means. What cannot be taken is named, with its place.

- Events keep their library's meaning: noise in units of the clipping norm (or L1 norm), so that a replaced record moves
  a sum by 2; a Poisson sample of several Gaussian releases is one of the noise (sum of 1 / sigma^2)^(-1/2), rounded
  down; discrete Gaussian noise whose dimension is not 1 has its zCDP bound only (Canonne, Kamath, Steinke 2020);
  discrete Laplace noise on several coordinates costs no more than on one (shifts of a log-concave law add up).
- A history is a list of (noise multiplier, sampling rate, steps), for Poisson samples, as Opacus accounts for them.
- A measurement costs what it claims at a distance `d_in`: epsilon, rho, or (epsilon, delta).

Not to be confused with ``accountant_audit``, which asks other libraries' accountants.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from dpverify.accounting.composition_grammar import WrittenStep
from dpverify.accounting.event_text import parse_event
from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import parse_json, read_bytes, shortened
from dpverify.core.rules import Between

LARGEST = 1_000_000
"""Bytes of a file."""
MOST = 20_000
"""Steps that are not the same."""
DEEPEST = 30
"""Events inside one another."""
_COUNT = Between(0, 10**12, whole=True, plain=True)
_NOISE = Between(0, math.inf, open="both", plain=True)
_KNOWN = "a DpEvent of dp_accounting, a history of Opacus, or {'opendp': measurement, 'd_in': 1}"
_BINARY = (b"PK\x03\x04", b"\x80")  # torch's archive, and a pickle
_KEPT = ("privacy_accountant_state_dict", "history")  # where a checkpoint has the accountant, and that its rows


def read_other(path: Path) -> list[WrittenStep]:
    """The steps in a file: an event as Python prints it, or JSON of an Opacus history.

    Raises
    ------
    InputError
        A file that cannot be read, or that holds anything else.
    """
    try:
        content = read_bytes(path, largest=LARGEST)
        if content.startswith(_BINARY):
            remedy = "export it where torch is: json.dump(engine.accountant.state_dict(), file)"
            raise InputError(f"{path} is a file of torch or a pickle", allowed="text or JSON", remedy=remedy)
        text = content.decode("utf-8-sig")
        found = parse_json(text) if text.lstrip().startswith(("{", "[")) else parse_event(" ".join(text.split()))
        return steps_of(found)
    except InputError as problem:
        raise InputError(f"{path}: {problem.what}", allowed=problem.allowed, remedy=problem.remedy) from problem
    except (OSError, ValueError) as problem:
        what = f"{path} cannot be read: {one_line(str(problem))}"
        raise InputError(what, allowed="the text of a DpEvent, or JSON of an Opacus history") from problem


def steps_of(given: Any) -> list[WrittenStep]:
    """The steps that another library's object, history or event stands for; InputError where it is none of these."""
    if _event(given) is not None:
        found = _Walk().steps(given, "event", 0)
        fixed = [one.name == "fixed-size-gaussian" for one in found]
        if any(fixed) and not all(fixed):  # noise in clipping norms: a replaced record moves a sum by two of them
            _refuse(
                "event: samples of fixed size beside other events", allowed="events under one neighbouring relation"
            )
        return found
    if isinstance(given, Mapping):
        if "__function__" in given:
            raise InputError(
                "a measurement of OpenDP as JSON, which says how it is made and not what it costs",
                allowed=_KNOWN,
                remedy="deserialise it, and pass {'opendp': measurement, 'd_in': 1} to dpv.account",
            )
        if "opendp" in given:
            if set(given) != {"opendp", "d_in"}:
                _refuse("opendp without d_in, or more")
            return [_measured(**given)]
        for key in _KEPT:
            given = given[key] if isinstance(given, Mapping) and key in given else given
    if isinstance(given, list | tuple) and given and all(isinstance(row, list | tuple) for row in given):
        if len(given) > MOST:
            _refuse(f"a history of {len(given)} rows, more than {MOST}")
        return [_history_row(row, f"history[{place}]") for place, row in enumerate(given)]
    _refuse(f"a {type(given).__name__} that is none of the compositions known here")


def is_other(given: object) -> bool:
    """Tell whether `given` is a composition as another library has it."""
    return (
        _event(given) is not None
        or (isinstance(given, Mapping) and not given.keys().isdisjoint({"opendp", "__function__", *_KEPT}))
        or (isinstance(given, list | tuple) and bool(given) and all(isinstance(row, list | tuple) for row in given))
    )


def _refuse(what: str, *, allowed: str = _KNOWN) -> NoReturn:
    raise InputError(what, allowed=allowed)


def _history_row(row: Any, where: str) -> WrittenStep:
    if len(row) != 3:
        _refuse(f"{where} of {len(row)} values", allowed="noise multiplier, sampling rate, number of steps")
    return _step("poisson-gaussian", _COUNT.checked(f"{where}: steps", row[2]), sigma=row[0], q=row[1])


def _measured(opendp: Any, d_in: object) -> WrittenStep:
    """The claim of a measurement at `d_in`, whose code is called here."""
    try:
        measure, claimed = str(opendp.output_measure), opendp.map(d_in)
    except Exception as problem:  # a library's own code
        what = f"opendp: no claim at d_in = {d_in!r}: {one_line(str(problem))}"
        raise InputError(what, allowed="a measurement, and a distance of its input metric") from problem
    if measure == "MaxDivergence":
        return _step("pure", epsilon=claimed)
    if measure == "ZeroConcentratedDivergence":
        return _step("zcdp", rho=claimed)
    if measure == "Approximate(MaxDivergence)":
        return _step("approx", epsilon=claimed[0], delta=claimed[1])
    raise InputError(
        f"opendp: a measurement under {shortened(measure)}",
        allowed="MaxDivergence, ZeroConcentratedDivergence, Approximate(MaxDivergence)",
        remedy="a profile becomes (epsilon, delta) by make_fix_delta",
    )


def _event(given: Any) -> tuple[str, Mapping[str, Any]] | None:
    """The class's name and the fields; None where it is no event."""
    if isinstance(given, WrittenStep):
        return given.name, given.arguments
    name = type(given).__name__
    if isinstance(given, tuple) and isinstance(getattr(given, "class_name", None), str):
        names: Iterable[str] = (key for key in type(given)._fields if key not in ("module_name", "class_name"))  # type: ignore[attr-defined]  # a named tuple
        return given.class_name, {key: getattr(given, key) for key in names}  # type: ignore[attr-defined]  # the same
    if not name.endswith("DpEvent"):
        return None
    return name, {each.name: getattr(given, each.name) for each in getattr(type(given), "__attrs_attrs__", ())}


def _step(name: str, count: object = 1, **arguments: object) -> WrittenStep:
    return WrittenStep(name=name, arguments=arguments, count=count)


class _Walk:
    """One pass over an event and those inside it."""

    def __init__(self) -> None:
        self.visited = 0

    def steps(self, given: Any, where: str, depth: int) -> list[WrittenStep]:
        """The steps that the event at `where` stands for."""
        self.visited += 1
        found = _event(given)
        if found is None:
            _refuse(f"{where}: a {type(given).__name__}", allowed="a DpEvent")
        name, fields = found
        where = f"{where}: {name}"
        if depth > DEEPEST or self.visited > MOST:
            _refuse(f"{where}: too many events", allowed=f"{MOST} events, at most {DEEPEST} inside one another")
        maker: Callable[..., Any] | None = getattr(self, f"_{name}", None) or _SIMPLE.get(name)
        if maker is None:
            why = "which costs no finite amount" if name == "NonPrivateDpEvent" else "for which there is no step here"
            _refuse(f"{where}, {why}", allowed=", ".join(sorted(_TAKEN)))
        try:
            inspect.signature(maker).bind(**fields, **({} if name in _SIMPLE else {"at": (where, depth)}))
        except TypeError as problem:
            raise InputError(
                f"{where}: {one_line(str(problem))}", allowed="the fields of the library's class"
            ) from None
        try:
            made = maker(**fields) if name in _SIMPLE else maker(**fields, at=(where, depth + 1))
        except InputError:
            raise
        except (TypeError, ValueError, ArithmeticError) as problem:
            raise InputError(f"{where}: {one_line(str(problem))}", allowed="numbers in their ranges") from problem
        return [made] if isinstance(made, WrittenStep) else list(made)

    def _ComposedDpEvent(self, *, events: Any, at: tuple[str, int]) -> list[WrittenStep]:  # noqa: N802 - their name
        if not isinstance(events, list | tuple):
            _refuse(f"{at[0]}: events of type {type(events).__name__}", allowed="a list of events")
        inner = (self.steps(one, f"{at[0]}.events[{place}]", at[1]) for place, one in enumerate(events))
        return [step for steps in inner for step in steps] or [_step("no-op")]

    def _SelfComposedDpEvent(self, *, event: Any, count: Any, at: tuple[str, int]) -> list[WrittenStep]:  # noqa: N802
        times = _COUNT.checked(f"{at[0]}: count", count)
        inner = self.steps(event, f"{at[0]}.event", at[1])
        if not times:
            return [_step("no-op")]
        return [_step(one.name, times * one.count, **one.arguments) for one in inner]

    def _PoissonSampledDpEvent(  # noqa: N802
        self, *, sampling_probability: Any, event: Any, at: tuple[str, int]
    ) -> WrittenStep:
        inner = self.steps(event, f"{at[0]}.event", at[1])
        if all(one.name == "gaussian" for one in inner):
            return _step("poisson-gaussian", q=sampling_probability, sigma=_together(inner, at[0]))
        only = self._only(inner, at[0])
        if only.name == "no-op":
            return only
        if only.name == "laplace":
            return _step("poisson-laplace", q=sampling_probability, **only.arguments)
        return _step("poisson", q=sampling_probability, step=only)

    def _SampledWithoutReplacementDpEvent(  # noqa: N802
        self, *, source_dataset_size: Any, sample_size: Any, event: Any, at: tuple[str, int]
    ) -> WrittenStep:
        inner = self.steps(event, f"{at[0]}.event", at[1])
        if any(one.name != "gaussian" for one in inner):
            _refuse(f"{at[0]}: a sample of fixed size for {inner[0].name}", allowed="GaussianDpEvent in it")
        drawn, of = (_COUNT.checked(f"{at[0]}: sizes", size) for size in (sample_size, source_dataset_size))
        return _step("fixed-size-gaussian", q=Fraction(drawn, of), sigma=_together(inner, at[0]), sensitivity=2)

    def _RepeatAndSelectDpEvent(self, *, event: Any, mean: Any, shape: Any, at: tuple[str, int]) -> WrittenStep:  # noqa: N802
        only = self._only(self.steps(event, f"{at[0]}.event", at[1]), at[0])
        return _step("repeat-and-select", step=only, mean=mean, shape="poisson" if shape == math.inf else shape)

    def _only(self, inner: list[WrittenStep], where: str) -> WrittenStep:
        if len(inner) != 1 or inner[0].count != 1:
            _refuse(f"{where}: several releases inside", allowed="one release inside, or Gaussian ones in a sample")
        return inner[0]


def _together(inner: list[WrittenStep], where: str) -> float:
    """The noise of the one Gaussian release that several on the same sample are, rounded down."""
    noise = [_NOISE.number(f"{where}: noise_multiplier", one.arguments["sigma"]) for one in inner]
    counts = [int(one.count) for one in inner]  # type: ignore[call-overload]  # checked
    if sum(counts) == 1 and len(noise) == 1:
        return noise[0]
    least = min(noise)
    total = math.fsum(count * (least / sigma) ** 2 for count, sigma in zip(counts, noise, strict=True))
    return least / math.sqrt(total) * (1 - 1e-15)


def _discrete_gaussian(*, sigma: Any, sensitivity: Any = 1.0, dimension: Any = None) -> WrittenStep:
    if dimension == 1:
        return _step("discrete-gaussian", sigma=sigma, sensitivity=sensitivity)
    ratio = float(sensitivity) / _NOISE.number("sigma", sigma)
    return _step("zcdp", rho=ratio * ratio / 2 * (1 + 1e-15))


def _discrete_laplace(*, noise_parameter: Any, sensitivity: Any) -> WrittenStep:
    scale = math.nextafter(1 / _NOISE.number("noise_parameter", noise_parameter), 0.0)
    return _step("discrete-laplace", scale=scale, sensitivity=sensitivity)


def _randomised_response(*, noise_parameter: Any, num_buckets: Any) -> WrittenStep:
    """The epsilon, rounded up: e^epsilon = 1 + k (1 - p) / p, where p is the share of answers that are drawn."""
    p = Between(0, 1, open="low", plain=True).number("noise_parameter", noise_parameter)
    epsilon = math.log1p(num_buckets * (1 - p) / p)
    return _step("randomised-response", epsilon=epsilon * (1 + 1e-15), size=num_buckets)


def _tree(*, noise_multiplier: Any, step_counts: Any) -> WrittenStep:
    """No record takes part twice, so that the largest tree counts."""
    counts = step_counts if isinstance(step_counts, list | tuple) else [step_counts]
    most = max((_COUNT.checked("step_counts", count) for count in counts), default=0)
    return _step("tree", sigma=noise_multiplier, steps=most) if most else _step("no-op")


def _truncated(
    *, dataset_size: Any, sampling_probability: Any, truncated_batch_size: Any, noise_multiplier: Any
) -> WrittenStep:
    inner = _step("gaussian", sigma=noise_multiplier)
    numbers = {"records": dataset_size, "q": sampling_probability, "most": truncated_batch_size}
    return _step("truncated-poisson", **numbers, step=inner)


_SIMPLE: dict[str, Callable[..., WrittenStep]] = {
    "NoOpDpEvent": lambda: _step("no-op"),
    "GaussianDpEvent": lambda noise_multiplier: _step("gaussian", sigma=noise_multiplier),
    "LaplaceDpEvent": lambda noise_multiplier: _step("laplace", scale=noise_multiplier),
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomised_response,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "MixtureOfGaussiansDpEvent": lambda standard_deviation, sensitivities, sampling_probs: _step(
        "mixture-gaussian", sigma=standard_deviation, shifts=tuple(sensitivities), weights=tuple(sampling_probs)
    ),
    "ZCDpEvent": lambda rho, xi=0.0: _step("zcdp", rho=rho, xi=xi),
    "ExponentialMechanismDpEvent": lambda epsilon: _step("exponential-mechanism", epsilon=epsilon),
    "PermuteAndFlipDpEvent": lambda epsilon: _step("permute-and-flip", epsilon=epsilon),
    "TruncatedSubsampledGaussianDpEvent": _truncated,
}
_TAKEN = {*_SIMPLE, *(name[1:] for name in vars(_Walk) if name.endswith("DpEvent"))}
