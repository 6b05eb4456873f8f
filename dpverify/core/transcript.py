"""What one run of an iterative algorithm did, in types that grey- and white-box audits can read.

A run draws numbers (coins and noise), computes noise-free quantities from the records, perturbs them, and shows some of
what comes out. A transcript keeps all of it apart: `draws` and the clean part of `perturbed` are secrets of the run;
released values, `public` and `iterates` are what an observer of the whole run sees; `result` is what an observer of the
end sees.

`steps` is the same run in its order, as a replay compares it: what was shown, what was queried, and from where on a
coin that nobody sees may have a hand in it.

Not to be confused with an output law: a transcript is one run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.core.rules import Between

Float = NDArray[np.float64]
NoiseLaw = Literal["gaussian", "laplace", "none"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw:
    """Numbers taken from the random source at once.

    Attributes
    ----------
    name : str
        What they are for: ``gradient``, ``batch`` ... A replay reads draws of one name back in their order.
    kind : str
        ``normal``, ``laplace``, ``uniform``, ``subset``, ``permutation`` ...
    values : float64 or int64, shape (k,)
        Before any scaling: standard normals, Laplace draws of scale 1, indices.
    """

    name: str
    kind: str
    values: NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Perturbed(Checked):
    """One noisy quantity: what was computed, what was added, and what the algorithm believes about both.

    Attributes
    ----------
    name : str
        ``gradient``, ``threshold``, ``query``, ``model`` ...
    clean, noise : float64, shape (k,)
        The noise-free value, and the noise as added (scaled).
    law : "gaussian", "laplace" or "none"
        Of the noise; "none" when the value goes out bare.
    scale : float
        Standard deviation of a coordinate (Gaussian) or b (Laplace); 0 for none.
    sensitivity : float
        What the algorithm believes one record can move `clean` by: in L2 (Gaussian) or L1 (Laplace); nan where it
        believes nothing.
    released : bool
        Whether an observer of the transcript sees ``clean + noise``; a noisy threshold, say, stays hidden.
    """

    name: str
    clean: Float
    noise: Float
    law: NoiseLaw
    scale: Annotated[float, Between(0, math.inf)]
    sensitivity: float = math.nan
    released: bool = True

    def called(self) -> str:
        """A message calls it ``noise on 'gradient'``."""
        return f"noise on {self.name!r}"

    @property
    def value(self) -> Float:
        """``clean + noise``, shape (k,)."""
        return self.clean + self.noise


_NOTHING: Float = np.empty(0)

StepKind = Literal["public", "noisy", "query", "coin"]
StepLaw = Literal["gaussian", "laplace", "other"]
GAUSSIAN: StepLaw = "gaussian"
LAPLACE: StepLaw = "laplace"
OTHER: StepLaw = "other"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """One thing that happened in a run, at its place in the order.

    Attributes
    ----------
    kind : "public", "noisy", "query" or "coin"
        ``public``: a value without noise that an observer sees. ``noisy``: independent noise around `clean` that an
        observer sees. ``query``: a noise-free value with a declared `sensitivity`; nobody sees it. ``coin``: from here
        on, randomness that is not shown may have decided what happens.
    name : str
        Of the value, or how the coin entered.
    where : str
        ``file:line`` of the caller; empty where the name says it.
    value : object
        Of a public step: plain values. Of a noisy one: what was shown, float64, shape (k,). Of a coin: what was
        drawn (indices), or None. Of a query: "hidden" where nobody sees even its noisy value.
    slack : float
        By how much rounding may have moved a public number, or any location of a noisy step.
    clean, scale : float64, shape (k,)
        Of a noisy step: locations and scales of independent noise. Of a query: the value, and nothing.
    law : "gaussian", "laplace" or "other"
        Of a noisy step.
    sensitivity : float
        Of a query: what one record is believed to move it by, in the L2 norm for Gaussian noise and in L1 else.
    call : int
        Noisy steps of one call were shown at once: none of them depends on another's value.
    """

    kind: StepKind
    name: str
    where: str = ""
    value: Any = None
    slack: float = 0.0
    clean: Float = field(default_factory=lambda: _NOTHING)
    scale: Float = field(default_factory=lambda: _NOTHING)
    law: StepLaw = "other"
    sensitivity: float = math.nan
    call: int = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Transcript:
    """The record of one run.

    Attributes
    ----------
    result : float64, shape (k,)
        What the algorithm returns.
    iterates : float64, shape (t, d)
        The points that the algorithm went through, the start first; empty, shape (0, 0), where it has none.
    perturbed : tuple of Perturbed
        In the order in which they were computed.
    public : mapping of str to array
        Other values that the algorithm treats as public, stacked in their order, first axis the step:
        ``step-size``, ``answer`` (a line search's), ``budget``, ``clip`` ...
    draws : tuple of Draw
        Everything taken from the random source, in order: a replay reads it back.
    state : tuple of four int
        The random source after the last draw (of a run of other people's code: before the first).
    steps : tuple of Step
        What happened, in order; the last are the result's.
    held : bool
        How it is to be replayed: with the released values as they were, whatever the data.
    """

    result: Float
    iterates: Float
    perturbed: tuple[Perturbed, ...] = ()
    public: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    draws: tuple[Draw, ...] = ()
    state: tuple[int, int, int, int] = (0, 0, 0, 1)
    steps: tuple[Step, ...] = ()
    held: bool = False

    def released(self, name: str) -> tuple[Float, ...]:
        """The released values called `name`, in order."""
        return tuple(each.value for each in self.perturbed if each.name == name and each.released)

    def noise(self, name: str) -> tuple[Float, ...]:
        """The noise added to the values called `name`, in order."""
        return tuple(each.noise for each in self.perturbed if each.name == name)

    @property
    def step_sizes(self) -> NDArray[Any]:
        """``public["step-size"]``, shape (t,); empty where there are none."""
        return self.public.get("step-size", np.empty(0))

    @property
    def answers(self) -> NDArray[Any]:
        """A line search's answers, ``public["answer"]``, shape (t,); empty where there are none."""
        return self.public.get("answer", np.empty(0))

    @property
    def budgets(self) -> NDArray[Any]:
        """``public["budget"]``: what each release was taken to cost, shape (t,); empty where it is not kept."""
        return self.public.get("budget", np.empty(0))
