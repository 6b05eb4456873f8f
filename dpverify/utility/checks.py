"""What is checked of every private arm before its numbers are used: that coins change them, and the test part does not.

*Coins*: on one split, two trainings with other coins must differ; where they do not, the noise is off. *Sealed*: an arm
that is trained on changed labels (each class called the next) and still does better on the test part than the majority
label has seen the test part. Price and relation are looked at where an arm is priced (`dpverify.utility.cell`).

Limits: an algorithm without noise that samples batches has coins, too; what its noise is worth, privacy audits say. An
arm that uses a few test records may pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.datasets.table import Table
from dpverify.utility.experiment import Arm, Design

OTHER_COINS, OTHER_LABELS = 0, 1
"""The two cells of a check, by the slot's choice."""

SLACK = 0.05
"""By how much accuracy may be above the majority's share, for luck."""


def needs_checks(design: Design, arm: Arm) -> bool:
    """Tell whether an arm is checked: it is private and trained, and accuracy is measured."""
    return arm.price in ("one", "own") and not arm.computes and "accuracy" in design.metrics


def relabelled(train: Any) -> Any:
    """The training part with every class called the next; other data sets than tables stay as they are."""
    if not isinstance(train, Table):
        return train
    classes = np.unique(train.labels)
    places = np.searchsorted(classes, train.labels)
    return Table(features=train.features, labels=classes[(places + 1) % classes.size], name=f"{train.name}, relabelled")


def faults(
    arm: Arm, own: Mapping[str, Any], other: Mapping[str, Any], changed: Mapping[str, Any], *, majority: float
) -> list[str]:
    """Lines on what is wrong with an arm; empty where nothing is.

    Parameters
    ----------
    own, other : mapping
        Metrics of two trainings with other coins on one split.
    changed : mapping
        Metrics on the test part after a training with changed labels.
    majority : float
        Share of the most frequent label of the test part.
    """
    found = []
    if all(own[name] == other.get(name) for name in own if name not in ("price", "seconds")):
        found.append(f"{arm.label}: other coins give the same numbers on the same split, so its noise is off")
    accuracy = np.max(np.asarray(changed["accuracy"], dtype=np.float64).ravel()[-1])
    if accuracy > majority + SLACK:
        found.append(
            f"{arm.label}: trained with changed labels it is right on {accuracy:.3g} of the test part, where the "
            f"majority label has {majority:.3g}, so it has seen the test part"
        )
    return found
