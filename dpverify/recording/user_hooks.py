"""Functions for users' code: ``dpverify.record``, ``public``, ``release`` and ``noise_primitive``.

>>> import numpy as np
>>> import dpverify as dpv
>>> def mean(data, rng):
...     number = dpv.public("number of records", len(data))
...     total = dpv.release("total", float(np.sum(data)) + rng.laplace(scale=1.0))
...     return total / number
>>> with dpv.record(np.random.default_rng(0)) as recorded:
...     answer = recorded.run(mean, np.ones(3))
>>> [step.name for step in recorded.transcript.steps if step.kind == "noisy"]
['total']

Outside a recording the last three cost almost nothing and change nothing, so they may stay in production code.

Draws of torch's global generator are hidden coins, where a program seeds it from the recorded generator:
``torch.manual_seed(int(rng.integers(2**62)))`` makes torch's draws a function of the recorded generator. During a
recorded run such a seed is no coin; each draw after it is one, at the line that draws. So what is shown before torch
draws anything is still compared. Any other seed leaves torch as it is.

Draws are recognised by torch's own tag for operations that use a random seed, dropout and samplers among them. Their
values are plain numbers: noise of torch is not traced through tensors. torch is not imported here.

Limits: generators made by ``torch.Generator`` are not followed; what a program draws from them is not recorded.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, Token
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from dpverify.core.declared_noise import DeclaredNoise, declare, stand_in
from dpverify.core.errors import InputError
from dpverify.core.transcript import Step, Transcript
from dpverify.recording.builtin_wrappers import wrapped_builtins
from dpverify.recording.derived_generators import wrapped_constructors
from dpverify.recording.flatten_output import leaves, mapped
from dpverify.recording.recorder import Recorder
from dpverify.recording.recording_generator import RecordingGenerator
from dpverify.recording.release_likelihood import Answer, Shown
from dpverify.recording.traced_array import TracedArray
from dpverify.recording.unrecorded_randomness import Watch
from dpverify.sampling.streams import state_from

Value = TypeVar("Value")
_active: ContextVar[Recorder | None] = ContextVar("recording", default=None)


class Recording:
    """Records one run: use it as a context, with `rng` or `run` inside.

    Parameters
    ----------
    rng : numpy.random.Generator or None
        Advanced by four words that name the run's streams; None where the transcript names them.
    replay : Transcript or None
        Transcript whose draws are repeated, and its released values where it is held.
    observed : tuple or None
        In a replay: values that another run showed, for which this run computes likelihoods.
    traced : bool
        False returns plain numbers, for code that accepts no others; then less can be concluded.

    Attributes
    ----------
    rng : numpy.random.Generator
        For the code that is recorded.
    transcript : Transcript
        Transcript of the run, after `run` or `finish`.
    """

    def __init__(
        self,
        rng: np.random.Generator | None = None,
        *,
        replay: Transcript | None = None,
        observed: Shown | None = None,
        traced: bool = True,
    ) -> None:
        if (rng is None) == (replay is None):
            raise InputError("a recording", allowed="either an rng or a transcript to replay")
        if replay is not None:
            self._recorder = Recorder.replaying(replay, observed=observed, traced=traced)
        else:
            assert rng is not None
            self._recorder = Recorder(state_from(rng), traced=traced)
        self.rng = RecordingGenerator(self._recorder)
        self._transcript: Transcript | None = None
        self._token: Token[Recorder | None] | None = None
        self._watch = Watch()

    def __enter__(self) -> Recording:
        self._token = _active.set(self._recorder)
        return self

    def __exit__(self, *problem: object) -> None:
        if self._token is not None:
            _active.reset(self._token)

    def public(self, name: str, value: Value) -> Value:
        """Declare that an observer sees a value."""
        shown: Value = self._recorder.release(name, value)
        return shown

    def release(self, name: str, value: Value) -> Value:
        """Declare that an observer sees a noisy value; returns it in plain numbers."""
        return self.public(name, value)

    def run(
        self,
        function: Callable[..., Any],
        dataset: Any,
        *,
        read: Callable[[Any], Any] | None = None,
        accepts: Collection[str] | None = None,
    ) -> Any:
        """Call ``function(dataset, ...)`` with ``rng`` and ``size`` (1) where it accepts them, and end the recording.

        `read` converts the result to the value that is compared; `accepts` has the names of the function's parameters,
        where they are known.
        """
        self._watch.also(function)
        offered = {"rng": self.rng, "size": 1}
        accepts = inspect.signature(function).parameters if accepts is None else accepts
        named = {name: offered[name] for name in accepts if name in offered}
        with (
            wrapped_constructors(self._recorder, function),
            noted_torch_draws(self._recorder),
            wrapped_builtins(function) if self._recorder.traced else nullcontext(),
        ):
            result = function(dataset, **named)
        return self.finish(result if read is None else read(result))

    def finish(self, result: Value) -> Value:
        """End the recording with the run's result; returns it in plain numbers."""
        bypassed, moved = self.rng.bypassed(), self._watch.moved()
        transcript = self._recorder.transcript(result)
        if bypassed or moved:
            past = "the bit generator itself" if bypassed else "a global generator, or one that the function knows"
            coin = Step(kind="coin", name=f"random numbers were drawn from {past}")
            transcript = replace(transcript, steps=(coin, *transcript.steps))
            self._recorder.answers.clear()
        self._transcript = transcript
        plain: Value = mapped(result, lambda part: getattr(part, "value", part))
        return plain

    @property
    def told(self) -> list[tuple[str, list[Any]]]:
        """Names and plain numbers of everything shown so far, the result last."""
        return self._recorder.told

    @property
    def shown(self) -> Shown:
        """The shown values, as the argument `observed` of another run."""
        return tuple((name, tuple(parts)) for name, parts in self._recorder.told)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Say how the finished run explains each observed part, up to the first hidden coin."""
        return tuple(self._recorder.answers)

    @property
    def transcript(self) -> Transcript:
        """Transcript of the finished run; InputError before its end."""
        if self._transcript is None:
            raise InputError(
                "a transcript of an unfinished recording",
                allowed="one of a finished run",
                remedy="call recorded.run(function, dataset), or recorded.finish(result)",
            )
        return self._transcript


def empty_transcript(rng: np.random.Generator) -> Transcript:
    """An empty transcript named by four words of `rng`; its replay is a new run."""
    s0, s1, s2, s3 = (int(word) for word in state_from(rng))
    return Transcript(result=np.empty(0), iterates=np.empty((0, 0)), state=(s0, s1, s2, s3))


def record(rng: np.random.Generator) -> Recording:
    """``with dpverify.record(rng) as recorded: recorded.run(mechanism, dataset)``.

    Notes
    -----
    Normal and Laplace noise stays traced, with its law, through: sums, differences, scaling by noise-free numbers;
    ``float(x)``; ``np.sum``, ``np.mean``, ``@`` with plain arrays, slices, ``np.concatenate``, ``np.where`` on plain
    conditions, ``counts += noise``; and in results that are lists, tuples, mappings, dataclasses.

    Rounded and bounded values stay traced with an unspecified law, so they are only scored and counted: ``int(x)``,
    ``round(x)``, ``np.round``, ``floor``, ``ceil``; ``max(x, 0)``, ``min``, ``np.clip``, ``np.maximum`` with bounds
    that have no noise; ``.astype(int)``; Gumbel and logistic draws, and sums of Laplace draws.

    Any other operation takes the plain number, which is a hidden coin: values shown after it are not compared. To keep
    the power of an audit, avoid these operations or release the noisy value first:

    - ``out[i] = x`` and ``out[:] = x`` on an array made before (build a list, or draw all the noise at once);
    - ``np.array(x, dtype=float)``, ``np.asarray(x, float)``, ``.tolist()`` into another library, printing, hashing;
    - comparisons, ``if x > 0``, ``np.argmax``, sorting, the larger of two noisy numbers;
    - ``abs``, powers, roots, logarithms, products and ratios of noisy numbers;
    - ``float``, ``int``, ``max`` and ``min`` in modules other than those that the function and its class are from;
    - uniform, integer, exponential, gamma ... draws, choices and orders, and ``out=`` or ``dtype=`` in a draw.
    """
    return Recording(rng)


def public(name: str, value: Value) -> Value:
    """Declare that an observer sees `value`; returns it (in plain numbers, where it is noisy)."""
    recorder = _active.get()
    if recorder is None:
        return value
    shown: Value = recorder.release(name, value)
    return shown


def release(name: str, value: Value) -> Value:
    """Declare that an observer sees the noisy `value`; returns it in plain numbers, which may be used freely."""
    return public(name, value)


def noise_primitive(
    *,
    law: Literal["gaussian", "laplace"],
    value_arg: str = "value",
    scale_arg: str = "scale",
    sensitivity_arg: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a function that adds independent noise of one law to a value.

    A replay need not trace it then, and `dpverify.derive` takes the declared law as an assumption that the proof names.
    There the value is one number or one array, the scale is public, and all other arguments are numbers, texts or a
    generator; the function returns a double for a number and a new array of doubles for an array, and changes nothing.

    Parameters
    ----------
    law : "gaussian" or "laplace"
        Law of the noise in each coordinate. It is taken as declared; the black-box auditors test the samples.
    value_arg, scale_arg : str
        Names of the parameters that hold the noise-free value and the scale (standard deviation, or Laplace's b): one
        number, or one for each coordinate.
    sensitivity_arg : str or None
        Name of the parameter that holds the sensitivity of the value to one record.

    Raises
    ------
    InputError
        For another law, or for names that the function does not have.
    """
    if law not in ("gaussian", "laplace"):
        raise InputError(f"noise law {law!r}", allowed="gaussian, laplace")

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        found = inspect.signature(function)
        names = [value_arg, scale_arg, *([sensitivity_arg] if sensitivity_arg else [])]
        missing = [name for name in names if name not in found.parameters]
        if missing:
            raise InputError(
                f"{function.__qualname__} has no parameter called {', '.join(missing)}",
                allowed=", ".join(found.parameters),
                remedy="name its own with value_arg=, scale_arg= and sensitivity_arg=",
            )

        noise = DeclaredNoise(law, value_arg, scale_arg, found, function.__module__, function.__qualname__, function)

        @functools.wraps(function)
        def primitive(*given: Any, **named: Any) -> Any:
            recorder = _active.get()
            if recorder is None:
                return function(*given, **named) if stand_in() is None else noise.around(function, given, named)
            bound = found.bind(*given, **named)
            bound.apply_defaults()
            clean, scale = bound.arguments[value_arg], bound.arguments[scale_arg]
            believed = bound.arguments[sensitivity_arg] if sensitivity_arg else None
            recorder.query(
                function.__qualname__, clean, law=law, sensitivity=math.nan if believed is None else float(believed)
            )
            recorder.mute(1)
            try:
                noisy = function(*given, **named)
            finally:
                recorder.mute(-1)
            if not recorder.tracing:
                recorder.coin(f"{function.__qualname__} noise came as plain numbers")
                return noisy
            units = zip(leaves(clean), leaves(noisy), _scales(scale, noisy), strict=True)
            made = iter([recorder.around(law, one, other, scale=each) for one, other, each in units])
            if isinstance(noisy, np.ndarray):
                out = np.empty(noisy.shape, dtype=object)
                out.ravel()[:] = list(made)
                return out.view(TracedArray)
            return mapped(noisy, lambda _part: next(made))

        declare(primitive, noise)
        return primitive

    return decorated


