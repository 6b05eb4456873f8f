"""Records a run of a user's code: draws, released values, and the point after which a hidden random draw may decide.

Every call for random numbers gets a separate stream, named by the position of the call. So a call that draws more on
another data set does not change the numbers of later calls. Noise is returned as :class:`Traced` numbers, and the noise
in a shown value (``release``, ``public``, the result) is read from them:

- a coordinate with noise that was not shown before is *noisy*, around its value without that noise;
- a coordinate without noise is *public*;
- a coordinate whose noise was shown before is public as well, since it follows from the number shown then;
- sums of Gaussian noise are Gaussian; other sums, and sums that share noise, have an unspecified law.
"""

from __future__ import annotations

import copy
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpverify.core.transcript import NoiseLaw, Step, StepLaw, Transcript
from dpverify.recording.call_site import caller
from dpverify.recording.flatten_output import form, leaves, mapped, numbers
from dpverify.recording.observed_steps import NOISE
from dpverify.recording.release_likelihood import Answer, Shown, by_noise, follows, is_certain
from dpverify.recording.seed_tracking import Seeds
from dpverify.recording.traced_number import Traced
from dpverify.sampling.streams import State, as_state, state_from, streams

MOST_COINS = 1000
"""Most steps of hidden coins that are kept; only the first one matters."""

REUSE_SLACK = 2.0**-40
"""Relative rounding error of the difference of two values with the same noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A unit of noise in a shown coordinate: noise-free value, coefficient, shown number."""

    clean: float
    factor: float
    number: float
    error: float
    own: bool  # the program's number, not one of a held run


