"""Records generators that a program seeds from the recorded one: ``RandomState(int(rng.integers(2**32)))``.

Some libraries (diffprivlib) take only a ``RandomState`` or a ``random.Random``. During a recorded run the constructors
in ``numpy.random`` and ``random`` are replaced. When the seed is the number, array or bit generator that the recorded
generator returned just before, they make a generator that records into the same run: normal and Laplace noise is
traced, any other draw is a hidden coin, and the seed itself is not a coin. Any other seed makes an ordinary, unrecorded
generator; a second generator from the same seed is a hidden coin.

Limits: a program that also uses the seed for something else is not noticed, unless it shows the whole seed. Names
imported before the run (``from numpy.random import RandomState``) are replaced only in the modules that define the
function. Findings of a recorded run are confirmed with new runs.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

import numpy as np

from dpverify.core.transcript import StepLaw
from dpverify.recording.builtin_wrappers import defining_modules
from dpverify.recording.recorder import Recorder
from dpverify.recording.recording_generator import RecordingGenerator, accounted

_recorder: ContextVar[Recorder | None] = ContextVar("followed", default=None)
_LAWS: dict[str, StepLaw] = {"normal": "gaussian", "laplace": "laplace", "gumbel": "other", "logistic": "other"}


class RecordedRandomState(np.random.RandomState):
    """A ``RandomState`` that records."""

    def __init__(self, recorder: Recorder, seed: Any) -> None:
        super().__init__(seed)
        self.recorder = recorder


class RecordedRandom(random.Random):
    """A ``random.Random`` that records."""

    def __init__(self, recorder: Recorder, seed: Any) -> None:
        self.recorder, self._muted = recorder, True
        super().__init__(seed)
        self._muted = False

    def random(self) -> float:
        """A uniform draw, recorded as a hidden coin."""
        drawn = super().random()
        if not self._muted:
            self.recorder.coin("a draw by random of a random.Random", repr(drawn))
        return drawn

    def getrandbits(self, k: int, /) -> int:
        """Random bits, recorded as a hidden coin."""
        drawn = super().getrandbits(k)
        if not self._muted:
            self.recorder.coin("a draw by getrandbits of a random.Random", repr(drawn))
        return drawn

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """A normal draw, recorded as noise."""
        return self.normalvariate(mu, sigma)

    def normalvariate(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """A normal draw, recorded as noise."""
        self._muted = True
        unit = super().normalvariate(0.0, 1.0)
        self._muted = False
        if not self.recorder.tracing:
            self.recorder.coin("normal noise came as plain numbers")
            return mu + sigma * unit
        return accounted(self.recorder, "gaussian", mu, sigma, unit)


def _noise(method: str) -> Callable[..., Any]:
    original = getattr(np.random.RandomState, method)

    def draw(self: RecordedRandomState, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        if not self.recorder.tracing:
            self.recorder.coin(f"{method} noise came as plain numbers")
            return original(self, loc, scale, size)
        if np.any(np.asarray(scale, dtype=np.float64) < 0):
            raise ValueError("scale < 0")
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        return accounted(self.recorder, _LAWS[method], loc, scale, original(self, 0.0, 1.0, shape))

    return functools.wraps(original)(draw)


def _coin(method: str) -> Callable[..., Any]:
    original = getattr(np.random.RandomState, method)

    def draw(self: RecordedRandomState, *given: Any, **named: Any) -> Any:
        drawn = original(self, *given, **named)
        value = drawn.copy() if isinstance(drawn, np.ndarray) else None if drawn is None else repr(drawn)
        self.recorder.coin(f"a draw by {method} of a RandomState", value)
        return drawn

    return functools.wraps(original)(draw)


def _record_all() -> None:
    """Override every public method of numpy's older generator."""
    for method in dir(np.random.RandomState):
        if not method.startswith("_") and method not in ("get_state", "set_state", "seed"):
            setattr(RecordedRandomState, method, _noise(method) if method in _LAWS else _coin(method))
    RecordedRandomState.standard_normal = lambda self, size=None: self.normal(size=size)  # type: ignore[method-assign]
    RecordedRandomState.randn = lambda self, *shape: self.normal(size=shape or None)  # type: ignore[method-assign]


