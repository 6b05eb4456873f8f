"""Records a run of a user's code: draws, released values, and from where on a hidden random draw may decide.

Every call for numbers gets a stream of its own, named by its place among the calls, so that a call that asks for more
on another data set does not move the numbers of the calls after it. Noise is handed out as :class:`Traced` numbers;
what is shown (``release``, ``public``, the result) is looked up in their accounts:

- a coordinate with noise of its own is *noisy*, around what was computed without that noise;
- one with no noise in it is *public*;
- one whose noise was shown before is public as well: from the number shown then, this one is known;
- sums of Gaussian noise are Gaussian; other sums, and sums that share noise, are of a law that is not looked into.
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
from dpverify.recording.flatten_output import form, leaves, mapped
from dpverify.recording.observed_steps import NOISE
from dpverify.recording.release_likelihood import Answer, Shown, by_noise, known_to_be, must_be
from dpverify.recording.seed_tracking import Seeds
from dpverify.recording.traced_number import Traced
from dpverify.sampling.streams import State, as_state, state_from, stream

MOST_COINS = 1000
"""Steps of hidden coins that are kept; the first is the one that matters."""

REUSE_SLACK = 2.0**-40
"""Relative. The difference of two values with one noise is known up to their rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A unit of noise in a coordinate that was shown: what was computed, its coefficient, the number that went out."""

    clean: float
    factor: float
    number: float
    error: float
    own: bool  # the program's own number, none of a held run's


class Recorder:
    """One run of other people's code.

    Parameters
    ----------
    state : four numpy.uint64
        What the streams are named after, beside the number of the call.
    held : Transcript or None
        Whose released values come back, by name and in order.
    observed : tuple or None
        What another run showed, call by call: its numbers come back wherever this run has noise.
    traced : bool
        False hands out plain numbers, for code that takes no others: then each call for numbers is a hidden coin.

    Attributes
    ----------
    latest : Recorder or None
        The one that was made last: it hears of numbers that a program has kept from another run.
    told : list of (str, list)
        Names and plain numbers of all that was shown, for a comparison with the untouched program.
    answers : list
        How this run explains what was `observed`, part by part, up to the first hidden coin.
    """

    latest: ClassVar[Recorder | None] = None

    def __init__(
        self, state: State, *, held: Transcript | None = None, observed: Shown | None = None, traced: bool = True
    ) -> None:
        Recorder.latest = self
        self.state, self.traced = state, traced
        self.steps: list[Step] = []
        self.told: list[tuple[str, list[Any]]] = []
        self._draw_calls = self._calls = self._coins = self._muted = 0
        self.seeds = Seeds()
        self._laws: list[StepLaw] = []
        self._shown: dict[int, _Shown | None] = {}  # None where a unit went out in a sum
        self._held: dict[tuple[str, StepLaw], deque[list[float]]] = defaultdict(deque)
        for step in held.steps if held is not None else ():
            if step.kind == "noisy":
                self._held[step.name, step.law].append(step.value.tolist())
        self.answers: list[Answer] = []
        self._explains = observed is not None
        self._observed = deque(observed or ())

    @classmethod
    def fresh(cls, rng: np.random.Generator) -> Recorder:
        """A recorder named by four words of `rng`."""
        return cls(state_from(rng))

    @classmethod
    def replaying(cls, transcript: Transcript, *, observed: Shown | None = None, traced: bool = True) -> Recorder:
        """The same streams, and the released values where the transcript is held."""
        held = transcript if transcript.held else None
        return cls(as_state(transcript.state), held=held, observed=observed, traced=traced)

    # ---- who draws ----

    def next_stream(self) -> np.random.Generator:
        """The stream of the next call for numbers."""
        words = "".join(f"{int(word):016x}" for word in self.state)
        self._draw_calls += 1
        return stream(0, "recorded", words, self._draw_calls)

    @property
    def tracing(self) -> bool:
        """Whether noise is handed out with its account."""
        return self.traced and not self._muted

    def noise(self, law: StepLaw, unit: float, *, clean: float, factor: float) -> Any:
        """``clean + factor * unit`` with a new unit of noise; a plain number where there is none in it."""
        value = clean + factor * unit
        if factor == 0.0 or math.isnan(value):
            return value
        self._laws.append(law)
        return Traced(value, clean, ((len(self._laws) - 1, factor),), self)

    def around(self, law: StepLaw, clean: Any, noisy: Any, *, scale: float) -> Any:
        """`noisy` as a noisy number around `clean`, which may have noise of its own."""
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
        """From here on a coin that nobody sees may decide."""
        if self._muted:
            return
        self._coins += 1
        if self._coins <= MOST_COINS:
            self.steps.append(Step(kind="coin", name=name, value=value, where=caller()))

    def handed_out(self, seed: Any) -> bool:
        """Whether `seed` is what the last coin was; that coin is then none, for what it seeds is recorded."""
        place = self.seeds.taken(seed)
        if place is None or (place and (place != len(self.steps) or self.steps[-1].kind != "coin")):
            return False  # something else, or something came between
        if place:
            self.steps.pop()
            self._coins -= 1
        self.seeds.followed(seed)
        return True

    def mute(self, by: int) -> None:
        """With 1: what is drawn from here on goes into a value that is accounted for; with -1: no longer."""
        self._muted += by

    def bare(self, number: Traced, how: str) -> float:
        """The plain number of a noisy one: as it was shown, or else a hidden coin."""
        if Recorder.latest is not None and Recorder.latest is not self:
            Recorder.latest.coin(f"a noisy value of another run was {how}")
        known = self._known(number)
        if known is not None:
            return known[0]
        self.coin(f"a noisy value was {how}")
        return number.value

    def rough(self, number: Traced, apply: Callable[[float], Any], how: str) -> Any:
        """A noisy number put through a rising function: the noise around the function's value without it is new to us.

        A plain number where that would not do: of another run, shown before, or not finite.
        """
        finite = all(map(math.isfinite, (number.value, number.clean, *(factor for _, factor in number.parts))))
        if Recorder.latest is not self or not finite or self._known(number) is not None:
            return apply(self.bare(number, how))
        self._laws.append("other")
        width = math.hypot(*(factor for _, factor in number.parts))
        return Traced(apply(number.value), float(apply(number.clean)), ((len(self._laws) - 1, width),), self)

    # ---- what is shown ----

    def query(self, name: str, clean: Any, *, law: NoiseLaw, sensitivity: float) -> None:
        """A noise-free value that one record is believed to move by no more than `sensitivity`; nan for no belief."""
        if any(isinstance(each, Traced) for each in leaves(clean)):
            return  # a query of something noisy is none
        values = np.array([float(each) for each in leaves(clean)], dtype=np.float64)
        shape: StepLaw = "gaussian" if law == "gaussian" else "laplace"
        step = Step(kind="query", name=name, where=caller(), clean=values, law=shape, sensitivity=sensitivity)
        self.steps.append(step)

    def release(self, name: str, value: Any) -> Any:
        """Show a value, and give it back in plain numbers: a held run's own ones where it is noisy."""
        parts = list(leaves(value))
        numbers = iter(self._show(name, parts, caller()))
        return mapped(value, lambda _part: next(numbers)) if any(isinstance(part, Traced) for part in parts) else value

    def transcript(self, result: Any) -> Transcript:
        """The run, with what it returned."""
        built = form(result)
        self.steps.append(Step(kind="public", name="form of the result", value=built))
        seen = self._next_observed("form of the result", 1)
        self._answer([must_be(built, part) for part in seen or ()])
        self.told.append(("form of the result", [built]))
        shown = self._show("result", list(leaves(result)), "the result")
        if self._observed:  # the other run showed more
            self._answer([False])
        s0, s1, s2, s3 = (int(word) for word in self.state)
        return Transcript(
            result=np.array([float(each) for each in shown if isinstance(each, int | float)]),
            iterates=np.empty((0, 0)),
            steps=tuple(self.steps),
            state=(s0, s1, s2, s3),
        )

    def _show(self, name: str, parts: list[Any], where: str) -> list[Any]:
        """The steps of one call, all of whose noisy coordinates go out at once; the plain parts."""
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
                answers.append(None if seen is None else must_be(part, seen[place]))
                continue
            known = self._known(part)
            if math.isnan(part.clean) and math.isnan(part.value):  # no noise moves a NaN
                fixed.append(part.value)
                plain[place] = part.value
                answers.append(None if seen is None else must_be(part.value, seen[place]))
            elif known is not None:
                fixed.append("noise shown before")
                reused.append(known)
                plain[place] = known[0]
                answers.append(None if seen is None else known_to_be(*known, seen[place]))
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
                    value=np.array([plain[place] for place, _, _ in those]),
                    slack=max(part.error for _, part, _ in those),
                )
            )
        self.told.append((name, plain))
        self._answer(answers)
        return plain

    def _next_observed(self, name: str, size: int) -> tuple[Any, ...] | None:
        """The parts of the call that was observed here; None where it was none of this name and size."""
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
        """A number of another run is a coin."""
        return part.bare("shown") if isinstance(part, Traced) and part.ledger is not self else part

    def _known(self, number: Traced) -> tuple[float, float] | None:
        """Of a value whose noise was shown: the number that is then known, and its rounding; else None."""
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
        """The law and scale of the noise in a value that goes out."""
        units = [unit for unit, _ in number.parts]
        laws = {self._laws[unit] for unit in units}
        numbers = (number.clean, number.value, number.error, *(factor for _, factor in number.parts))
        if not all(map(math.isfinite, numbers)):  # noise may have decided the sign of an infinity
            return "other", 1.0
        if not any(unit in self._shown for unit in units):
            if len(units) == 1:
                return laws.pop(), abs(number.parts[0][1])
            if laws == {"gaussian"}:
                return "gaussian", math.hypot(*(factor for _, factor in number.parts))
        return "other", math.hypot(*(factor for _, factor in number.parts))

    def _remember(self, number: Traced, shown: float) -> None:
        """That the noise in `number` went out, in the plain number `shown`."""
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
