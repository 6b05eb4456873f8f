"""OpenDP as a subject: every measurement constructor and combinator of the installed version, over a grid.

The claim is the library's own: ``measurement.map(d_in)`` in ``measurement.output_measure``. Constructors are found by
walking ``opendp.measurements`` and ``opendp.combinators``, and transformations are followed by noise. What fits with
what is decided by OpenDP, which refuses the rest (`grid.py`).
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

from dpverify.adapters.libraries.offered import Library, Offers, Profile
from dpverify.core.registry import Registry

FEATURES = ("contrib", "honest-but-curious", "idealized-numerics")
"""What has to be enabled for all constructors to be there."""


class OpenDP(Library):
    """See `Library`."""

    name = "opendp"
    package = "opendp"
    module = "opendp"
    extra = "opendp"
    recorded = "not recorded: the noise is drawn in Rust, from the operating system, and can be neither seen nor seeded"
    reports: ClassVar[Mapping[str, str]] = {
        "make_*_threshold:*": "opendp/opendp#2922 (18 September 2026, open): a key is released at the threshold, and "
        "the delta counts what lies above it"
    }

    def offers(self, profile: Profile) -> Offers:
        """Every constructor over the grid."""
        return _offers(profile)


def prelude() -> Any:
    """``opendp.prelude``, with its features enabled.

    Backtraces of Rust are switched off in this process: they make each refused point of the grid take 0.2 s, not 1 ms.
    """
    os.environ["RUST_BACKTRACE"] = "0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import opendp.prelude as dp

        dp.enable_features(*FEATURES)
    return dp


@functools.cache
def _offers(profile: Profile) -> Offers:
    from dpverify.adapters.libraries.opendp.walk import walk

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # OpenDP says which of its constructors are deprecated; they are walked, too
        return walk(prelude(), quick=profile == "quick")


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("opendp", OpenDP())