_record_all()


class _Kind(type):
    """Metaclass of the replaced classes: type checks and names are those of the originals."""

    plain: type
    follow: Callable[[Recorder, Any], Any]

    def __call__(cls, *given: Any, **named: Any) -> Any:
        recorder, seeds = _recorder.get(), (*given, *named.values())
        if recorder is not None and len(seeds) == 1 and recorder.handed_out(seeds[0]):
            return cls.follow(recorder, seeds[0])
        if recorder is not None and any(map(recorder.seeds.known, seeds)):
            recorder.coin("a second generator was made from one seed")
        return cls.plain(*given, **named)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.plain)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.plain)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.plain, name)


def _fresh_bits(recorder: Recorder, seed: Any) -> Any:
    """The seed; for the recorded generator's bit generator, a new bit generator of the same run."""
    own = isinstance(seed, np.random.BitGenerator) and not recorder.seeds.made(seed)
    return recorder.next_stream().bit_generator if own else seed


def _stand_in(plain: Any, follow: Callable[[Recorder, Any], Any]) -> Any:
    return _Kind(plain.__name__, (), {"plain": plain, "follow": staticmethod(follow), "__doc__": plain.__doc__})


def _again(plain: Any) -> Callable[[Recorder, Any], Any]:
    """Make a bit generator or seed sequence, and note it as one that the recorded generator gave."""

    def make(recorder: Recorder, seed: Any) -> Any:
        made = plain(seed)
        recorder.seeds.hand_on(made)
        return made

    return make


def _generator(recorder: Recorder, _seed: Any) -> Any:
    """A recording generator from the run's streams, which replace those of the seed."""
    return RecordingGenerator(recorder)


_STAND_INS: dict[int, tuple[Any, Any]] = {
    id(plain): (plain, _stand_in(plain, follow))
    for plain, follow in (
        (np.random.RandomState, lambda recorder, seed: RecordedRandomState(recorder, _fresh_bits(recorder, seed))),
        (random.Random, RecordedRandom),
        (np.random.Generator, _generator),
        (np.random.default_rng, _generator),
        *((each, _again(each)) for each in (np.random.SeedSequence, np.random.MT19937, np.random.PCG64)),
        *((each, _again(each)) for each in (np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)),
    )
}
_TYPES = frozenset(type(plain) for plain, _ in _STAND_INS.values())
"""Other values of a module need no look: every run asks all of them."""

_OWN_NAMES = [
    (home, name, *_STAND_INS[id(value)])
    for home in (vars(np.random), vars(random))
    for name, value in home.items()
    if id(value) in _STAND_INS
]
"""Where numpy and Python themselves offer them."""

_lock = Lock()
_users = 0
_put: list[tuple[dict[str, Any], str, Any]] = []


@contextmanager
def wrapped_constructors(recorder: Recorder, function: Callable[..., Any]) -> Iterator[None]:
    """Replace the constructors in the modules of numpy, Python and the function while it runs."""
    global _users
    token = _recorder.set(recorder)
    with _lock:
        _users += 1
        theirs = [
            (home, name, *_STAND_INS.get(id(value), (None, None)))
            for home in defining_modules(function)
            for name, value in home.items()
            if type(value) in _TYPES
        ]
        for home, name, plain, stand_in in (*_OWN_NAMES, *theirs):
            if plain is not None and home.get(name) is plain:
                _put.append((home, name, plain))
                home[name] = stand_in
    try:
        yield
    finally:
        _recorder.reset(token)
        with _lock:
            _users -= 1
            while _put and not _users:
                home, name, value = _put.pop()
                home[name] = value
