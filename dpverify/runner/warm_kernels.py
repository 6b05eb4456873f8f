"""Compiles kernels before an audit needs them, each once, in parallel processes; numba keeps them on disk.

A kernel that others call is compiled first, so that two processes do not compile it for one caller each.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dpverify.core.errors import AuditError, InputError, one_line
from dpverify.core.kernel_cache import VARIABLE
from dpverify.core.kernel_index import KernelCall, calls, folders
from dpverify.runner.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """The kernels that are kept now."""

    compiled: int
    kept: int
    """`compiled`, `kept`: kernels (a kernel counts once for each set of argument types) that were compiled now, and
    that were kept before."""
    folders: tuple[str, ...]
    """Where they lie."""
    size: int
    """Bytes of all files there that hold kernels."""

    @property
    def place(self) -> str:
        """The folder above all of `folders`."""
        return os.path.commonpath(self.folders)

    @property
    def beside_sources(self) -> bool:
        """Tell whether they lie in the packages themselves."""
        return all(Path(each).name == "__pycache__" for each in self.folders)


def warm(*, jobs: int, every: bool = False, begins: Callable[[str], object] = str) -> Warmed:
    """Compile what audits need and is not kept yet; with `every`, all kernels whose argument types are known.

    `begins` is told, in words, that something is compiled.

    Raises
    ------
    InputError
        Where kernels cannot be kept.
    AuditError
        Where a kernel cannot be compiled.
    """
    check_cache()
    listed = calls(every=every)
    missing = sorted((each for each in listed if not each.kept()), key=KernelCall.depth)
    if missing:
        begins(f"compiling {len(missing)} kernels, once")
        _compile(missing, jobs=min(jobs, len(missing)))
    where = {str(each.dispatcher().stats.cache_path) for each in listed}
    files = [file for each in where for file in Path(each).glob("*.nb[ci]")]
    return Warmed(
        compiled=len(missing),
        kept=len(listed) - len(missing),
        folders=tuple(sorted(where)),
        size=sum(file.stat().st_size for file in files),
    )


def check_cache() -> None:
    """Raise InputError where nothing is compiled, or the folder that the user chose cannot be written to."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise InputError("NUMBA_DISABLE_JIT is set, so that no kernel is compiled", allowed="0, or unset")
    if not (chosen := os.environ.get(VARIABLE)):
        return
    try:
        Path(chosen).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(
            f"{VARIABLE}={chosen}: {problem.strerror}", allowed="a folder that can be written to"
        ) from None
    if not os.access(chosen, os.W_OK | os.X_OK):
        raise InputError(f"{VARIABLE}={chosen} cannot be written to", allowed="a folder that can be written to")


def key() -> str:
    """A name for the kernels of this processor, these versions and these sources: with another name they are others."""
    import llvmlite.binding

    versions = [f"{name}-{importlib.metadata.version(name)}" for name in ("numba", "llvmlite", "numpy", "dpverify")]
    processor = llvmlite.binding.get_host_cpu_name()
    digest = hashlib.sha256(f"{llvmlite.binding.get_host_cpu_features().flatten()}".encode())
    for folder in folders():
        for file in sorted([*folder.rglob("*.py"), *folder.glob("compiled.json")]):
            digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return "-".join([processor, f"python-{platform.python_version()}", *versions, digest.hexdigest()[:16]])


def _compile(missing: Sequence[KernelCall], *, jobs: int) -> None:
    """Each in one of the processes, in order; AuditError names those that failed."""
    from dpverify.runner.pool import Pool  # joblib, which is not needed where all is kept

    with Pool(partial(_compile_one, tuple(missing)), jobs=jobs, limits=Limits()) as pool:
        outcomes = pool.run(range(len(missing)))
        failed = [
            f"{missing[place].module}:{missing[place].kernel} ({one_line(problem)})"
            for place, _, problem in outcomes
            if problem
        ]
    if failed:
        raise AuditError(f"{len(failed)} of {len(missing)} kernels could not be compiled: {'; '.join(failed[:3])}")


def _compile_one(missing: Sequence[KernelCall], place: int) -> bool:
    missing[place].compile()
    return True