def _scales(scale: Any, noisy: Any) -> list[float]:
    """The scale of each coordinate of `noisy`, broadcast as in numpy."""
    found = np.array([float(each) for each in leaves(scale)])
    if found.size == 1:
        return [float(found[0])] * len(list(leaves(noisy)))
    if isinstance(noisy, np.ndarray):
        return [float(each) for each in np.broadcast_to(found.reshape(np.shape(scale)), noisy.shape).ravel()]
    return [float(each) for each in found]


@contextmanager
def noted_torch_draws(recorder: Recorder) -> Iterator[None]:
    """Note torch's draws while a program runs; nothing where torch is not loaded before the run."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tag"):
        yield
        return
    plain, followed = torch.manual_seed, False

    def manual_seed(seed: Any) -> Any:
        nonlocal followed
        followed = recorder.handed_out(seed)
        return plain(seed)

    homes = [home for home in (torch, torch.random) if home.manual_seed is plain]
    for home in homes:
        home.manual_seed = manual_seed
    try:
        with _noting(torch, lambda name: recorder.coin(name) if followed else None):
            yield
    finally:
        for home in homes:
            home.manual_seed = plain


def _noting(torch: Any, note: Any) -> Any:
    """A mode of torch in which each operation that draws is noted."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Noting(TorchDispatchMode):  # type: ignore[misc]  # torch need not be installed
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if torch.Tag.nondeterministic_seeded in func.tags:
                note(f"a draw by {func._schema.name.rpartition('::')[2]} of torch")
            return func(*args, **(kwargs or {}))

    return Noting()
