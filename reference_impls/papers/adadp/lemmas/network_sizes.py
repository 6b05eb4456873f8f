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
from dataclasses import dataclass
from typing import Annotated

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from reference_impls.models.model import find_model
from reference_impls.papers.adadp.lemmas.step_size_at_rest import DIMENSION

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
        """The number that the described network has."""

    def printed(self) -> Enclosed:
        """No difference is allowed."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """Of the two numbers."""
        return Enclosed(value=abs(self.counted - self.stated))

    def proved_ratio(self) -> Enclosed | None:
        """Whole numbers are exact."""
        return Enclosed(value=math.inf, proved=True) if self.counted != self.stated else None


@dataclass(frozen=True, kw_only=True)
class DenseCount(Checked, Counted):
    """The parameters of a network of dense layers on MNIST.

    Attributes
    ----------
    hidden : float
        Rounded: hidden layers of 256 units.
    biases : bool
        Whether layers have them.
    """

    hidden: Annotated[float, Between(1, 20)] = 2.0
    biases: bool = False

    @property
    def counted(self) -> int:
        """By the model itself."""
        widths = "-".join(str(width) for width in (PIXELS, *[WIDTH] * round(self.hidden), CLASSES))
        return find_model(f"mlp:{widths}" + ("" if self.biases else ":no-bias")).dimension(PIXELS)


@dataclass(frozen=True, kw_only=True)
class FlattenedCount(Checked, Counted):
    """What two convolutions, each followed by a pool, leave of a CIFAR image.

    Attributes
    ----------
    kernel, padding : float
        Side of the kernels, and of the zeros around the image; rounded.
    pool, stride : float
        Of the max pools; rounded.
    """

    stated: float = FLATTENED
    kernel: Annotated[float, Between(1, 7)] = 3.0
    padding: Annotated[float, Between(0, 3)] = 0.0
    pool: Annotated[float, Between(1, 4)] = 2.0
    stride: Annotated[float, Between(1, 4)] = 2.0

    @property
    def counted(self) -> int:
        """Twice: side + 2 padding - kernel + 1, then (side - pool) // stride + 1."""
        side = IMAGE
        for _ in range(2):
            side += 2 * round(self.padding) - round(self.kernel) + 1
            side = (side - round(self.pool)) // round(self.stride) + 1
        return CHANNELS * side * side


def shown_dense() -> Shown:
    """The numbers shown beside the remarks on AD-SIZE.weights and AD-SIZE.biases."""
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


def shown_flattened() -> Shown:
    """The numbers shown beside the remark on AD-SIZE-CIFAR.pool2."""
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
