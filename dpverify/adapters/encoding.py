"""Encodes a callable's outputs as rows of finite float64 of one width; outputs are encoded completely, or refused.

Numbers are kept. Labels (strings) get codes that depend on the label alone, after a first look at the outputs. `Layout`
arranges the other parts of an output: a change of type, key or length is part of the output, and so is a NaN. Nothing
is rounded: a number that does not fit into a double takes two (see `scalars`).

Assumption: an observer sees the parts of an output, not its identity or memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.copies import cut_text, short_repr
from dpverify.adapters.output_columns import ROWS, Column, columns_of, with_row_names
from dpverify.adapters.output_structure import Form, Part, form_of, parts_of, refusal
from dpverify.adapters.row_layout import Layout, Looked
from dpverify.adapters.unpacked_arrays import is_view, numbers, unmasked
from dpverify.adapters.unpacked_value import (
    MOST_NUMBERS,
    Atoms,
    CannotReadError,
    TooManyError,
    number_kind,
    stable_hash,
)
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

INFINITY, NAN = 2.0**200, -(2.0**201)
"""Codes of infinities (with their sign) and NaN, in a natural order.

They are larger than usual outputs, and small enough that fourth powers do not overflow. A NaN with other bits than the
usual ones (its payload, its sign) is another output: its number lies between 2 NAN and NAN.
"""

USUAL_NAN = np.float64(np.nan).view(np.uint64)

MOST_LABELS, FEW_LABELS, FEWEST_LOOKED_AT = 256, 64, 32
"""Fewest outputs of a first look, and most labels with codes in order of appearance; other labels have hashes.

