"""The tape: the random source of a run, and its log.

An algorithm takes all its randomness from one tape and logs its values there:

>>> from dpverify.recording.tape import Tape
>>> from dpverify.sampling.streams import stream
>>> tape = Tape.recording(stream(0, "docs"))
>>> batch = tape.poisson_subset("batch", 100, 0.1)
>>> noisy = tape.perturb("count", [float(batch.size)], law="gaussian", scale=1.0, sensitivity=1.0)
>>> transcript = tape.transcript(noisy)
>>> again = Tape.replaying(transcript)
>>> bool((again.poisson_subset("batch", 100, 0.1) == batch).all())
True

Draws come from the xoshiro generator in the order of the calls, one draw for each entry, so a jitted kernel that draws
in the same order from the same state gets the same numbers.

A replay returns draws of one name in their order. Where the run on another data set needs other draws, indices that the
data set lacks are left out; the missing part of a longer vector, and any draw past the last recorded one, is drawn anew
from the final state of the recording, and `overran` is set. With a `held` transcript the released values are also
returned again, by name and in order, so everything that depends only on them is the same on any data.

A tape that keeps nothing and calls back at iterates: trajectories of long runs, without storing every draw.

It draws as :class:`~dpverify.recording.tape.Tape` does, so a watched run has the numbers of an unwatched one.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.transcript import Draw, NoiseLaw, Perturbed, Step, StepLaw, Transcript
from dpverify.recording.observed_steps import shown
from dpverify.sampling.streams import State, as_state, state_from

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


class Tape:
    """Random draws by name, in order: recorded, or replayed.

    Parameters
    ----------
    state : four numpy.uint64
        Initial state of the generator.
    keep : bool
        False makes the same draws without recording them, for runs of which only the result is needed.
    draws : sequence of Draw or None
        Recorded draws to replay; None for a new run.
    held : sequence of Step
        Noisy steps whose values are returned again, whatever is computed.

    Attributes
    ----------
    state : four numpy.uint64
        Present state of the generator.
    overran : bool
        Whether a replay needed more draws than were recorded.
    """

    def __init__(
        self,
        state: State,
        *,
        keep: bool = True,
        draws: Sequence[Draw] | None = None,
        held: Sequence[Step] = (),
    ) -> None:
        self.state = state
        self.keep = keep
        self.overran = False
        self._replays = draws is not None
        self._recorded: dict[str, deque[Draw]] = defaultdict(deque)
        for draw in draws or ():
            self._recorded[draw.name].append(draw)
        self._held: dict[str, deque[Float]] = defaultdict(deque)
        for step in held:
            if step.kind == "noisy":
                self._held[step.name].append(step.value)
        self._silent = False  # the noise of a released value is contained in that value
        self._steps: list[Step] = []
        self._draws: list[Draw] = []
        self._perturbed: list[Perturbed] = []
        self._iterates: list[Float] = []
        self._public: dict[str, list[Any]] = defaultdict(list)

    @classmethod
    def recording(cls, rng: np.random.Generator, *, keep: bool = True) -> Tape:
        """A fresh tape; `rng` is advanced by four words."""
        return cls(state_from(rng), keep=keep)

    @classmethod
    def replaying(cls, transcript: Transcript) -> Tape:
        """A tape that replays the transcript's draws, and its released values where it is held."""
        held = transcript.steps if transcript.held else ()
        return cls(as_state(transcript.state), draws=transcript.draws, held=held)

    # ---- draws ----

    def normal(self, name: str, size: int) -> Float:
        """Draw standard normals, shape (size,)."""
        from dpverify.sampling.fill import fill_normal

        return self._vector(name, "normal", size, fill_normal)

    def laplace(self, name: str, size: int) -> Float:
        """Laplace draws of scale 1, shape (size,)."""
        from dpverify.sampling.fill import fill_laplace

        return self._vector(name, "laplace", size, fill_laplace)

    def uniform(self, name: str, size: int) -> Float:
        """Uniforms on [0, 1), shape (size,)."""
        from dpverify.sampling.fill import fill_uniform

        return self._vector(name, "uniform", size, fill_uniform)

    def exponential(self, name: str, size: int) -> Float:
        """Exponentials of mean 1, shape (size,)."""
        from dpverify.sampling.fill import fill_exponential

        return self._vector(name, "exponential", size, fill_exponential)

    def gumbel(self, name: str, size: int) -> Float:
        """Standard Gumbel draws, shape (size,)."""
        from dpverify.sampling.fill import fill_gumbel

        return self._vector(name, "gumbel", size, fill_gumbel)

    def poisson_subset(self, name: str, rows: int, rate: float) -> Integer:
        """Each index of range(rows) independently with probability `rate`, increasing; shape (k,), k may be 0."""
        from dpverify.sampling.poisson_subset import poisson_subset, skip_scale

        recorded = self._next(name, "poisson-subset")
        if recorded is not None:
            return self._log(name, "poisson-subset", recorded[recorded < rows])
        out = np.empty(rows, dtype=np.int64)
        count, *state = poisson_subset(out, skip_scale(rate), *self.state)
        self.state = as_state(state)
        return self._log(name, "poisson-subset", out[: int(count)].copy())

    def subset(self, name: str, rows: int, size: int) -> Integer:
        """A uniform subset of range(rows) of a fixed size, in random order, without replacement; shape (size,)."""
        if not 0 <= size <= rows:
            raise InputError(f"a sample of {size} of {rows} records", allowed=f"0..{rows}")
        return self._shuffled(name, "subset", rows, size)

    def permutation(self, name: str, rows: int) -> Integer:
        """A uniform order of range(rows), shape (rows,)."""
        return self._shuffled(name, "permutation", rows, rows)

    def index(self, name: str, bound: int) -> int:
        """A uniform integer in 0..bound - 1."""
        from dpverify.sampling.xoshiro import integer_below

        if bound < 1:
            raise InputError(f"an index below {bound}", allowed="a bound >= 1")
        recorded = self._next(name, "index")
        if recorded is not None and recorded[0] < bound:
            return int(self._log(name, "index", recorded)[0])
        self.overran = self._replays  # nothing was recorded, or the index exceeds the bound
        value, *state = integer_below(bound, *self.state)
        self.state = as_state(state)
        return int(self._log(name, "index", np.array([value], dtype=np.int64))[0])

    # ---- the log ----

    def perturb(
        self,
        name: str,
        clean: ArrayLike,
        *,
        law: NoiseLaw,
        scale: float,
        sensitivity: float = math.nan,
        released: bool = True,
    ) -> Float:
        """`clean` plus `scale` times new noise of the law, shape (k,); fields as in :class:`Perturbed`.

        A scale of 0 draws as well, so that later numbers do not change.
        """
        value = np.atleast_1d(np.asarray(clean, dtype=np.float64))
        self._silent = released
        if law == "none":
            noise = np.zeros_like(value)
        else:
            unit = self.normal(name, value.size) if law == "gaussian" else self.laplace(name, value.size)
            noise = scale * unit
        self._silent = False
        noisy = np.asarray(value + noise, dtype=np.float64)
        if not self.keep:
            return noisy
        if released and scale > 0 and law != "none" and self._held[name]:
            before = self._held[name].popleft()
            if before.shape == value.shape and np.isfinite(value).all():
                noisy = before.copy()
                noise = noisy - value
        each = Perturbed(
            name=name,
            clean=value.copy(),
            noise=noise,
            law=law,
            scale=0.0 if law == "none" else scale,
            sensitivity=sensitivity,
            released=released,
        )
        self._perturbed.append(each)
        shape: StepLaw = "gaussian" if law == "gaussian" else "laplace"
        seen = None if released else "hidden"
        step = Step(kind="query", name=name, value=seen, clean=each.clean, law=shape, sensitivity=sensitivity)
        self._steps.append(step)
        if released:
            self._steps += shown(
                name,
                "",
                len(self._steps),
                law="other" if law == "none" else law,
                clean=each.clean,
                scale=each.scale,
                value=noisy,
            )
        return noisy

    def publish(self, name: str, value: ArrayLike) -> None:
        """Log a value that the algorithm treats as public: ``step-size``, ``answer``, ``budget`` ..."""
        if self.keep:
            self._public[name].append(np.array(value))
            self._steps.append(Step(kind="public", name=name, value=self._public[name][-1]))

    def iterate(self, point: ArrayLike) -> None:
        """Log an iterate of the algorithm, shape (d,), as public."""
        if self.keep:
            self._iterates.append(np.array(point, dtype=np.float64))

    def transcript(self, result: ArrayLike) -> Transcript:
        """The transcript so far, with the algorithm's result."""
        s0, s1, s2, s3 = (int(word) for word in self.state)
        found = np.atleast_1d(np.asarray(result, dtype=np.float64))
        return Transcript(
            result=found,
            iterates=np.stack(self._iterates) if self._iterates else np.empty((0, 0)),
            perturbed=tuple(self._perturbed),
            public={name: np.stack(values) for name, values in self._public.items()},
            draws=tuple(self._draws),
            state=(s0, s1, s2, s3),
            steps=(*self._steps, Step(kind="public", name="result", value=found)),
        )

    def _vector(self, name: str, kind: str, size: int, fill: Any) -> Float:
        recorded = self._next(name, kind)
        have = 0 if recorded is None else min(size, recorded.size)
        out = np.empty(size)
        if recorded is not None:
            out[:have] = recorded[:have]
            self.overran = self.overran or have < size
        if have < size:
            self.state = as_state(fill(out[have:], *self.state))
        return self._log(name, kind, out)

    def _shuffled(self, name: str, kind: str, rows: int, size: int) -> Integer:
        from dpverify.sampling.permutation import shuffle_start

        recorded = self._next(name, kind)
        if recorded is not None:
            kept = recorded[recorded < rows]
            if kind == "permutation" and kept.size < rows:  # indices of records that the recording lacked come last
                kept = np.concatenate([kept, np.arange(kept.size, rows, dtype=np.int64)])
            return self._log(name, kind, kept)
        out = np.empty(rows, dtype=np.int64)
        self.state = as_state(shuffle_start(out, size, *self.state))
        return self._log(name, kind, out[:size].copy())

    def _next(self, name: str, kind: str) -> NDArray[Any] | None:
        if not self._replays:
            return None
        waiting = self._recorded[name]
        if not waiting:
            self.overran = True
            return None
        draw = waiting.popleft()
        if draw.kind != kind:
            raise InputError(
                f"the replay asks for {kind} draws called {name!r} where {draw.kind} draws were recorded",
                allowed="draws of one kind under one name",
            )
        return draw.values

    def _log(self, name: str, kind: str, values: NDArray[Any]) -> NDArray[Any]:
        if self.keep:
            self._draws.append(Draw(name=name, kind=kind, values=values))
            if not self._silent:
                self._steps.append(Step(kind="coin", name=f"{kind} draws called {name!r}", value=values))
        return values


