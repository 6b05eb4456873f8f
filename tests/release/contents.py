"""What a wheel and an sdist must hold, and must not: `faults` says in sentences what is wrong with one.

python -m tests.release.contents dist/*    # run in the checkout that they were built from
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from pathlib import Path

PACKAGES = ("dpverify/", "auditors/", "reference_impls/")
RECORDS = {"reports/records/": "dpverify/ledger/records/", "reports/gallery/": "dpverify/gallery/records/"}
"""Where records stand in the wheel, by where they stand in git."""

INDEXED = ("auditors", "reference_impls", "dpverify/accounting", "dpverify/definitions", "dpverify/datasets")
"""Packages whose index of registered names the wheel brings; without it the first process imports everything."""

NOT_IN_SDIST = re.compile(r"reports/(?!records/|gallery/)|\.gitignore$|\.pre-commit-config\.yaml$")
MACHINE = re.compile(rb"/(?:root|home|work|tmp/w)/[\w.]")
TEXT = (".py", ".json", ".toml", ".md", ".txt", ".jinja", ".svg", "METADATA", "PKG-INFO")


def tracked(root: Path) -> dict[str, bytes]:
    """The files of the commit, with their bytes."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True)
    return {name: (root / name).read_bytes() for name in done.stdout.decode().split("\0") if name}


def files_of(path: Path) -> dict[str, bytes]:
    """The files of an archive by their names; those of an sdist without its folder."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    with tarfile.open(path) as archive:
        members = [each for each in archive.getmembers() if each.isfile()]
        return {each.name.partition("/")[2]: archive.extractfile(each).read() for each in members}  # type: ignore[union-attr]


def faults(name: str, files: Mapping[str, bytes], source: Mapping[str, bytes], version: str) -> list[str]:
    """What is wrong with the archive of this name and these files; empty where nothing is."""
    found = list((_wheel if name.endswith(".whl") else _sdist)(files, source))
    about = [text for each, text in files.items() if each.endswith(("dist-info/METADATA", "PKG-INFO"))]
    if len(about) != 1:
        return [f"{name}: it has {len(about)} files of metadata", *found]
    told = message_from_bytes(about[0])
    if told["Version"] != version or f"-{version}" not in name:
        found.append(f"it calls itself {told['Version']}, and dpverify/__init__.py says {version}")
    if told["License-Expression"] != "Apache-2.0":
        found.append(f"its licence is {told['License-Expression']}")
    found += [f"{each} names a folder of the machine" for each, text in files.items() if _machine(each, text)]
    found += [f"{each} is compiled" for each in files if each.endswith((".pyc", ".nbi", ".nbc"))]
    return [f"{name}: {each}" for each in found]


def _wheel(files: Mapping[str, bytes], source: Mapping[str, bytes]) -> Iterator[str]:
    wanted = {name: text for name, text in source.items() if name.startswith(PACKAGES)}
    for place, home in RECORDS.items():
        wanted |= {home + name[len(place) :]: text for name, text in source.items() if name.startswith(place)}
    about = {name for name in files if name.partition("/")[0].endswith(".dist-info")}
    index = {f"{package}/registered.json" for package in INDEXED}
    yield from (f"{name} is not in it" for name in sorted((wanted.keys() | index) - files.keys()))
    yield from (
        f"{name} is not that of the commit" for name in wanted.keys() & files.keys() if files[name] != wanted[name]
    )
    others = {name for name in files.keys() - wanted.keys() - about if not name.endswith("/registered.json")}
    yield from (f"{name} is in it, and should not be" for name in sorted(others))
    if not any(name.endswith("dist-info/licenses/LICENSE") for name in about):
        yield "it has no licence"
    for package in PACKAGES:
        if f"{package}py.typed" not in files:
            yield f"{package}py.typed is not in it, so that type checkers see nothing"
    if not any(name.endswith(".schema.json") for name in files):
        yield "it has no schema"
    if not any(name.startswith(home) for home in RECORDS.values() for name in files):
        yield "it has no record"


def _sdist(files: Mapping[str, bytes], source: Mapping[str, bytes]) -> Iterator[str]:
    wanted = {name: text for name, text in source.items() if not NOT_IN_SDIST.match(name)}
    yield from (f"{name} is not in it" for name in sorted(wanted.keys() - files.keys()))
    yield from (
        f"{name} is not that of the commit" for name in wanted.keys() & files.keys() if files[name] != wanted[name]
    )
    others = files.keys() - source.keys() - {"PKG-INFO"}
    yield from (f"{name} is in it, and should not be" for name in sorted(others))


def _changed(files: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> Iterator[str]:
    for name in sorted(wanted.keys() & files.keys()):
        if files[name] != wanted[name]:
            yield f"{name} is not that of the commit"


def _machine(name: str, text: bytes) -> bool:
    ours = name.startswith((*PACKAGES, "docs/", "README", "PKG-INFO")) or "dist-info" in name
    return ours and name.endswith(TEXT) and MACHINE.search(text) is not None


def main(paths: list[str]) -> int:
    """Say what is wrong; the exit status is 1 where anything is."""
    root = Path.cwd()
    source = tracked(root)
    version = re.search(r'__version__ = "(.+)"', source["dpverify/__init__.py"].decode())
    assert version is not None
    told = [each for path in map(Path, paths) for each in faults(path.name, files_of(path), source, version[1])]
    sys.stdout.write("".join(f"{each}\n" for each in told))
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
