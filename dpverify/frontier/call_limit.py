"""The time limit of one training, in the words of `dpverify frontier`."""

from __future__ import annotations

from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError


class CallLimit(TimeLimit):
    """A `TimeLimit` of each training alone.

    Parameters
    ----------
    seconds_per_call : float or None
        Limit of one training; None for no limit.
    """

    def __init__(self, seconds_per_call: float | None) -> None:
        super().__init__(per_call=seconds_per_call)

    def too_long(self, name: str) -> InputError:
        """Refuse in the words of this command."""
        return too_long(f"the trainer {name}", self.per_call or 0.0)


def too_long(name: str, seconds: float) -> InputError:
    """The error of a training that ran longer than `seconds`."""
    return InputError(
        f"one call of {name} ran longer than its limit of {seconds:g} s (--max-seconds-per-call)",
        allowed="a trainer that returns in time",
        remedy="correct the loop that does not end, or raise the limit (in Python max_seconds_per_call)",
    )
