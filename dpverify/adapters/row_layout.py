"""The position of each part of an output in a row of numbers; all outputs of a mechanism have one row width.

An audit needs rows of one width. The form of an output (its types, keys and lengths) may depend on the data, so it is
part of the output. The layout is decided by the forms found in a first look on both data sets:

- one form: a row has its numbers. An output of any other form becomes one number below all others, which depends on its
form and values.
- several forms: first the form's code; then, for each place in any form, the code of its kind and its length (where
they vary) and its numbers, with 0 beyond its end; last, one number for all numbers without a column.

Once the layout is decided, a row is a function of its output, so it is post-processing: rows that can be distinguished
belong to outputs that can be distinguished. The converse fails only where `Layout.hashed` or `Layout.strange` is True.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.output_structure import Form, Part, form_of
from dpverify.adapters.unpacked_value import stable_hash
from dpverify.core.subjects import Float

MOST_COLUMNS = 512
"""Most columns for numbers of an output whose form varies; all further numbers share one column."""

STRANGE = -(2.0**202)
"""Outputs of unknown forms are numbers below this one."""

Looked = tuple[Form, tuple[int, ...]]
"""A form, and the number of numbers of each part."""


class Layout:
    """Rows for outputs of the forms `looked`.

    Attributes
    ----------
    forms : dict
        Codes of the known forms; empty if there is only one.
    told_by_hash : list of float
        For the last rows, the numbers for parts without columns.
    strange, hashed : bool
        Whether there were outputs of unknown forms, and numbers without a column.
    """

    def __init__(self, looked: Sequence[Looked]) -> None:
        kinds: dict[str, dict[str, int]] = {}
        width: dict[str, int] = {}
        for form, sizes in looked:
            for (place, kind), size in zip(form, sizes, strict=True):
                known = kinds.setdefault(place, {})
                known.setdefault(kind, len(known) + 1)
                width[place] = max(width.get(place, 0), size)
        found = dict.fromkeys(form for form, _ in looked)
        self.only = next(iter(found)) if len(found) == 1 else None
        self.forms = {} if self.only is not None else {form: float(code) for code, form in enumerate(found)}
        self.strange = self.hashed = False
        self.told_by_hash: list[float] = []
        self._kinds = {
            place: known
            for place, known in kinds.items()
            if len(known) > 1 or any(place not in dict(form) for form in found)
        }
        self._width = width
        self._at: dict[str, tuple[int, int]] = {}  # first column and width of each place
        self.width = max(1, sum(width.values())) if self.only is not None else self._laid_out(width)
        self.empty = not any(width.values())
        self.scalar = self.only is not None and self.width == 1 and _is_single(self.only)

    def _laid_out(self, width: dict[str, int]) -> int:
        at = 1
        for place, size in width.items():
            head = 2 if place in self._kinds else 0
            if at + head + size > MOST_COLUMNS:
                size = max(0, MOST_COLUMNS - at - head)
            if at + head + size <= MOST_COLUMNS:
                self._at[place] = at, size
                at += head + size
        return at + 1

    def places(self) -> list[tuple[str, int, int, dict[str, int]]]:
        """Place, first column, how many numbers, and the codes of its kinds where these vary.

        Where they vary, its first two columns hold the code of the kind and the length, and its numbers follow.
        """
        if self.only is None:
            return [(place, *at, self._kinds.get(place, {})) for place, at in self._at.items()]
        found: list[tuple[str, int, int, dict[str, int]]] = []
        at = 0
        for place, _ in self.only:
            found.append((place, at, self._width[place], {}))
            at += self._width[place]
        return found

    def rows(self, parts: Sequence[Part], size: int) -> Float:
        """Rows of `size` outputs of one form; `atoms` of each part are numbers, shape (size, numbers of the part)."""
        self.told_by_hash = []
        form = form_of(list(parts))
        if self.only is not None:
            if form != self.only:
                return self._strange(form, parts, size)
            found = np.concatenate([part.atoms for part in parts], axis=1)
            return found if found.shape[1] else np.zeros((size, 1))
        rows = np.zeros((size, self.width))
        code = self.forms.get(form)
        self.strange |= code is None
        rows[:, 0] = float(len(self.forms) + stable_hash([form])) if code is None else code
        left: list[tuple[str, str, NDArray[np.float64]]] = []
        for place, kind, atoms in parts:
            values = np.asarray(atoms)
            if place not in self._at:
                left.append((place, kind, values))
                continue
            at, width = self._at[place]
            if place in self._kinds:
                known = self._kinds[place]
                rows[:, at] = known.get(kind) or float(len(known) + 1 + stable_hash([kind]))
                rows[:, at + 1] = values.shape[1]
                at += 2
            kept = min(width, values.shape[1])
            rows[:, at : at + kept] = values[:, :kept]
            if kept < values.shape[1]:
                left.append((place, kind, values[:, kept:]))
        if left:
            self.hashed = True
            said = [(place, kind) for place, kind, _ in left]
            values = np.concatenate([each for _, _, each in left], axis=1)
            rows[:, -1] = [1.0 + stable_hash([said, row]) for row in values]
            self.told_by_hash = rows[:, -1].tolist()
        return rows

    def _strange(self, form: Form, parts: Sequence[Part], size: int) -> Float:
        """One number below all others; outputs of one form are close together, equal ones have equal numbers."""
        self.strange = True
        rows = np.zeros((size, self.width))
        near = stable_hash([form]) % 2**20 * 2.0**-20
        values = np.concatenate([np.asarray(part.atoms) for part in parts], axis=1)
        far = np.array([stable_hash([row]) % 2**20 for row in np.ascontiguousarray(values)]) * 2.0**-40
        rows[:, 0] = STRANGE * (1.0 + near + far)
        self.told_by_hash = rows[:, 0].tolist()
        return rows


def _is_single(form: Form) -> bool:
    """A number or a label by itself, in no container."""
    return len(form) == 1 and form[0][0] == "" and " of " not in form[0][1]