A code must depend on the label alone, since a code by time of appearance would drift. Without a first look, the first
labels have codes.
"""

MOST_SEEN = 10**6
"""Most hashes that are counted; further ones count as seen before."""


class Encoder:
    """Turns the outputs of the callable `name` into rows of numbers.

    Attributes
    ----------
    labels : dict
        Codes given to the first labels, in the order in which they were first seen.
    layout : Layout or None
        The layout of outputs; None until it is decided.
    many_labels, odd, payloads, views : bool
        Whether there were more labels than codes, a NaN or an infinity, a NaN of unusual bits, an array that is a view
        of more numbers.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.labels: dict[Any, int] = {}
        self.layout: Layout | None = None
        self.many_labels = self.odd = self.payloads = self.views = False
        self._looked: dict[Looked, None] = {}
        self._named: dict[tuple[Form, str], tuple[Any, ...]] = {}
        self._glimpsed: dict[Any, None] = {}
        self._outputs_looked_at = 0
        self._frozen = self._hashing = False
        self._seen: Counter[float] = Counter()
        self._rows = 0

    def look(self, parts: Sequence[Part]) -> None:
        """Note one output's form, for `settle`."""
        self._looked[form_of(list(parts)), tuple(len(part.atoms) for part in parts)] = None
        self._note_rows(parts)
        self._outputs_looked_at += 1
        for part in parts:
            self._glimpse(part.atoms)

    def _note_rows(self, parts: Sequence[Part]) -> None:
        """Note the names of a table's rows, where all tables of one form have the same."""
        for part in parts:
            if part.place.endswith(ROWS):
                key, said = (form_of(list(parts)), part.place), tuple(part.atoms)
                if self._named.setdefault(key, said) != said:
                    self._named[key] = ()

    def settle(self) -> None:
        """Decide the layout by the forms seen so far, if possible on both data sets."""
        if self.layout is None:
            self.layout = Layout(list(self._looked))
            self._frozen = self._outputs_looked_at >= FEWEST_LOOKED_AT
            self._hashing = self.many_labels = len(self._glimpsed) > FEW_LABELS
            if self._frozen and not self._hashing:
                self.labels.update({label: code for code, label in enumerate(self._glimpsed)})

    def _glimpse(self, atoms: Atoms) -> None:
        """Count the labels that the first look finds."""
        if not isinstance(atoms, np.ndarray) and len(self._glimpsed) <= FEW_LABELS:
            self._glimpsed.update(dict.fromkeys(each for each in atoms if not isinstance(each, float)))

    def look_at(self, output: Any, size: int | None = None) -> None:
        """`look` at one output, or at a batch of `size` outputs."""
        if size is None:
            self.look(self.parts(output))
            return
        found = self.items(output, size, coded=False)
        if isinstance(found, Part):
            self._looked[form_of([found]), (np.shape(found.atoms)[1],)] = None
            self._outputs_looked_at += size
            return
        for parts in found:
            self.look(parts)

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return self.layout.width if self.layout is not None else 1

    @property
    def nothing(self) -> str:
        """A description of the output, if no output had any number or label; else ""."""
        only = self.layout.only if self.layout is not None and self.layout.empty else None
        return _words(only) if only is not None else ""

    @property
    def forms(self) -> dict[str, str]:
        """Descriptions of the forms, by code; empty if there is only one."""
        known = self.layout.forms if self.layout is not None else {}
        shared = set.intersection(*map(set, known)) if known else set()
        return {f"{code:g}": _words([part for part in form if part not in shared]) for form, code in known.items()}

    def columns(self, errors: dict[str, int] | None = None) -> tuple[Column, ...]:
        """What each number of a row stands for; with `errors` where exceptions are outputs."""
        found = columns_of(self.layout, labels=self.labels, forms=self.forms, errors=errors, hashed=self.many_labels)
        known = {} if self.layout is None else self.layout.forms
        return with_row_names(found, self._named, {code: form for form, code in known.items()})

    def notes(self) -> tuple[str, ...]:
        """Notes on outputs that are not just numbers, one line each."""
        layout, notes = self.layout, []
        if layout is not None and layout.forms:
            told = "; ".join(f"{code}: {words}" for code, words in list(self.forms.items())[:3])
            more = f"; and {len(layout.forms) - 3} more" if len(layout.forms) > 3 else ""
            notes.append(f"outputs differ in type, keys or length, which is an output too, coded as {told}{more}")
        if layout is not None and layout.strange:
            notes.append(
                "outputs have a type, keys or length that the first calls did not have: an event can distinguish them, "
                "but not by the size of their numbers; return outputs of one form to have the numbers compared"
            )
        if layout is not None and layout.hashed:
            notes.append(
                f"outputs have parts beyond the {layout.width} numbers that are compared by size: an event can "
                "use whether the others are equal, but not how near they are; return fewer numbers to have all compared"
            )
        if self.odd:
            notes.append(
                f"NaN is encoded as {NAN:.3g}, infinities as {INFINITY:.3g} and {-INFINITY:.3g}: they are outputs too"
            )
        if self.payloads:
            notes.append("NaNs with different bits (sign or payload) occurred, and count as different outputs")
        if self.views:
            notes.append(
                "an output is a view of memory that holds more (its .base, say), which leaves with it as an object: "
                "only the output's own values were audited; return a copy, np.array(...)"
            )
        if self.many_labels:
            most = FEW_LABELS if self._hashing else MOST_LABELS
            notes.append(
                f"more than {most} different labels occurred: an event can distinguish them, but not compare them by "
                "size; return numbers as numbers to have them compared"
            )
        return tuple(notes)

    def forget(self, known: dict[Any, int]) -> None:
        """Remove the codes of labels that are not `known`."""
        self.many_labels = self._hashing
        for label in [label for label in self.labels if label not in known]:
            del self.labels[label]

    def parts(self, output: Any) -> list[Part]:
        """An output's parts; InputError where it cannot be read whole."""
        found = parts_of(output, self._name)
        self.views = self.views or (self._rows < FEW_LABELS and is_view(output))
        return found

    def one(self, output: Any) -> Float:
        """One output, shape () or (k,)."""
        form = _NUMBERS.get(type(output))
        if form and self.layout is not None and self.layout.only == form and -_EXACT <= output <= _EXACT:
            self._rows += 1
            return np.asarray(output, dtype=np.float64)  # the fast path for most mechanisms
        return self.row(self.parts(output))

    def row(self, parts: Sequence[Part]) -> Float:
        """The row of one output's parts, shape () or (k,)."""
        if self.layout is None:
            self.look(parts)
            self.settle()
        assert self.layout is not None
        self._note_rows(parts)
        coded = [part._replace(atoms=self._coded(part.atoms)[None, :]) for part in parts]
        row: Float = self.layout.rows(coded, 1)[0]
        self._rows += 1
        self._seen.update(self.layout.told_by_hash)
        return row.reshape(()) if self.layout.scalar else row

    def batch(self, output: Any, size: int) -> Float:
        """A batch of `size` outputs, shape (size,) or (size, k)."""
        items = self.items(output, size)
        if isinstance(items, list):
            if self.layout is None:
                for parts in items:
                    self.look(parts)
                self.settle()
            return np.array([self.row(parts) for parts in items], dtype=np.float64)
        if self.layout is None:
            self.look_at(output, size)
            self.settle()
        assert self.layout is not None
        rows: Float = self.layout.rows([items], size)
        self._rows += size
        self._seen.update(self.layout.told_by_hash)
        return rows.reshape(-1) if self.layout.scalar else rows

    def items(self, output: Any, size: int, *, coded: bool = True) -> list[list[Part]] | Part:
        """A batch's outputs: one part for all of them, atoms of shape (size, k), or each one's parts.

        If the numbers are not used (`coded` is False), labels get no codes.
        """
        try:
            array = _as_array(output)
            if array is not None and array.size > MOST_NUMBERS * max(1, size):
                raise TooManyError(array.size // max(1, size))
        except CannotReadError as problem:
            raise refusal(output, self._name, problem) from None
        self.views = self.views or (array is not None and is_view(output))
        found = array if array is not None else output
        if not isinstance(found, np.ndarray | list | tuple) or len(found) != size:
            shape = f" of shape {array.shape} and type {array.dtype}" if array is not None else ""
            what = f"{short_repr(output)}{shape or f' ({type(output).__name__})'}"
            raise InputError(
                f"{self._name} returned {what} for size={size}",
                allowed=f"an array or a list of {size} outputs",
                remedy="pass call='scalar' if it makes one output a call",
            )
        if array is not None and array.dtype.kind in "biufUS":
            with_form = self._uniform(array, size, coded)
            if with_form is not None:
                return with_form
        return [self.parts(item) if array is None else parts_of(item, self._name) for item in found]

    def _uniform(self, array: NDArray[Any], size: int, coded: bool) -> Part | None:
        """Read all outputs at once, where their type implies a common form."""
        try:
            kind, found = numbers(array)
        except CannotReadError as problem:
            raise refusal(array, self._name, problem) from None
        if " between " in kind:
            return None
        if array.ndim > 1:
            inner = array.shape[1:] if array.ndim > 2 else array.shape[1]
            kind = f"ndarray of {inner} ({kind})" if array[0].size else f"ndarray of {inner}"
        if not coded:
            self._glimpse(found)
        return Part("", kind, (self._coded(found) if coded else np.zeros(len(found))).reshape(size, -1))

    def _coded(self, atoms: Atoms) -> Float:
        """Floats unchanged; NaN, infinities and labels as their codes."""
        if not isinstance(atoms, np.ndarray):
            atoms = np.array([each if isinstance(each, float) else self._code(each) for each in atoms])
        found = np.asarray(atoms, dtype=np.float64)
        if not np.isfinite(found).all():
            self.odd = True
            missing = np.isnan(found)
            bits = found[missing].view(np.uint64)
            found = np.nan_to_num(found, nan=NAN, posinf=INFINITY, neginf=-INFINITY)
            if (bits != USUAL_NAN).any():
                self.payloads = True
                parts = [0.0 if each == USUAL_NAN else (1 + stable_hash([each])) * 2.0**-49 for each in bits.tolist()]
                found[missing] = NAN * (1.0 + np.array(parts))
        return found

    def _code(self, label: Any) -> float:
        code = self.labels.get(label)
        if code is not None:
            if code >= MOST_LABELS:
                self._seen[float(code)] += 1
            return float(code)
        room = len(self.labels) < MOST_LABELS
        self.many_labels |= not room
        hashed = self._hashing or self._frozen or not room
        code = MOST_LABELS + stable_hash([label]) if hashed else len(self.labels)
        if room:
            self.labels[label] = code
        if hashed and len(self._seen) < MOST_SEEN:
            self._seen[float(code)] += 1
        return float(code)

    @property
    def blind(self) -> float:
        """The fraction of outputs so far with a part that no event can compare: one with a hash that occurred once."""
        return min(1.0, sum(count == 1 for count in self._seen.values()) / max(self._rows, 1))


def decoded(row: Float) -> Float:
    """A row with NaN and infinities instead of their codes."""
    back = np.array(row, dtype=np.float64)
    back[(back <= NAN) & (back > 2.0 * NAN)] = math.nan
    for code, value in ((INFINITY, math.inf), (-INFINITY, -math.inf)):
        back[back == code] = value
    return back


def _words(parts: Sequence[tuple[str, str]]) -> str:
    """A short description of a form."""
    return cut_text(", ".join(f"{place} {kind}" if place else kind for place, kind in parts)) or "nothing more"


_NUMBERS: dict[type, Form] = {
    each: (("", str(number_kind(each(0)))),) for each in (float, np.float64, int, np.int32, np.int64, bool, np.bool_)
}
"""Types of single numbers, with their form; any other type is looked at more closely."""

_EXACT = 2.0**53
"""Up to here each integer is a double."""


def _as_array(output: Any) -> NDArray[Any] | None:
    """A batch as an array, if it is one, or a list of floats or of arrays of one form; else None."""
    if isinstance(output, np.ndarray):
        return unmasked(output)
    if not isinstance(output, list | tuple) or not output:
        return None
    kinds = set(map(type, output))
    if kinds <= {float, np.float64}:
        return np.array(output)
    if kinds == {np.ndarray} and len({(each.shape, each.dtype) for each in output}) == 1:
        return np.stack(output) if output[0].dtype.kind == "f" and output[0].ndim else None
    return None
