"""Any mechanism on a sample of fixed size without replacement, at the price that DISS Lemma 2.3 prints.

Basis: :mod:`~dpverify.accounting.amplification_printed`; the mechanism's own curve is its printed one where
it has one. Whole orders >= 2 only. Side: printed, so no accountant but ``rdp-printed`` takes it. The relation is to
replace one record: samples of data sets of different sizes cannot be paired this way. Not to be confused with Poisson
samples, nor with disjoint batches of a shuffled epoch.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.accounting.printed_curves import PrintedSampleStep, needed_curve
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.pure import PureStep
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementStep(PrintedSampleStep):
    """A step on m of n records drawn without replacement, under replace neighbours.

    Attributes
    ----------
    q : float
        Sampling ratio m / n in [0, 1].
    step : Step
        What runs on the sample; its costs hold under replace neighbours of the sample.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "without-replacement"
    relation = "replace"

    @classmethod
    def examples(cls) -> tuple[WithoutReplacementStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        gaussian = GaussianStep(sigma=2, sensitivity=2)
        return (
            cls(q=0.01, step=gaussian),
            cls(q=0.3, step=PureStep(epsilon=1)),
            cls(q=1, step=gaussian),
            cls(q=0, step=gaussian),
        )

    def printed(self, orders: ArrayLike) -> Float:
        """Lemma 2.3 at whole orders >= 2; shape of `orders`."""
        return without_replacement_bound(self.q, needed_curve(self.step, by=self.kind), orders)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("without-replacement", WithoutReplacementStep)
