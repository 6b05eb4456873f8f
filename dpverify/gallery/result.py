"""The gallery as results that show themselves: all bugs, and one of them.

``dpverify.bug_gallery()`` reads the committed records; nothing is installed and nothing is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, overload

from dpverify.core.errors import AuditError, InputError, one_line
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.verdict import Status
from dpverify.gallery.bug import Bug
from dpverify.gallery.measure import as_expected, measure
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.gallery_lines import counted, parts, title
from dpverify.runner.atomic_files import write_atomically
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Dots, View


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GalleryBug(Displayed):
    """One bug, and what was measured of it.

    Attributes
    ----------
    bug : Bug
        What its file says (`dpverify/gallery/bug.py`).
    record : mapping or None
        What was measured, as JSON has it; None where it was not run yet.
    """

    bug: Bug
    record: Mapping[str, Any] | None

    @property
    def verdict(self) -> Status | None:
        """The verdict on the library's claim at the release with the fault; None where it was not run yet."""
        return None if self.record is None else Status(self.record["verdict"])

    @property
    def as_expected(self) -> bool:
        """Tell whether the record bears out what the file says, of the mended release, too."""
        return self.record is not None and as_expected(dict(self.record))

    def __repr__(self) -> str:
        told = [f"{name:<9} {text}" for name, text in parts(as_mapping(self.bug), self.record)]
        return "\n".join([title(as_mapping(self.bug)), *told])

    def view(self) -> View:
        """The view shows the report, the claim, what is wrong, the measure, the pair, and the picture."""
        item = self.record or {}
        facts = [
            (name, text) for name, text in parts(as_mapping(self.bug), self.record) if name not in ("again", "note")
        ]
        drawn = item.get("claimed") is not None and item.get("bound") is not None
        return View(
            title=title(as_mapping(self.bug)),
            verdict="" if self.verdict is None else self.verdict.value,
            facts=facts,
            tradeoff=item.get("picture") or {},
            measured=(item["measure"], item["claimed"], item["bound"]) if drawn else None,
            again=self.bug.command,
            notes=[self.bug.note] if self.bug.note else [],
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BugGallery(Displayed):
    """The bugs of the gallery."""

    bugs: tuple[GalleryBug, ...]
    """By name; ``gallery["opendp-2707"]`` is one of them."""

    def __len__(self) -> int:
        return len(self.bugs)

    def __iter__(self) -> Iterator[GalleryBug]:
        return iter(self.bugs)

    def __getitem__(self, name: str) -> GalleryBug:
        return next((each for each in self.bugs if each.bug.name == name), None) or bug_gallery(name)

    def __repr__(self) -> str:
        wide = max(len(each.bug.name) for each in self.bugs)
        return "\n".join(f"{each.bug.name:<{wide}}  {_word(each):<11}  {each.bug.title}" for each in self.bugs)

    def view(self) -> View:
        """The view has a line for each bug, and what was claimed beside what was measured."""
        run = [(each.bug, each.record) for each in self.bugs if each.record is not None]
        rows = [
            (one.name, f"{one.library} {one.version}", one.kind, number(item.get("claimed")), _bound(item), _word(each))
            for each in self.bugs
            for one, item in [(each.bug, each.record or {})]
        ]
        return View(
            title=f"real bugs of real releases: {counted([(as_mapping(one), item) for one, item in run])}",
            table=(("bug", "library", "what is run", "claimed", "at least", "claim"), *rows),
            dots=Dots(
                x="loss, each in the measure of its claim",
                marks=("claimed", "measured, at least"),
                rows=[(one.name, (item.get("claimed"), item.get("bound"))) for one, item in run],
            ),
            again="dpverify gallery --run NAME",
        )


@overload
def bug_gallery(name: None = None, *, run: bool = False) -> BugGallery: ...
@overload
def bug_gallery(name: str, *, run: bool = False) -> GalleryBug: ...
def bug_gallery(name: str | None = None, *, run: bool = False) -> BugGallery | GalleryBug:
    """Real bugs of real releases, as `dpverify gallery` has them: all with their committed records, or one.

    Parameters
    ----------
    name : str or None
        Of one bug; None is all of them.
    run : bool
        Look again, as ``dpverify gallery --run NAME``: the old release is installed into an environment of its own,
        below the user's cache directory, and audited. It needs a name, and takes seconds to minutes.

    Returns
    -------
    BugGallery or GalleryBug
        Each shows itself in a notebook, by ``plot()`` and by `rich`.

    Raises
    ------
    InputError
        Where there is no such bug; for `run` without a name.
    """
    if run and name is None:
        raise InputError("run=True without a name", allowed="bug_gallery(NAME, run=True), one bug")
    bugs = registry().bugs
    if name is None:
        return BugGallery(bugs=tuple(GalleryBug(bug=one, record=read_record(each)) for each, one in bugs.items()))
    found = bugs.get(name)
    return GalleryBug(bug=found, record=measure(found) if run else read_record(name))


def _word(one: GalleryBug) -> str:
    return "not run" if one.verdict is None else one.verdict.value.replace("_", " ")


def _bound(item: Mapping[str, Any]) -> str:
    return "-" if item.get("bound") is None else number_down(item["bound"])


def records_folder() -> Path | None:
    """The package's own records; in a clone, ``reports/gallery``. None when there are none."""
    here = Path(__file__).resolve()
    for folder in (here.parent / "records", here.parents[2] / "reports" / "gallery"):
        if folder.is_dir():
            return folder
    return None


def read_record(name: str) -> dict[str, Any] | None:
    """The committed record of a bug, or None; AuditError when the file is there but is not a record."""
    folder = records_folder()
    path = folder / f"{name}.json" if folder else None
    if path is None or not path.is_file():
        return None
    try:
        found: dict[str, Any] = parse_json(read_text(path))
        if found["name"] != name:
            raise KeyError(f"it is the record of {found['name']}")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise AuditError(f"{path.name} is not a record of {name}: {one_line(str(problem))}") from problem
    return found


def write_record(item: dict[str, Any], folder: Path) -> Path:
    """Write a record to its own file."""
    return write_atomically(folder / f"{item['name']}.json", dump(item))


def as_mapping(one: Bug) -> dict[str, Any]:
    """A bug's fields, with what follows from them, for pages."""
    found = {field.name: getattr(one, field.name) for field in fields(Bug) if field.name != "code"}
    return found | {"kind": one.kind, "command": one.command}


def entries() -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """All bugs with their committed records."""
    return [(as_mapping(one), read_record(name)) for name, one in registry().bugs.items()]