class Recorder:
    """Records one run of a user's code.

    Parameters
    ----------
    state : four numpy.uint64
        Name of the streams, beside the number of the call.
    held : Transcript or None
        Transcript whose released values are returned again, by name and in order.
    observed : tuple or None
        Values that another run showed, call by call; they are returned wherever this run has noise.
    traced : bool
        False returns plain numbers, for code that accepts no others; then each call for numbers is a hidden coin.

    Attributes
    ----------
    latest : Recorder or None
        The last recorder made; it is notified of numbers that a program kept from another run.
    told : list of (str, list)
        Names and plain numbers of everything shown, for a comparison with the unchanged program.
    answers : list
        How this run explains each `observed` part, up to the first hidden coin.
    """

    latest: ClassVar[Recorder | None] = None

    def __init__(
        self, state: State, *, held: Transcript | None = None, observed: Shown | None = None, traced: bool = True
    ) -> None:
        Recorder.latest = self
        self.state, self.traced = state, traced
        self._stream = streams(0, "recorded", "".join(f"{int(word):016x}" for word in state))
        self.steps: list[Step] = []
        self.told: list[tuple[str, list[Any]]] = []
        self._draw_calls = self._calls = self._coins = self._muted = 0
        self.seeds = Seeds()
        self._laws: list[StepLaw] = []
        self._shown: dict[int, _Shown | None] = {}  # None where a unit was shown in a sum
        self._held: dict[tuple[str, StepLaw], deque[list[float]]] = defaultdict(deque)
        for step in held.steps if held is not None else ():
            if step.kind == "noisy":
                self._held[step.name, step.law].append(step.value.tolist())
        self.answers: list[Answer] = []
        self._explains = observed is not None
        self._observed = deque(observed or ())

    @classmethod
    def fresh(cls, rng: np.random.Generator) -> Recorder:
        """A recorder whose streams are named by four words of `rng`."""
        return cls(state_from(rng))

    @classmethod
    def replaying(cls, transcript: Transcript, *, observed: Shown | None = None, traced: bool = True) -> Recorder:
        """A recorder with the streams of a transcript, and its released values where it is held."""
        held = transcript if transcript.held else None
        return cls(as_state(transcript.state), held=held, observed=observed, traced=traced)

    # ---- who draws ----

    def next_stream(self) -> np.random.Generator:
        """The stream of the next call for numbers."""
        self._draw_calls += 1
        return self._stream(self._draw_calls)

    @property
    def tracing(self) -> bool:
        """Tell whether noise is returned as traced numbers."""
        return self.traced and not self._muted

    def noise(self, law: StepLaw, unit: float, *, clean: float, factor: float) -> Any:
        """``clean + factor * unit`` with a new unit of noise; a plain number where the factor is 0."""
        value = clean + factor * unit
        if factor == 0.0 or math.isnan(value):
            return value
        self._laws.append(law)
        return Traced(value, clean, ((len(self._laws) - 1, factor),), self)

    def around(self, law: StepLaw, clean: Any, noisy: Any, *, scale: float) -> Any:
        """The number `noisy` as a traced number around `clean`, which may itself be noisy."""
        if not scale > 0.0:
            return clean if isinstance(clean, Traced) else noisy
        noisy = float(getattr(noisy, "value", noisy))
        below = clean.value if isinstance(clean, Traced) else float(clean)
        number = self.noise(law, (noisy - below) / scale, clean=0.0, factor=scale)
        made = clean + number
        if isinstance(made, Traced):
            made.value = noisy  # to the bit
        return made

    def coin(self, name: str, value: Any = None) -> None:
        """Note a hidden coin: from here on unrecorded randomness may decide."""
        if self._muted:
            return
        self._coins += 1
        if self._coins <= MOST_COINS:
            self.steps.append(Step(kind="coin", name=name, value=value, where=caller()))

    def handed_out(self, seed: Any) -> bool:
        """Tell whether `seed` was the last coin; if so, that coin is removed, since its generator is recorded."""
        place = self.seeds.taken(seed)
        if place is None or (place and (place != len(self.steps) or self.steps[-1].kind != "coin")):
            return False  # another number, or another coin came between
        if place:
            self.steps.pop()
            self._coins -= 1
        self.seeds.followed(seed)
        return True

    def mute(self, by: int) -> None:
        """Begin (1) or end (-1) a part in which draws belong to a declared noisy value and are no coins."""
        self._muted += by

    def bare(self, number: Traced, how: str) -> float:
        """The plain number of a noisy one; a hidden coin unless it was shown."""
        if Recorder.latest is not None and Recorder.latest is not self:
            Recorder.latest.coin(f"a noisy value of another run was {how}")
        known = self._known(number)
        if known is not None:
            return known[0]
        self.coin(f"a noisy value was {how}")
        return number.value

    def rough(self, number: Traced, apply: Callable[[float], Any], how: str) -> Any:
        """A noisy number after a monotone function; its noise has an unspecified law.

        A plain number where it belongs to another run, was shown before, or is not finite.
        """
        finite = all(map(math.isfinite, (number.value, number.clean, *(factor for _, factor in number.parts))))
        if Recorder.latest is not self or not finite or self._known(number) is not None:
            return apply(self.bare(number, how))
        self._laws.append("other")
        width = math.hypot(*(factor for _, factor in number.parts))
        return Traced(apply(number.value), float(apply(number.clean)), ((len(self._laws) - 1, width),), self)

    # ---- what is shown ----

    def query(self, name: str, clean: Any, *, law: NoiseLaw, sensitivity: float) -> None:
        """Note a noise-free value with its declared sensitivity; nan for none."""
        if any(isinstance(each, Traced) for each in leaves(clean)):
            return  # a noisy value is no query
        values = np.array([float(each) for each in leaves(clean)], dtype=np.float64)
        shape: StepLaw = "gaussian" if law == "gaussian" else "laplace"
        step = Step(kind="query", name=name, where=caller(), clean=values, law=shape, sensitivity=sensitivity)
        self.steps.append(step)

    def release(self, name: str, value: Any) -> Any:
        """Show a value and return it in plain numbers; where it is noisy, those of a held run."""
        parts = list(leaves(value))
        numbers = iter(self._show(name, parts, caller()))
        return mapped(value, lambda _part: next(numbers)) if any(isinstance(part, Traced) for part in parts) else value

    def transcript(self, result: Any) -> Transcript:
        """The transcript of the run, with its result."""
        built = form(result)
        self.steps.append(Step(kind="public", name="form of the result", value=built))
        seen = self._next_observed("form of the result", 1)
        self._answer([is_certain(built, part) for part in seen or ()])
        self.told.append(("form of the result", [built]))
        shown = self._show("result", list(leaves(result)), "the result")
        if self._observed:  # the other run showed more values
            self._answer([False])
        s0, s1, s2, s3 = (int(word) for word in self.state)
        return Transcript(
            result=np.array([float(each) for each in shown if isinstance(each, int | float)]),
            iterates=np.empty((0, 0)),
            steps=tuple(self.steps),
            state=(s0, s1, s2, s3),
        )

    def _show(self, name: str, parts: list[Any], where: str) -> list[Any]:
        """Note the steps of one call, whose noisy coordinates are shown at once; returns the plain parts."""
        fixed: list[Any] = []
        parts = [self._own(part) for part in parts]
        if any(map(self.seeds.known, parts)):
            self.coin("the seed of a generator was shown")
        seen = self._next_observed(name, len(parts))
        answers: list[Answer] = []
        reused: list[tuple[float, float]] = []
        noisy: dict[StepLaw, list[tuple[int, Traced, float]]] = defaultdict(list)
        plain = list(parts)
        coming: dict[StepLaw, Iterator[float]] = {}
        for place, part in enumerate(parts):
            if not isinstance(part, Traced):
                fixed.append(copy.deepcopy(part))
                answers.append(None if seen is None else is_certain(part, seen[place]))
                continue
            known = self._known(part)
            if math.isnan(part.clean) and math.isnan(part.value):  # noise does not change a NaN
                fixed.append(part.value)
                plain[place] = part.value
                answers.append(None if seen is None else is_certain(part.value, seen[place]))
            elif known is not None:
                fixed.append("noise shown before")
                reused.append(known)
                plain[place] = known[0]
                answers.append(None if seen is None else follows(*known, seen[place]))
            else:
                fixed.append(NOISE)
                law, scale = self._law(part)
                if law not in coming:
                    waiting = self._held[name, law]
                    coming[law] = iter(waiting.popleft() if waiting else ())
                plain[place] = next(coming[law], part.value)
                if seen is not None:
                    answers.append(by_noise(law, part.clean, scale, seen[place]))
                    plain[place] = seen[place] if isinstance(seen[place], int | float) else part.value
                self._remember(part, plain[place])
                noisy[law].append((place, part, scale))
        self.steps.append(Step(kind="public", name=name, where=where, value=tuple(fixed)))
        for value, slack in reused:
            known_name = f"{name}, with noise that was shown"
            self.steps.append(Step(kind="public", name=known_name, where=where, value=value, slack=slack))
        self._calls += 1
        for law, those in noisy.items():
            self.steps.append(
                Step(
                    kind="noisy",
                    name=name,
                    where=where,
                    call=self._calls,
                    law=law,
                    clean=np.array([part.clean for _, part, _ in those]),
                    scale=np.array([scale for _, _, scale in those]),
                    value=numbers([plain[place] for place, _, _ in those]),
                    slack=max(part.error for _, part, _ in those),
                )
            )
        self.told.append((name, plain))
        self._answer(answers)
        return plain

    def _next_observed(self, name: str, size: int) -> tuple[Any, ...] | None:
        """The observed parts of this call; None where the other run had no such call of this name and size."""
        if not self._explains:
            return None
        seen = self._observed.popleft() if self._observed else ("", ())
        if seen[0] == name and len(seen[1]) == size:
            return seen[1]
        self._answer([False])
        self._explains = False
        self._observed.clear()
        return None

    def _answer(self, answers: list[Answer]) -> None:
        if self._explains and not self._coins:
            self.answers += answers

    def _own(self, part: Any) -> Any:
        """Turn a number of another run into a plain one, and note a coin."""
        return part.bare("shown") if isinstance(part, Traced) and part.ledger is not self else part

    def _known(self, number: Traced) -> tuple[float, float] | None:
        """Return the known number and its rounding error for a value whose noise was shown; else None."""
        unit, factor = number.parts[0]
        before = self._shown.get(unit)
        if before is None or len(number.parts) > 1:
            return None
        ratio = factor / before.factor
        value = number.clean - ratio * before.clean
        slack = REUSE_SLACK * (abs(number.clean) + abs(ratio) * (abs(before.clean) + abs(before.number)))
        slack += number.error + abs(ratio) * before.error
        found = before.number if (ratio, value) == (1.0, 0.0) else value + ratio * before.number
        found = number.value if before.own else found  # to the bit
        return (found, slack) if math.isfinite(found) and math.isfinite(slack) else None

    def _law(self, number: Traced) -> tuple[StepLaw, float]:
        """The law and scale of the noise in a shown value."""
        units = [unit for unit, _ in number.parts]
        laws = {self._laws[unit] for unit in units}
        numbers = (number.clean, number.value, number.error, *(factor for _, factor in number.parts))
        if not all(map(math.isfinite, numbers)):  # the noise may have decided the sign of an infinity
            return "other", 1.0
        if not any(unit in self._shown for unit in units):
            if len(units) == 1:
                return laws.pop(), abs(number.parts[0][1])
            if laws == {"gaussian"}:
                return "gaussian", math.hypot(*(factor for _, factor in number.parts))
        return "other", math.hypot(*(factor for _, factor in number.parts))

    def _remember(self, number: Traced, shown: float) -> None:
        """Note that the noise in `number` was shown by the plain number `shown`."""
        units = [unit for unit, _ in number.parts]
        single = (
            _Shown(
                clean=number.clean,
                factor=number.parts[0][1],
                number=shown,
                error=number.error,
                own=shown == number.value,
            )
            if len(units) == 1
            else None
        )
        for unit in units:
            self._shown.setdefault(unit, single)
