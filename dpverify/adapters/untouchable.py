"""A data set that notices when it is looked at: what tells a mechanism that ignores its data from one that does not.

Any use counts: an attribute, a length, an item, arithmetic, a comparison, a conversion. Passing it on does not.
"""

from __future__ import annotations

from typing import Any, NoReturn

_SPECIAL = (
    "len iter next getitem setitem delitem contains reversed call bool int float complex index str repr format bytes "
    "hash eq ne lt le gt ge add radd iadd sub rsub isub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow "
    "rpow matmul rmatmul and rand or ror xor rxor lshift rshift neg pos abs invert round array array_ufunc copy "
    "deepcopy enter exit reduce reduce_ex"
)
"""Methods that Python looks up on the type."""


class TouchedError(Exception):
    """What every use raises."""


class Untouchable:
    """One data set that nobody may look at.

    Attributes
    ----------
    uses : list
        Holds one item for each use; ask for it by ``object.__getattribute__`` (`was_touched`).
    """

    __slots__ = ("uses",)

    def __init__(self) -> None:
        object.__setattr__(self, "uses", [])

    def __getattribute__(self, name: str) -> NoReturn:
        _touch(self)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        _touch(self)


def was_touched(data: Untouchable) -> bool:
    """Whether anybody looked."""
    return bool(object.__getattribute__(data, "uses"))


def _touch(data: Untouchable, *_given: Any, **_words: Any) -> NoReturn:
    object.__getattribute__(data, "uses").append(True)
    raise TouchedError("the data was looked at")


for _name in _SPECIAL.split():
    setattr(Untouchable, f"__{_name}__", _touch)
