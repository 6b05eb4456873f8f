"""A ``numpy.random.Generator`` that records: noise as traced numbers, other draws as hidden coins.

Normal and Laplace noise (and Gumbel and logistic noise, with an unspecified law) is returned as :class:`Traced` numbers
or arrays of them. All other draws (uniforms, integers, choices, permutations, counts) are plain and count as hidden
coins, as do draws taken directly from the bit generator.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.core.transcript import StepLaw
from dpverify.recording.recorder import Recorder
from dpverify.recording.traced_array import TracedArray
from dpverify.recording.traced_number import Traced


class RecordingGenerator(np.random.Generator):
    """A generator whose numbers come from a recorder's streams.

    Parameters
    ----------
    recorder : Recorder
        The recorder of the run.
    """

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder.next_stream().bit_generator)
        self.recorder = recorder
        self._beneath = self._state()

    def _state(self) -> Any:
        return super().bit_generator.state  # of PCG64: whole numbers alone

    @property
    def bit_generator(self) -> np.random.BitGenerator:
        """The underlying bit generator. A caller may draw from it unseen, so access counts as a hidden coin."""
        self.recorder.coin("the bit generator itself was asked for")
        self.recorder.seeds.hand_out(super().bit_generator, len(self.recorder.steps))
        return super().bit_generator

    def bypassed(self) -> bool:
        """Tell whether numbers were drawn directly from the bit generator (by a jitted kernel, for example)."""
        return bool(self._state() != self._beneath)

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Generators that record into the same run."""
        return [RecordingGenerator(self.recorder) for _ in range(n_children)]

    def _copied(self) -> np.random.Generator:
        """A plain generator: draws of a copy are not recorded, and its numbers may repeat."""
        self.recorder.coin("the generator was copied")
        return self.recorder.next_stream()

    def __reduce__(self) -> Any:
        return np.random.Generator, (self._copied().bit_generator,)

    def __copy__(self) -> np.random.Generator:
        return self._copied()

    def __deepcopy__(self, memo: Any) -> np.random.Generator:
        return self._copied()


_PLAIN = (float, int)


def _noise(method: str, law: StepLaw, centre: str, width: str) -> Callable[..., Any]:
    """A method that returns ``centre + width * unit``; `unit` is a draw of the original method at 0 and 1."""
    original = getattr(np.random.Generator, method)

    def draw(self: RecordingGenerator, *given: Any, **named: Any) -> Any:
        recorder, source = self.recorder, self.recorder.next_stream()
        if not recorder.tracing:
            drawn = original(source, *given, **named)
            recorder.coin(f"{method} noise came as plain numbers")
            return drawn
        arguments = dict(zip(("loc", "scale", "size"), given, strict=False)) | named
        size = arguments.pop("size", None)
        loc, scale = arguments.pop(centre or "loc", 0.0), arguments.pop(width or "scale", 1.0)
        if arguments:  # out=, dtype=
            recorder.coin(f"{method} noise asked for with {', '.join(arguments)}")
            return original(source, *given, **named)
        if type(loc) in _PLAIN and type(scale) in _PLAIN:  # as in most calls
            shape, below = () if size is None else size, scale < 0
        else:
            shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
            below = np.any(np.asarray(scale, dtype=np.float64) < 0)
        if below:
            raise ValueError("scale < 0")
        return accounted(recorder, law, loc, scale, original(source, size=shape))

    return functools.wraps(original)(draw)


def _standard(method: str, law: StepLaw) -> Callable[..., Any]:
    original = getattr(np.random.Generator, method)

    def draw(self: RecordingGenerator, size: Any = None, *given: Any, **named: Any) -> Any:
        recorder, source = self.recorder, self.recorder.next_stream()
        if given or named or not recorder.tracing:
            recorder.coin(f"{method} numbers came as plain numbers")
            return original(source, size, *given, **named)
        return accounted(recorder, law, 0.0, 1.0, original(source, size=() if size is None else size))

    return functools.wraps(original)(draw)


def accounted(recorder: Recorder, law: StepLaw, loc: Any, scale: Any, units: Any) -> Any:
    """``loc + scale * units``, each element with a separate unit of noise."""
    drawn = np.asarray(units, dtype=np.float64)
    if type(loc) in _PLAIN and type(scale) in _PLAIN:
        noisy = [recorder.noise(law, unit, clean=0.0, factor=float(scale)) for unit in drawn.ravel().tolist()]
        centre = np.asarray(loc)[()]
        made = [each + loc if isinstance(each, Traced) else centre + each for each in noisy]
        if drawn.shape == ():
            return made[0]
        found = np.empty(drawn.shape, dtype=object)
        found.ravel()[:] = made
        return found.view(TracedArray)
    places, widths = (np.broadcast_to(np.asarray(each), drawn.shape) for each in (loc, scale))
    found = np.empty(drawn.shape, dtype=object)
    for place in np.ndindex(drawn.shape):
        noisy = recorder.noise(law, float(drawn[place]), clean=0.0, factor=float(widths[place]))
        found[place] = places[place] + noisy
    return found[()] if drawn.shape == () else found.view(TracedArray)


def _coin(method: str) -> Callable[..., Any]:
    """Make a method whose draws count as a hidden coin."""
    original = getattr(np.random.Generator, method)

    def draw(self: RecordingGenerator, *given: Any, **named: Any) -> Any:
        drawn = original(self.recorder.next_stream(), *given, **named)
        # None: drawn in place (shuffle), so the coin has no value
        value = drawn.copy() if isinstance(drawn, np.ndarray) else None if drawn is None else repr(drawn)
        self.recorder.coin(f"a draw by {method}", value)
        self.recorder.seeds.hand_out(drawn, len(self.recorder.steps))
        return drawn

    return functools.wraps(original)(draw)


_LOCATED: dict[str, StepLaw] = {"normal": "gaussian", "laplace": "laplace", "gumbel": "other", "logistic": "other"}
_STANDARD: dict[str, StepLaw] = {"standard_normal": "gaussian"}


def _record_all() -> None:
    """Override every public method of numpy's generator, those of later versions too."""
    for method, original in inspect.getmembers(np.random.Generator, callable):
        if method.startswith("_") or method == "spawn":
            continue
        made = (
            _noise(method, _LOCATED[method], "loc", "scale")
            if method in _LOCATED
            else _standard(method, _STANDARD[method])
            if method in _STANDARD
            else _coin(method)
        )
        assert callable(original)
        setattr(RecordingGenerator, method, made)


_record_all()
