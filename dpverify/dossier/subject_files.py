"""The files that were audited, with their digests.

Of a module its file, of a package of modules all of its Python files, of an installed library its list of files, of a
program the program. Nothing of the user's is imported. A record does not carry the digest of its subject. So it is
taken of the files as they are now, and a file that was changed after the record was written is refused. What a module
imports from elsewhere is not in the digest; the statement says so.
"""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import read_bytes
from dpverify.dossier.runs import Runs
from dpverify.dossier.standing import Record, control
from dpverify.suite_file.read import read


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFile:
    """One file, under a name that does not depend on the machine; `what` says what it is of."""

    name: str
    path: Path
    sha256: str
    what: str


def subject_files(runs: Runs, given: Sequence[Path]) -> list[SubjectFile]:
    """The files of all subjects but controls, or those that the user gives, each once.

    A consumer finds a statement by its subject's digest alone, so a broken mechanism must not be among them.

    Raises
    ------
    InputError
        For a subject whose file cannot be told, and for a file that was changed after the records were written.
    """
    if given:
        found = [(path.name, path, "the file that was given as the subject") for path in given]
    else:
        found = [each for item in runs.records if not control(item) for each in _files(item)]
    if not found:
        raise InputError("no record but of known-broken mechanisms", allowed="records of what is to be attested")
    made: dict[Path, SubjectFile] = {}
    for name, path, what in found:
        if path.resolve() in made:
            continue
        try:
            sha256 = hashlib.sha256(read_bytes(path)).hexdigest()
            changed = path.stat().st_mtime > runs.written
        except (OSError, ValueError) as problem:
            said = getattr(problem, "strerror", None) or problem
            raise InputError(f"cannot read the subject {path}: {said}", allowed="a file") from None
        if changed:
            raise InputError(
                f"{path} was changed after the records were written",
                allowed="a subject that is what was audited",
                remedy="audit it again, then attest",
            )
        made[path.resolve()] = SubjectFile(name=name, path=path, sha256=sha256, what=what)
    names = [each.name for each in made.values()]
    if doubled := next((name for name in names if names.count(name) > 1), ""):
        raise InputError(f"two subjects are called {doubled}", allowed="files of different names")
    return list(made.values())


Found = tuple[str, Path, str]


def _files(item: Record) -> Iterator[Found]:
    """The files of one record's subject."""
    words = _words(item["reproduce"])
    if item.get("library"):
        yield _of_library(item)
    elif "location" in item:
        yield from _declared(item)
    elif words[:2] == ["dpverify", "audit"]:
        yield from _audited(item, words[2:])
    else:
        yield from _registered(item)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _audited(item: Record, words: Sequence[str]) -> Iterator[Found]:
    """Of `dpverify audit`: the first word that names a callable, or the program."""
    for word, value in zip(words, [*words[1:], ""], strict=True):
        name, given, own = word.partition("=")
        if name == "--command":
            yield from _program(own if given else value, Path.cwd())
            return
    if words and not words[0].startswith("-"):
        yield from _module(words[0].partition(":")[0], [Path.cwd()], item)
        return
    raise _unknown(item)


def _declared(item: Record) -> Iterator[Found]:
    """Of a suite file: the mechanism of the entry on that line."""
    where = item["location"]
    suite = read(Path(where["file"]))
    for entry in suite.entries:
        if entry.line == where["line"]:
            if entry.program:
                yield from _program(entry.mechanism, suite.path.parent)
            else:
                yield from _module(entry.mechanism.partition(":")[0], entry.python_path, item)
            return
    raise _unknown(item)


def _registered(item: Record) -> Iterator[Found]:
    """Of a built-in suite or a plug-in: the file that defines the subject's class."""
    try:
        made = registry().subject(item["subject"])
    except InputError:
        raise _unknown(item) from None
    module = getattr(getattr(made, "func", made), "__module__", "")
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        raise _unknown(item)
    yield (
        f"{module.replace('.', '/')}.py",
        Path(path),
        f"the module that defines {item['subject']}; not what it imports",
    )


def _of_library(item: Record) -> Found:
    name, version = item["library"], item["version"]
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        raise InputError(f"{name} is not installed", allowed=f"{name} {version}, as it was audited") from None
    record = next((each for each in installed.files or () if each.name == "RECORD"), None)
    if installed.version != version or record is None:
        raise InputError(f"{name} {installed.version} is installed", allowed=f"{name} {version}, as it was audited")
    what = f"the installed distribution {name} {version}: its list of files with the digest of each"
    return str(record), Path(str(record.locate())), what


def _program(command: str, folder: Path) -> Iterator[Found]:
    """The files that a command's words name."""
    found = [folder / word for word in _words(command) if (folder / word).is_file()]
    if not found:
        raise InputError(
            f"no file in the command {command!r}", allowed="a program in a file", remedy="give it with --subject FILE"
        )
    for path in found:
        yield path.name, path, f"a file of the command {command}"


def _module(name: str, folders: Sequence[Path], item: Record) -> Iterator[Found]:
    """The module's file; of a package that holds modules, every Python file of the package."""
    first, *rest = name.split(".")
    if "/" in name or name.endswith(".py"):
        yield Path(name).name, Path(name), f"the file of {item['subject']}; not what it imports"
        return
    spec = _found(first, [*map(str, folders), *sys.path])
    if spec is None or spec.origin is None:
        raise _unknown(item)
    home = Path(spec.origin)
    if home.name == "__init__.py" or rest:
        for path in sorted(home.parent.rglob("*.py")):
            inside = path.relative_to(home.parent.parent).as_posix()
            yield inside, path, f"a Python file of the package {first}; not what it imports from elsewhere"
    else:
        yield home.name, home, f"the module {first}; not what it imports"


def _found(name: str, folders: Sequence[str]) -> ModuleSpec | None:
    return PathFinder.find_spec(name, [each or "." for each in folders])


def _unknown(item: Record) -> InputError:
    return InputError(
        f"the file of the subject {item['subject']!r} cannot be told from its record",
        allowed="records of audits that can be repeated here, from the folder that they were made in",
        remedy="give it with --subject FILE",
    )