Seen = Callable[[int, Float, Mapping[str, Any]], None]
"""``seen(number, point, published)``: the number of the iterate (the start is 0), the iterate, and the last value
published under each name."""


class WatchingTape(Tape):
    """Makes draws and keeps none; tells each iterate.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by four words, as by `Tape.recording`.
    seen : callable
        See `Seen`; the point is the algorithm's own array, not to be kept or changed.
    """

    def __init__(self, rng: np.random.Generator, seen: Seen) -> None:
        super().__init__(state_from(rng), keep=False)
        self._seen, self._number, self._published = seen, 0, dict[str, Any]()
        self._done = self._sample = 0

    def publish(self, name: str, value: ArrayLike) -> None:
        """Remember the last value of the name; an ``answer`` is that of a search on the sample that was drawn last."""
        self._published[name] = value
        if name == "answer":  # the start, and each candidate up to the answer
            self._done += self._sample * (int(np.asarray(value)) + 2)
            self._sample = 0

    def poisson_subset(self, name: str, rows: int, rate: float) -> NDArray[np.int64]:
        """Draw as the tape does; the sample is counted."""
        found = super().poisson_subset(name, rows, rate)
        self._done, self._sample = self.evaluations, found.size
        return found

    @property
    def evaluations(self) -> int:
        """Evaluations of a record's gradient or loss, as far as samples tell: each once, in a search as often as it
        looks."""
        return self._done + self._sample

    def iterate(self, point: ArrayLike) -> None:
        """Tell the iterate."""
        self._seen(self._number, np.asarray(point, dtype=np.float64), self._published)
        self._number += 1
