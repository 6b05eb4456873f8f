"""Multi-layer perceptrons by text: ``mlp:784-1000-10``, any widths, softmax cross-entropy.

The first number is the columns of the table, the last the classes, those between are hidden widths; ReLU unless the
text says ``:tanh`` or ``:sigmoid``. Each dense layer has biases of its own (a column of ones is not needed) unless it
says ``:no-bias``.

The papers': BLSGD, section V-G, ``mlp:784-1000-10`` on MNIST and ``mlp:784-256-256-10`` on Fashion-MNIST. ADADP
("Datasets and test architectures") names two hidden layers of 256 units on MNIST and 334,336 parameters, but that
network has 268,800 weights and 522 biases; three hidden layers of 256 have 334,336 weights.

Not to be confused with the scoring network of PrivBR, which has one output, and a bias at its input alone.
"""

from __future__ import annotations

from itertools import pairwise

from dpverify.core.errors import InputError
from reference_impls.models.network import Network
from reference_impls.models.network_layers import ACTIVATIONS, Activation, Dense, Layer

TEXTS = "mlp:784-1000-10[:tanh|:sigmoid][:no-bias]"


def build(text: str) -> Network | None:
    """The network that ``mlp:...`` names; None for other texts, InputError for an ``mlp:`` that cannot be read."""
    kind, *parts = text.split(":")
    if kind != "mlp":
        return None
    widths, *options = parts or [""]
    activation = next((option for option in options if option in ACTIVATIONS), ACTIVATIONS[0])
    bias = "no-bias" not in options
    numbers = widths.split("-")
    sizes = [int(number) for number in numbers if number.isdecimal()]
    if (
        not len(sizes) == len(numbers) >= 2
        or 0 in sizes
        or len(options) != len({*options} & {activation, "no-bias"})  # unknown, repeated, or two activations
    ):
        raise InputError(f"model {text!r}", allowed=TEXTS, remedy="write columns, hidden widths and classes, all >= 1")
    return Network(
        name=":".join(
            ["mlp", "-".join(map(str, sizes)), *[activation] * (activation != "relu"), *["no-bias"] * (not bias)]
        ),
        columns=sizes[0],
        classes=sizes[-1],
        activation=activation,
        layers=dense_layers(sizes, activation, bias=bias),
    )


def dense_layers(sizes: list[int], activation: str, *, bias: bool = True) -> tuple[Layer, ...]:
    """Dense layers between consecutive sizes, an activation after each but the last."""
    layers: list[Layer] = []
    for inputs, outputs in pairwise(sizes):
        layers += [Dense(inputs=inputs, outputs=outputs, bias=bias), Activation(kind=activation, held=2 * outputs)]
    return tuple(layers[:-1])
