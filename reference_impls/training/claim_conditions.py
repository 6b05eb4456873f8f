"""What an algorithm's claims need: a number of records, and at least the published noise.

Not to be confused with the settings of an algorithm, which their annotations check when it is built, nor with tables,
which :func:`~reference_impls.training.trainer.table_for` checks.
"""

from __future__ import annotations

from numbers import Integral

from dpverify.core.errors import InputError


def need_records(algorithm: object, rows: object, *, least: int = 1, why: str = "") -> None:
    """InputError unless `rows`, the number of records that a claim is for, is a whole number >= `least`.

    Parameters
    ----------
    rows : object
        Python's or NumPy's whole number.
    why : str
        Why more than one record is needed, for the message.
    """
    if isinstance(rows, bool) or not isinstance(rows, Integral) or rows < least:
        raise InputError(
            f"{type(algorithm).__name__}: a claim for {rows!r} records",
            allowed=f"a whole number >= {least}" + (f" ({why})" if why else ""),
        )


def need_whole_noise(algorithm: object) -> None:
    """InputError unless `noise_multiplier` is at least 1: the claim was made for the published noise."""
    value = getattr(algorithm, "noise_multiplier")  # noqa: B009  # of any algorithm that has one
    if not value >= 1:
        raise InputError(
            f"{type(algorithm).__name__}: a claim for noise_multiplier = {value}",
            allowed="at least 1, the noise that the claim was made for",
        )
