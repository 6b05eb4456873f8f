"""Kernels are compiled once, kept where numba finds them, and not compiled again."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dpverify.core.errors import AuditError, InputError
from dpverify.core.kernel_cache import VARIABLE
from dpverify.core.kernel_index import KernelCall
from dpverify.runner import warm_kernels

CODE = """
    from dpverify.core.kernel_index import calls
    from dpverify.runner import warm_kernels

    chosen = [each for each in calls(every=False) if each.module == "dpverify.sampling.xoshiro"]
    warm_kernels.calls = lambda *, every: chosen
    said = []
    first = warm_kernels.warm(jobs=2, begins=said.append)
    again = warm_kernels.warm(jobs=2, begins=said.append)
    assert said == [f"compiling {len(chosen)} kernels, once"]
    print(len(chosen), first.compiled, again.compiled, again.kept, again.size == first.size > 1000, again.place)
"""


def test_what_is_compiled_is_kept_where_the_user_says(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE)],
        env=os.environ | {VARIABLE: str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    number, first, again, kept, sized, place = ran.stdout.split()
    assert (first, again, kept, sized) == (number, "0", number, "True")
    assert int(number) > 1
    assert Path(place).is_relative_to(tmp_path)
    assert ran.stderr == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_kernel_that_cannot_be_compiled_is_named(monkeypatch, jobs):
    wrong = [KernelCall("dpverify.sampling.xoshiro", "uniform", types) for types in ("bool", "array(bool, 1d, C)")]
    monkeypatch.setattr(warm_kernels, "calls", lambda *, every: wrong)
    with pytest.raises(AuditError, match=r"2 of 2 kernels could not be compiled: dpverify.sampling.xoshiro:uniform"):
        warm_kernels.warm(jobs=jobs)


def test_a_folder_that_cannot_be_written_to_is_refused(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "cache"))
    with pytest.raises(InputError, match=r"file.cache: Not a directory"):
        warm_kernels.check_cache()


def test_without_compilation_there_is_nothing_to_keep(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(InputError, match="NUMBA_DISABLE_JIT"):
        warm_kernels.check_cache()


def test_the_key_changes_with_the_sources(monkeypatch, tmp_path):
    monkeypatch.setattr(warm_kernels, "folders", lambda: [tmp_path])
    (tmp_path / "one.py").write_text("a = 1\n")
    one = warm_kernels.key()
    (tmp_path / "notes.txt").write_text("")
    assert warm_kernels.key() == one
    (tmp_path / "one.py").write_text("a = 2\n")
    assert warm_kernels.key() != one
    assert {"numba", "python", "dpverify"} < set(one.split("-"))
