"""Installed releases: of which one a file is, its version, and those of all that it requires.

What was installed from a folder or a file of this machine is no release: its version may stay where its code changes.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path

from dpverify.code_key.reads import INSTALLED

_REQUIRED = re.compile(r"^Requires-Dist: *([\w.-]+)(?![\w.-])(?!.*\bextra *==)", re.MULTILINE)


def release_of(file: str) -> tuple[Path, str] | None:
    """The folder of installed packages and the release's name; None for the user's own file."""
    parts = Path(file).parts
    place = max((at for at, part in enumerate(parts[:-1]) if part in INSTALLED), default=None)
    if place is None:
        return None
    site = Path(*parts[: place + 1])
    name = _holder(site, parts[place + 1])
    return None if not name or _is_local(site, name) else (site, name)


def versions(site: Path, name: str) -> dict[str, str]:
    """Return versions of the release and of all that it requires, as far as they are installed beside it."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        folder = _releases(site).get(current := waiting.pop())
        if folder is not None and current not in found:
            found[current] = folder.stem.partition("-")[2]
            waiting += _requires(folder)
    return found


@cache
def _releases(site: Path) -> dict[str, Path]:
    """Folders of metadata by normalized name."""
    folders = (site / each for each in sorted(os.listdir(site)) if each.endswith((".dist-info", ".egg-info")))
    return {_normal(folder.name.partition("-")[0].removesuffix(".egg-info")): folder for folder in folders}


@cache
def _holder(site: Path, top: str) -> str:
    """The release that has brought this file or folder; empty where none has."""
    known = _releases(site)
    likely = _normal(top.partition(".")[0])
    return next((each for each in sorted(known, key=lambda each: each != likely) if _brought(known[each], top)), "")


def _brought(folder: Path, top: str) -> bool:
    for name in ("RECORD", "SOURCES.txt", "installed-files.txt"):
        try:
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return re.search(rf"^(?:\.\./)?{re.escape(top)}(?:/|,|$)", text, re.MULTILINE) is not None
    return folder.name.partition("-")[0] == top  # without a list: by its name


@cache
def _is_local(site: Path, name: str) -> bool:
    try:
        found = json.loads((_releases(site)[name] / "direct_url.json").read_text(encoding="utf-8"))
        return str(found["url"]).startswith("file:")
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _requires(folder: Path) -> list[str]:
    for name in ("METADATA", "PKG-INFO"):
        try:
            head = (folder / name).read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
        except OSError:
            continue
        return [_normal(each) for each in _REQUIRED.findall(head)]
    return []


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
