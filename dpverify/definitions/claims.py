"""Claims and relations as users write them, read the same way by every entry."""

from __future__ import annotations

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.definitions.grammar import parse_guarantee


def guarantee_of(claim: Guarantee | str) -> Guarantee:
    """The guarantee that a claim states; InputError for a text that states none."""
    return parse_guarantee(claim, registry().definitions.mapping()) if isinstance(claim, str) else claim


def privacy_guarantee_of(claim: Guarantee | str) -> PrivacyGuarantee:
    """The privacy guarantee that a claim states; InputError for any other claim."""
    guarantee = guarantee_of(claim)
    if not isinstance(guarantee, PrivacyGuarantee):
        raise InputError(f"claim {guarantee!r}", allowed="a privacy guarantee, such as ApproxDP(epsilon=1, delta=1e-5)")
    return guarantee


def known_relation(name: str) -> str:
    """The name of a neighbour relation; InputError for one that is not known."""
    known = sorted({generator.relation for _, generator in registry().neighbors.items()})
    if name not in known:
        raise InputError(f"relation {name!r}", allowed=", ".join(known))
    return name
