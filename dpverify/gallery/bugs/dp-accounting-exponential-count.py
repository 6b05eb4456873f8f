"""Written anew: the exponential mechanism's event of dp_accounting, on the accountant of release 0.6.0."""

import attr
import numpy as np
from dp_accounting import dp_event
from dp_accounting.rdp import RdpAccountant

EPSILON, COUNT, DELTA = 1.0, 100, 1e-5


@attr.s(frozen=True, slots=True, auto_attribs=True)
class ExponentialMechanismDpEvent(dp_event.DpEvent):
    """An exponential mechanism, whose privacy loss has a range of epsilon."""

    epsilon: float


class CountForgotten(RdpAccountant):
    """The commit adds the divergence once, whatever the count."""

    def _maybe_compose(self, event, count, do_compose):
        if not isinstance(event, ExponentialMechanismDpEvent):
            return super()._maybe_compose(event, count, do_compose)
        if do_compose:
            eps = event.epsilon
            xi = eps / np.expm1(eps) - 1 - np.log(eps / np.expm1(eps)) - eps**2 / 8
            self._rdp += np.minimum(xi + (eps**2 / 8) * self._orders, eps)
        return None


def claimed():
    """Epsilon of the count, and a composition that the event covers."""
    accountant = CountForgotten().compose(ExponentialMechanismDpEvent(EPSILON), COUNT)
    return {
        "composition": f"randomised-response(epsilon={EPSILON / 2})*{COUNT}",
        "delta": DELTA,
        "epsilon": float(accountant.get_epsilon(DELTA)),
    }
