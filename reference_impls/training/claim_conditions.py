"""The number of records that a claim is asked for: one clear line where none can be made for so many.

Not to be confused with the hyper-parameters of :mod:`reference_impls.training.settings`, checked when an algorithm is
built, nor with tables, which :func:`~reference_impls.training.trainer.table_for` checks.
"""

from __future__ import annotations

from numbers import Integral

from dpverify.core.errors import InputError


def need_records(algorithm: object, rows: object, *, least: int = 1, why: str = "") -> None:
    """`rows` is a whole number, NumPy's too, of at least `least`.

    Parameters
    ----------
    why : str
        What asks for more than one, for the message.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(rows, bool) or not isinstance(rows, Integral) or rows < least:
        raise InputError(
            f"{type(algorithm).__name__}: a claim for {rows!r} records",
            allowed=f"a whole number >= {least}" + (f" ({why})" if why else ""),
        )
