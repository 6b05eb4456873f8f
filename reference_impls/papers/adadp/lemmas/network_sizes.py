"""AD-SIZE: the networks of ADADP's experiments, their layers counted.

"Datasets and test architectures": two hidden layers of 256 units on MNIST, 334,336 parameters; on CIFAR-10 two
convolutions of 3 x 3 (stride 1, 64 channels, each with a max pool) that leave 1600 numbers.

Two hidden layers have 784 * 256 + 256 * 256 + 256 * 10 = 268,800 weights, and 522 biases; another 256 * 256 makes the
printed number: it is that of *three* hidden layers, without biases. The convolutions leave 64 * 5 * 5 = 1600 with pools
of 3 x 3 and stride 2, 64 * 6 * 6 = 2304 with the usual pools of 2 x 2, 64 * 8 * 8 with those and padding; the text does
not say which. The number of weights enters the choice of tol.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpverify.core.claim import Claim, Reading, Source
from dpverify.core.measure import Enclosed
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.upper_bound import UpperBound
from reference_impls.models.model import find_model
from reference_impls.papers.adadp.lemmas.stationary import DIMENSION
from reference_impls.papers.lemma import checked, repaired

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

PIXELS, CLASSES, WIDTH = 784, 10, 256
IMAGE, CHANNELS, FLATTENED = 32, 64, 1600


@dataclass(frozen=True, kw_only=True)
class Counted(ABC):
    """A number of a network as printed, against the count: subclasses count.

    Attributes
    ----------
    stated : float
        As printed.
    """

    stated: float = DIMENSION

    @property
    @abstractmethod
    def counted(self) -> int:
        """What there is."""

    def printed(self) -> Enclosed:
        """No difference."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """Of the two numbers."""
        return Enclosed(value=abs(self.counted - self.stated))

    def proved_ratio(self) -> Enclosed | None:
        """Whole numbers are exact."""
        return Enclosed(value=math.inf, proved=True) if self.counted != self.stated else None


@dataclass(frozen=True, kw_only=True)
class DenseCount(Counted):
    """The parameters of a network of dense layers on MNIST.

    Attributes
    ----------
    hidden : float
        Rounded: hidden layers of 256 units.
    biases : bool
        Whether layers have them.
    """

    hidden: float = 2.0
    biases: bool = False

    def __post_init__(self) -> None:
        checked(self, hidden=(1, 20))

    @property
    def counted(self) -> int:
        """By the model itself."""
        widths = "-".join(str(width) for width in (PIXELS, *[WIDTH] * round(self.hidden), CLASSES))
        return find_model(f"mlp:{widths}" + ("" if self.biases else ":no-bias")).dimension(PIXELS)


@dataclass(frozen=True, kw_only=True)
class FlattenedCount(Counted):
    """What two convolutions, each followed by a pool, leave of a CIFAR image.

    Attributes
    ----------
    kernel, padding : float
        Side of the kernels, and of the zeros around the image; rounded.
    pool, stride : float
        Of the max pools; rounded.
    """

    stated: float = FLATTENED
    kernel: float = 3.0
    padding: float = 0.0
    pool: float = 2.0
    stride: float = 2.0

    def __post_init__(self) -> None:
        checked(self, kernel=(1, 7), padding=(0, 3), pool=(1, 4), stride=(1, 4))

    @property
    def counted(self) -> int:
        """Twice: side + 2 padding - kernel + 1, then (side - pool) // stride + 1."""
        side = IMAGE
        for _ in range(2):
            side += 2 * round(self.padding) - round(self.kernel) + 1
            side = (side - round(self.pool)) // round(self.stride) + 1
        return CHANNELS * side * side


def _shown_dense() -> Shown:
    two, with_biases, three = DenseCount(), DenseCount(biases=True), DenseCount(hidden=3.0)
    return Shown(
        numbers=(
            ("printed", two.stated),
            ("two hidden layers, weights", two.counted),
            ("two hidden layers, weights and biases", with_biases.counted),
            ("three hidden layers, weights", three.counted),
        ),
        holds=three.counted == two.stated != two.counted,
    )


