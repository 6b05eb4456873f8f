"""Any mechanism on a sample, at the price that the papers print: BLSGD Lemma 4 (DISS Lemma 2.4), DISS Lemma 2.3.

Basis: :mod:`~dpverify.accounting.amplification_printed`; the mechanism's own curve is its printed one where it has one.
Whole orders >= 2 only. Side: printed, so no accountant but ``rdp-printed`` takes them. Poisson samples are priced under
add-remove neighbours; not to be confused with ``poisson-gaussian``, whose curve is tight and proved. Samples of fixed
size are priced where one record is replaced, since samples of data sets of different sizes cannot be paired this way;
not to be confused with disjoint batches of a shuffled epoch.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dpverify.accounting.amplification_printed import Curve, poisson_bound, without_replacement_bound
from dpverify.accounting.printed_curves import PrintedSampleStep, needed_curve, printed_curve
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonPrintedStep(PrintedSampleStep):
    """A step on a Poisson sample, under add-remove neighbours.

    Attributes
    ----------
    q : float
        Sampling probability in [0, 1].
    step : Step
        What runs on the sample; its costs hold under add-remove neighbours of the sample.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "poisson-printed"
    relation = "add-remove"

    @classmethod
    def examples(cls) -> tuple[PoissonPrintedStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        gaussian = GaussianStep(sigma=1)
        return (
            cls(q=256 / 50000, step=gaussian),
            cls(q=0.3, step=PureStep(epsilon=1)),
            cls(q=1, step=gaussian),
            cls(q=0, step=gaussian),
        )

    def printed(self, orders: ArrayLike) -> Float:
        """Lemma 4 at whole orders >= 2; shape of `orders`."""
        return poisson_bound(self.q, needed_curve(self.step, by=self.kind), orders)


@printed_curve.register
def _subsampled_gaussian(step: PoissonGaussianStep) -> Curve:
    """The papers account for the subsampled Gaussian by the lemma for any mechanism."""
    return PoissonPrintedStep(q=step.q, step=GaussianStep(sigma=step.sigma)).printed


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
    registry.steps.add("poisson-printed", PoissonPrintedStep)
    registry.steps.add("without-replacement", WithoutReplacementStep)
