"""A calibration, held to all that its noise parameter promises: level curves (Lokna et al., Delta-Siege, CCS 2023).

An implementation turns (epsilon, delta) into a noise parameter, and all pairs with one parameter give the *same*
algorithm. So it promises all of them at once, and a violation at any pair of this level curve refutes the calibration,
even where the stated pair itself holds: noise with a wrong tail, or one that is cut off, often shows elsewhere only.

Profile and curve are the least upper bounds over the level curve (closed forms but for the classic Gaussian and zCDP,
where they come from 2000 of the pairs and allow a little more). Assumption: the implementation takes other pairs too,
and computes the parameter by the family's formula. Not to be confused with ``ApproxDP``, which promises the stated pair
alone, nor with ``ZCDP``, which promises more than all the pairs that it is converted to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import BELOW_ONE, NON_NEGATIVE
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.level_curve_families import FAMILIES
from dpverify.definitions.parameters import sentence


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False)
class LevelCurve:
    """The claim that the noise parameter which `family` computes from (epsilon, delta) keeps every pair that shares it.

    Written out ``LevelCurve(family="gaussian-analytic", epsilon=1, delta=1e-5)``; sensitivity 1. The number is kept as
    `claimed_delta`, because ``.delta`` is the profile that every guarantee offers; hence an ``__init__`` by hand.

    Attributes
    ----------
    family : str
        ``gaussian-classic`` (sigma = sqrt(2 ln(1.25/delta)) / epsilon), ``gaussian-analytic`` (the exact sigma),
        ``zcdp`` (rho by epsilon = rho + 2 sqrt(rho ln(1/delta)): the pairs that this rho is converted to, and not
        rho-zCDP itself) or ``laplace`` (scale 1/epsilon, delta = 0, one number).
    epsilon : float
        In nats, finite, >= 0; > 0 for ``gaussian-classic``.
    claimed_delta : float
        The parameter `delta`, in (0, 1); 0 for ``laplace``.

    Raises
    ------
    InputError
        For another family and for parameters outside these ranges.
    """

    family: str
    epsilon: float
    claimed_delta: float

    def __init__(self, *, family: str, epsilon: float, delta: float = 0.0) -> None:
        if family not in FAMILIES:
            raise InputError(f"LevelCurve: family = {family!r}", allowed=", ".join(f'"{name}"' for name in FAMILIES))
        object.__setattr__(self, "family", family)
        object.__setattr__(self, "epsilon", NON_NEGATIVE.number("LevelCurve: epsilon", epsilon))
        object.__setattr__(self, "claimed_delta", BELOW_ONE.number("LevelCurve: delta", delta))
        _ = self.curve

    def __repr__(self) -> str:
        return self.text()

    @classmethod
    def examples(cls) -> tuple[LevelCurve, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(family="gaussian-classic", epsilon=0.9, delta=1e-3),
            cls(family="gaussian-classic", epsilon=4, delta=0.05),
            cls(family="gaussian-analytic", epsilon=1, delta=1e-5),
            cls(family="gaussian-analytic", epsilon=0, delta=0.1),
            cls(family="zcdp", epsilon=1, delta=1e-5),
            cls(family="laplace", epsilon=1),
            cls(family="laplace", epsilon=0),
        )

    @property
    def curve(self) -> PrivacyGuarantee:
        """The guarantee of the noise parameter."""
        return _curve(self.family, self.epsilon, self.claimed_delta)

    def text(self) -> str:
        """``LevelCurve(family="gaussian-classic", epsilon=0.9, delta=0.001)``."""
        return sentence("LevelCurve", family=self.family, epsilon=self.epsilon, delta=self.claimed_delta)

    def measures(self) -> tuple[Measure, ...]:
        """The stated pair both ways, and points of the curve: all that the parameter's own guarantee measures."""
        stated = (
            Measure(kind="epsilon", argument=self.claimed_delta, claimed=self.epsilon),
            Measure(kind="delta", argument=self.epsilon, claimed=self.claimed_delta),
        )
        places = {(measure.kind, measure.argument) for measure in stated}
        others = (m for m in self.curve.measures() if (m.kind, m.argument) not in places)
        return (*stated, *others)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape); the same in both directions."""
        return self.curve.delta(epsilon, reverse=reverse)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at false-positive rates `alpha` (any shape); same in both directions."""
        return self.curve.tradeoff(alpha, reverse=reverse)

    def refutation(self, measure: Measure) -> str:
        """What it means that the measure is exceeded: which promise of the calibration is broken, and where."""
        stated = measure in self.measures()[:2]
        where = (
            "the stated pair" if stated else f"{measure.label()} <= {measure.claimed:.4g}, a point of its level curve"
        )
        return f"refutes the {self.family} calibration for ({self.epsilon:g}, {self.claimed_delta:g}), at {where}"


@lru_cache(maxsize=64)
def _curve(family: str, epsilon: float, delta: float) -> PrivacyGuarantee:
    return FAMILIES[family](epsilon, delta)


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("LevelCurve", LevelCurve)
