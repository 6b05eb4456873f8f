"""A mechanism on a Poisson sample, seen from one record: (1 - rate) absent + rate present, against absent.

Assumptions: one record's membership alone is random, the others are fixed; add-remove neighbours. The costs of the two
directions are in `subsampled_pair`. Not to be confused with sampling without replacement (replace neighbours), nor with
the law over all records' memberships, which is a mixture of 2^n parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpverify.core.errors import UnsupportedError
from dpverify.core.fields import Checked
from dpverify.core.rules import Share
from dpverify.core.subjects import Law, LawPair
from dpverify.laws.composite import flat_pair
from dpverify.laws.density import DensityLaw
from dpverify.laws.density_pair import DensityPair
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.mixture import MixtureLaw
from dpverify.laws.shift_pair import ShiftPair
from dpverify.laws.subsampled_pair import SubsampledPair


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubsampledLaw(Checked):
    """The law with the record in the data: it takes part with probability `rate`.

    Attributes
    ----------
    absent, present : Law
        The output laws without and with the record in the sample.
    rate : float
        Sampling probability in (0, 1], taken as an exact rational.
    """

    absent: Law
    present: Law
    rate: Share

    def flat(self) -> DiscreteLaw | DensityLaw:
        """The mixture as one table or one density."""
        rate = Fraction(self.rate)
        if rate == 1:
            return MixtureLaw(laws=(self.present,), weights=(rate,)).flat()
        return MixtureLaw(laws=(self.absent, self.present), weights=(1 - rate, rate)).flat()

    def against(self, other: object) -> LawPair:
        """The pair (self, other).

        From the closed forms when `other` is the law without the record, else as two tables or two densities.
        """
        if isinstance(other, Law) and self._is_absent(other):
            base = self.present.against(other)
            if self.rate == 1:
                return base
            if not isinstance(base, (DiscretePair, DensityPair)):
                return SubsampledPair(base=base, rate=self.rate)
        return flat_pair(self, other)

    def faced_by(self, law: object) -> LawPair:
        """The pair (law, self)."""
        return self.against(law).swap()

    def _is_absent(self, other: Law) -> bool:
        if other is self.absent:
            return True
        if type(other) is not type(self.absent):
            return False
        try:
            pair = self.absent.against(other)
            # A shift far below the scale leaves no trace in delta, but is one.
            return not pair.exact_shifts() if isinstance(pair, ShiftPair) else pair.delta(0.0).value == 0.0
        except UnsupportedError:
            return False
