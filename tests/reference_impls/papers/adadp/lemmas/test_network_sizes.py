"""AD-SIZE: parameters and image sides counted by hand."""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from reference_impls.papers.adadp.lemmas.network_sizes import Counted, DenseCount, FlattenedCount


def test_networks_are_counted(examined) -> None:
    assert DenseCount().counted == 784 * 256 + 256 * 256 + 256 * 10
    assert DenseCount(biases=True).counted == DenseCount().counted + 256 + 256 + 10
    assert DenseCount(hidden=3.0).counted == DenseCount().stated
    assert FlattenedCount().counted == 64 * 6 * 6
    assert FlattenedCount(padding=1.0).counted == 64 * 8 * 8
    assert FlattenedCount(pool=3.0).counted == FlattenedCount(kernel=5.0).counted == 64 * 5 * 5
    assert judge(examined("AD-SIZE-R", stated=334_335.0)) is Status.REFUTED
    assert judge(examined("AD-SIZE-CIFAR-R")) is Status.NOT_REFUTED
    assert judge(examined("AD-SIZE-CIFAR-R", pool=2.0)) is Status.REFUTED  # with all that is printed kept


def test_the_repaired_image_network_changes_nothing_that_is_printed() -> None:
    printed = FlattenedCount()
    mended = FlattenedCount(**registry().entries.get("AD-SIZE-CIFAR-R").claim.parameters)
    assert (mended.kernel, mended.padding, mended.stated) == (printed.kernel, printed.padding, printed.stated)


def test_the_base_alone_is_nothing() -> None:
    with pytest.raises(TypeError, match="counted"):
        Counted()  # type: ignore[abstract]  # wrong on purpose
