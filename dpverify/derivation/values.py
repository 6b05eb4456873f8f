"""What a variable of the code can hold beside plain Python objects, while the code is read.

Each is a value of the proof (`dpverify.proofs.program.Node`) with the form that it has in the code.
Python never computes with them: every operator of theirs stops the derivation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from dpverify.derivation.stop import NotDerivedError
from dpverify.proofs.node import Node


class Lifted:
    """A value that is not known while the code is read."""

    words: ClassVar[str] = "a value that is not known"

    def _stop(self, *_: Any, **__: Any) -> NoReturn:
        raise NotDerivedError(f"{self.described()} meets an operation that has no rule")

    __bool__ = __len__ = __iter__ = __index__ = __int__ = __float__ = _stop
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = _stop
    __ne__ = __contains__ = __getitem__ = __setitem__ = __array__ = __add__ = __radd__ = __mul__ = __rmul__ = _stop
    __hash__ = object.__hash__

    def described(self) -> str:
        """The value in words."""
        return self.words


@dataclass(eq=False)
class Public(Lifted):
    """Released, drawn without regard to the data, or computed from such values. `array`: a numpy array.

    `home`: of a scalar, whose number it is (`dpverify.derivation.homes`); empty where it may be either.
    """

    node: Node
    array: bool = False
    home: str = ""

    words: ClassVar[str] = "a released value"


@dataclass(eq=False)
class OneRecord(Lifted):
    """A value of the generic record in a loop over the data."""

    node: Node
    array: bool = False
    home: str = ""

    words: ClassVar[str] = "a value of one record"


@dataclass(eq=False)
class Fields(Lifted):
    """A record of several fields, by name or place."""

    by_name: Mapping[Any, Node]
    places: bool
    home: str = ""

    words: ClassVar[str] = "a record"


@dataclass(eq=False)
class DataColumn(Lifted):
    """One value for each record, in the order of the data; of those records only for which `mask` holds.

    `home`: of a list, whose numbers its elements are.
    """

    node: Node
    mask: Node | None = None
    array: bool = True
    home: str = ""

    words: ClassVar[str] = "a column of the data"


POSITIONS = "positions"
"""The form of ``range(len(data))``, which is gone through for the records that stand there."""


@dataclass(eq=False)
class Tally(Lifted):
    """``collections.Counter(column)``: how many records have a value, for values that are known."""

    column: DataColumn

    words: ClassVar[str] = "a Counter of records, whose keys are private"


@dataclass(eq=False)
class Position(Lifted):
    """The place of the generic record among all, in a loop over ``range(len(data))``."""

    record: Any

    words: ClassVar[str] = "the place of a record, which is private"


@dataclass(eq=False)
class DataRows(Lifted):
    """The data set, a list of rows (``tuples``, ``dicts``), ``zip`` of its columns (``pairs``: once), or `POSITIONS`.

    Of those records only for which `mask` holds.
    """

    by_name: Mapping[Any, Node]
    form: str
    used: bool = False
    mask: Node | None = None

    words: ClassVar[str] = "the data set"


@dataclass(eq=False)
class DataColumns(Lifted):
    """The data set, a dict of columns (`named`) or a tuple of arrays."""

    by_name: Mapping[Any, DataColumn]
    named: bool

    words: ClassVar[str] = "the data set"


@dataclass(eq=False)
class Private(Lifted):
    """A sum over all records."""

    node: Node
    array: bool = False
    home: str = ""

    words: ClassVar[str] = "a sum over the records without noise"


@dataclass(eq=False)
class NoiseDraw(Lifted):
    """Noise, not yet used."""

    node: Node
    array: bool = False
    home: str = ""

    words: ClassVar[str] = "noise that belongs to no release"


@dataclass(eq=False)
class Generator(Lifted):
    """The random generator."""

    words: ClassVar[str] = "the random generator"


@dataclass(eq=False)
class Size(Lifted):
    """Says how many outputs a batch has: 1 here, and only a size of noise."""

    words: ClassVar[str] = "the size of the batch"


@dataclass(eq=False)
class RunningTotal(Lifted):
    """Keeps what a variable held before this record, plus what the record adds (None: nothing yet).

    `like`: of an array, what it held: its shape and type stay.
    """

    name: Any
    added: Node | None = None
    array: bool = False
    home: str = ""
    like: Node | None = None

    words: ClassVar[str] = "a variable that other records have changed"


@dataclass(eq=False)
class Unusable(Lifted):
    """A value that depends on one record or on the order of records."""

    why: str

    def described(self) -> str:
        """Return the reason."""
        return self.why


@dataclass(eq=False)
class OnceOnly(Lifted):
    """An iterator over known places: it is gone through once, to its end."""

    values: list[Any]
    within: Any
    used: bool = False

    words: ClassVar[str] = "an iterator"


@dataclass(eq=False)
class Half(Lifted):
    """A private value plus the first of two geometric draws."""

    value: Private
    draw: NoiseDraw

    words: ClassVar[str] = "a sum with one-sided noise"


class Cells(list[Any]):
    """A list whose elements are added to in a loop over records."""


class CellMap(dict[Any, Any]):
    """A dict whose values are added to in a loop over records."""


CELLS = (Cells, CellMap)


NEVER_NONE = (
    Public,
    OneRecord,
    Private,
    NoiseDraw,
    DataColumn,
    DataRows,
    DataColumns,
    Generator,
    Size,
    Tally,
    Position,
)
