"""What one training costs by the sound accountants: the best upper bound on epsilon, and the best lower one.

Accountants with side ``printed`` repeat a paper's formula and are not asked. Where privacy losses are known and there
is no closed form, their exact composition tells best; else the least of all bounds is taken.
"""

from __future__ import annotations

from functools import lru_cache

from dpverify.core.composition import Accountant, Composed, Composition
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.plugins import registry
from dpverify.utility.calibration_family import Cost
from dpverify.utility.one_sided import ROUGH, lower_epsilon, thinned, upper_epsilon

NEVER_BELOW_RDP = ("rdp-classic", "moments")
"""Accountants that convert the same curves less well."""


def least_upper(costs: tuple[Cost, ...], delta: float, rough: float = 0.0) -> tuple[float, str]:
    """The least upper end of these bounds at `delta`, and whose it is; where `rough` > 0 about that, and no bound."""
    return min(upper(cost, delta, rough) for cost in costs)


def upper(cost: Cost, delta: float, rough: float = 0.0) -> tuple[float, str]:
    """The best upper bound of one cost at `delta`, nats, and whose it is; where `rough` > 0 about that, no bound."""
    if not isinstance(cost, Composition):
        found = cost.epsilon(delta)
        return found.upper, "closed form" if not found.note else f"closed form ({found.note})"
    return _best_account(cost, delta, rough)


@lru_cache(maxsize=256)
def _best_account(composition: Composition, delta: float, rough: float) -> tuple[float, str]:
    if _by_losses(composition) and rough:
        return upper_epsilon(thinned(composition), delta, excess=ROUGH, least=rough), "pld"
    if _by_losses(composition):
        return upper_epsilon(composition, delta), "pld"
    return min((one.epsilon(delta).upper, name) for name, one in _accounts(composition))


def greatest_lower(cost: Cost, delta: float) -> float:
    """The best lower bound of one cost at `delta`, nats."""
    if not isinstance(cost, Composition):
        return cost.epsilon(delta).lower
    if _by_losses(cost):
        return lower_epsilon(cost, delta)
    return max(one.epsilon(delta).lower for _, one in _accounts(cost))


def _sound() -> dict[str, Accountant]:
    return {name: one for name, one in registry().accountants.items() if one.side != "printed"}


def _by_losses(composition: Composition) -> bool:
    """Tell whether privacy losses tell best: they are known, and there is no closed form."""
    exact, oracle = _sound().get("gdp"), _sound().get("pld")
    if exact is not None and exact.refuses(composition) is None:
        return False
    return oracle is not None and oracle.refuses(composition) is None


def _accounts(composition: Composition) -> list[tuple[str, Composed]]:
    """The composition's cost by the sound accountants; by an exact one alone where there is one."""
    sound = _sound()
    exact = sound.get("gdp")
    if exact is not None and exact.refuses(composition) is None:
        return [("gdp", exact.compose(composition))]
    found = [(name, one) for name, one in sound.items() if _applies(one, composition)]
    if any(name == "rdp" for name, _ in found):
        found = [(name, one) for name, one in found if name not in NEVER_BELOW_RDP]
    if not found:
        raise InputError(f"a composition that no sound accountant takes: {composition}", allowed="known steps")
    return [(name, one.compose(composition)) for name, one in found]


def _applies(accountant: Accountant, composition: Composition) -> bool:
    try:
        return accountant.side != "lower" and accountant.refuses(composition) is None
    except DpverifyError:
        return False
