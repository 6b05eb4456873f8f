"""Builds a release in one command, from a clean clone of the commit, and checks it.

    python -m tests.release                # `make release`: all tests, then what is below
    python -m tests.release --rehearse     # without the tests, and with a changelog that is not dated yet

Two clones in two folders build the wheel and the sdist; both must be the same to the byte. What they hold is checked
against the commit, and a wheel that is built of the sdist must have the same files. Then `dist/` has both, the
checkers as one file each, `SHA256SUMS` and `NOTES.md`, the section of the changelog.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.release import one_file
from tests.release.contents import faults, files_of, tracked

ROOT = Path(__file__).parents[2]


class ReleaseError(Exception):
    """Says in one line why there is no release."""


def section(changelog: str, version: str, *, dated: bool) -> str:
    """The section of the version; with `dated`, its heading must name the day."""
    found = re.search(rf"^## {re.escape(version)} \(([^)\n]+)\)\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    if found is None or not found[2].strip():
        raise ReleaseError(f"CHANGELOG.md has no section {version}")
    if dated and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", found[1]):
        raise ReleaseError(f"CHANGELOG.md: the heading of {version} says ({found[1]}), and not the day")
    return found[0].rstrip() + "\n"


def different(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The names of files that are in one alone, or differ."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def sums(paths: list[Path]) -> str:
    """As `sha256sum` writes and checks them."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(paths))


def _run(*words: str | Path, cwd: Path, **more: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | more
    done = subprocess.run(list(map(str, words)), cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(map(str, words))[:100]}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


def _built(clone: Path, epoch: str) -> list[Path]:
    """Wheel and sdist of a clone. The index of names is made first, since an isolated build cannot."""
    _run(sys.executable, "-m", "dpverify", "list", "claims", cwd=clone, PYTHONPATH=str(clone))
    for kind in ("--wheel", "--sdist"):
        _run(sys.executable, "-m", "build", kind, "--outdir", clone / "dist", ".", cwd=clone, SOURCE_DATE_EPOCH=epoch)
    return sorted((clone / "dist").iterdir())


def _same_of_sdist(wheel: Path, sdist: Path, folder: Path, epoch: str) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (inner,) = folder.iterdir()
    _run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "made", ".", cwd=inner, SOURCE_DATE_EPOCH=epoch)
    (made,) = (folder / "made").iterdir()
    parts = [
        {name: text for name, text in files_of(path).items() if not name.endswith(("/registered.json", "/RECORD"))}
        for path in (wheel, made)
    ]
    if found := different(*parts):
        raise ReleaseError(f"the wheel that is built of the sdist differs: {', '.join(found[:5])}")


def main(words: list[str]) -> int:
    """Build, check and write `dist/`; one line says what is wrong, where anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.release", description="Build a release.")
    parser.add_argument("--rehearse", action="store_true", help="no tests, and no day in the changelog")
    asked = parser.parse_args(words)
    try:
        _release(rehearse=asked.rehearse)
    except ReleaseError as problem:
        sys.stderr.write(f"no release: {problem}\n")
        return 1
    return 0


def _release(*, rehearse: bool) -> None:
    if changed := _run("git", "status", "--porcelain", cwd=ROOT).splitlines():
        raise ReleaseError(f"the checkout has changes that are not committed: {changed[0].strip()}")
    version = re.search(r'__version__ = "(.+)"', (ROOT / "dpverify/__init__.py").read_text(encoding="utf-8"))
    assert version is not None
    notes = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version[1], dated=not rehearse)
    epoch = _run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    with TemporaryDirectory() as made:
        clones = [Path(made, "one"), Path(made, "a-longer-name", "two")]
        for clone in clones:
            _run("git", "clone", "--quiet", "--no-hardlinks", ROOT, clone, cwd=ROOT)
        if not rehearse and subprocess.run([clones[0] / ".ci" / "run"], cwd=clones[0], check=False).returncode:
            raise ReleaseError("the tests of the clean clone fail")
        built = [_built(clone, epoch) for clone in clones]
        for one, other in zip(*built, strict=True):
            if one.read_bytes() != other.read_bytes():
                which = different(files_of(one), files_of(other)) or ["the archive itself"]
                raise ReleaseError(f"{one.name} is built twice and differs: {', '.join(which[:5])}")
        source = tracked(clones[1])
        found = [each for path in built[1] for each in faults(path.name, files_of(path), source, version[1])]
        if found:
            raise ReleaseError("; ".join(found[:10]))
        sdist, wheel = sorted(built[1], key=lambda path: path.suffix == ".whl")
        _same_of_sdist(wheel, sdist, Path(made, "of-sdist"), epoch)
        dist = ROOT / "dist"
        dist.mkdir(exist_ok=True)
        kept = [dist / path.name for path in built[1]]
        for path, copy in zip(built[1], kept, strict=True):
            copy.write_bytes(path.read_bytes())
        kept += one_file.write(dist)
        (dist / "SHA256SUMS").write_text(sums(kept), encoding="utf-8")
        (dist / "NOTES.md").write_text(notes, encoding="utf-8")
    sys.stdout.write(sums(kept) + "".join(f"{path.stat().st_size / 1e6:.1f} MB  {path.name}\n" for path in kept))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
