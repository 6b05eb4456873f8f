"""diffprivlib (IBM) as a subject: every mechanism, every tool and every model with an epsilon.

The claim is the epsilon and delta that the object was made with, or the function was called with. Mechanisms name
their sensitivity, so their neighbours are values that far apart. Tools and models take data sets, and the library
nowhere says which data sets are neighbours: each is audited under both relations, add-remove and replace, as two
readings of one claim, which is refuted where both are.
"""

from __future__ import annotations

import functools
import warnings

from dpverify.adapters.libraries.offered import Library, Offers, Profile
from dpverify.core.registry import Registry


class Diffprivlib(Library):
    """See `Library`."""

    name = "diffprivlib"
    package = "diffprivlib"
    module = "diffprivlib"
    extra = "diffprivlib"
    recorded = (
        "recorded where it is drawn from a random_state that is seeded by the audit's generator; confirmed with the "
        "library's default, the operating system's generator"
    )

    def offers(self, profile: Profile) -> Offers:
        """Mechanisms, tools and models."""
        return _offers(profile)


@functools.cache
def _offers(profile: Profile) -> Offers:
    from dpverify.adapters.libraries.diffprivlib.mechanisms import mechanisms
    from dpverify.adapters.libraries.diffprivlib.models import models
    from dpverify.adapters.libraries.diffprivlib.tools import tools

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [walk(quick=profile == "quick") for walk in (mechanisms, tools, models)]
    return Offers(
        claims=tuple(each for part in parts for each in part.claims),
        not_examined=tuple(each for part in parts for each in part.not_examined),
        constructors=tuple(each for part in parts for each in part.constructors),
        aside=tuple(each for part in parts for each in part.aside),
    )


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("diffprivlib", Diffprivlib())
