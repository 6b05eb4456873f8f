"""Which family prices an algorithm: its class's own, or what is registered for a class of its package."""

from __future__ import annotations

from typing import cast

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.utility.calibration_family import Family, NoPrivacy


def family_of(algorithm: object) -> Family:
    """Return the family by which an algorithm is calibrated.

    Raises
    ------
    InputError
        For one that has no privacy, and for a class that nobody has said it of.
    """
    found = found_family(type(algorithm))
    if isinstance(found, NoPrivacy):
        raise cannot(algorithm, found.reason)
    if found is None:
        raise InputError(
            f"{type(algorithm).__name__} cannot be calibrated: nobody has said what it costs",
            allowed="a class that has a family, or one of its own package",
            remedy="give the class an attribute `family` (dpverify.utility.calibration_family); where a run costs what "
            "its base's does, that is family_of(base)",
        )
    return found


def found_family(kind: type) -> Family | NoPrivacy | None:
    """Return a class's own attribute `family`, or what is registered for it or the nearest of its bases.

    A registered family prices classes of its own package only: another's class of the same name, or one that is derived
    from ours, may do anything. None where nothing is known.
    """
    known = registry().calibrations
    for base in kind.__mro__:
        own = base.__dict__.get("family")
        if isinstance(own, Family | NoPrivacy):
            return own
        if base.__name__ in known:
            found = cast("Family | NoPrivacy", known.get(base.__name__))
            alike = len({_package(each) for each in (kind, base, type(found))}) == 1
            return found if alike or isinstance(found, NoPrivacy) else None
    return None


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def cannot(algorithm: object, reason: str) -> InputError:
    """The error that says why an algorithm has no price."""
    return InputError(f"{type(algorithm).__name__}: {reason}", allowed="an algorithm whose privacy is known")