def _shown_flattened() -> Shown:
    usual, padded = FlattenedCount(), FlattenedCount(padding=1.0)
    wide, large = FlattenedCount(pool=3.0), FlattenedCount(kernel=5.0)
    return Shown(
        numbers=(
            ("printed", usual.stated),
            ("3 x 3 kernels, pools of 2", usual.counted),
            ("the same with padding", padded.counted),
            ("3 x 3 kernels, pools of 3 with stride 2", wide.counted),
            ("5 x 5 kernels, pools of 2", large.counted),
        ),
        holds=usual.counted != usual.stated == wide.counted == large.counted,
    )


def register(registry: Registry) -> None:
    """Offer the subjects and the claims, with what breaks."""
    registry.mechanisms.add("count-dense-parameters", DenseCount)
    registry.mechanisms.add("count-flattened", FlattenedCount)
    claim = Claim(
        id="AD-SIZE",
        guarantee=UpperBound(quantity="difference"),
        relation="numbers",
        subject="count-dense-parameters",
        source=Source(paper="ADADP", locus="Datasets and test architectures"),
        statement="Two hidden layers of 256 units on MNIST make 334,336 parameters.",
        readings=(
            Reading(key="weights", text="weights alone", parameters={"hidden": 2.0, "biases": False}),
            Reading(key="biases", text="weights and biases", parameters={"hidden": 2.0, "biases": True}),
        ),
    )
    registry.add_claim(claim)
    paper, locus = repaired("ADADP Datasets and test architectures")
    mended = Source(paper=paper, locus=locus)
    registry.add_claim(
        replace(
            claim,
            id="AD-SIZE-R",
            parameters={"hidden": 3.0, "biases": False},
            source=mended,
            statement="Three hidden layers of 256 units on MNIST have 334,336 weights.",
            readings=(),
        )
    )
    registry.add_claim(
        replace(
            claim,
            id="AD-SIZE-CIFAR",
            subject="count-flattened",
            statement="Two convolutions of 3 x 3 with stride 1, each with a max pool, leave 1600 numbers of an image.",
            readings=(
                Reading(key="pool2", text="pools of 2 x 2", parameters={"pool": 2.0, "stride": 2.0}),
                Reading(key="pool3", text="pools of 3 x 3 with stride 2", parameters={"pool": 3.0, "stride": 2.0}),
            ),
        )
    )
    registry.add_claim(
        replace(
            claim,
            id="AD-SIZE-CIFAR-R",
            subject="count-flattened",
            parameters={"pool": 3.0, "stride": 2.0},
            source=mended,
            statement="Two convolutions of 3 x 3 with stride 1, each with a max pool of 3 x 3 and stride 2, leave 1600 "
            "numbers of an image.",
            readings=(),
        )
    )
    dense = (
        "The printed number is the count of weights of three hidden layers, without biases.",
        "The network that was run is not the one described; 2 T / d, from which tol is chosen, has the larger d.",
        "Count the parameters of the network that is built.",
        _shown_dense,
    )
    pools = (
        "3 x 3 kernels and pools of 2 x 2 leave 6 x 6 places a channel (8 x 8 with padding), not 5 x 5.",
        "The text does not print the pools' side, and the usual one does not fit. Pools of 3 x 3 with stride 2 do, and "
        "leave all that is printed as it is; so would kernels of 5 x 5, against the print.",
        "Take pools of 3 x 3 with stride 2; print sides, strides and padding of both kinds of layer.",
        _shown_flattened,
    )
    for name, (breaks, means, instead, shown) in (
        ("AD-SIZE.weights", dense),
        ("AD-SIZE.biases", dense),
        ("AD-SIZE-CIFAR.pool2", pools),
    ):
        registry.remarks.add(name, Remark(claim=name, breaks=breaks, means=means, instead=instead, shown=shown))
