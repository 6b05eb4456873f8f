"""Which files an audit is of: found without an import, named without the machine."""

from __future__ import annotations

import hashlib

import pytest

from dpverify.runner.audited_files import MOST, digests, module_files, program_files


@pytest.fixture
def here(tmp_path):
    (tmp_path / "mymodule.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "pack" / "deep").mkdir(parents=True)
    for name in ("__init__", "sums", "deep/__init__", "deep/counts"):
        (tmp_path / "pack" / f"{name}.py").write_text(f"raise SystemExit('{name}')\n")
    (tmp_path / "noisy").write_text("#!/bin/sh\n")
    return tmp_path


WHOLE = ["pack/__init__.py", "pack/deep/__init__.py", "pack/deep/counts.py", "pack/sums.py"]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("mymodule:f", ["mymodule.py"]),
        ("mymodule.f", ["mymodule.py"]),
        ("pack:f", WHOLE),
        ("pack.sums:f", WHOLE),
        ("pack.deep.counts.f", WHOLE),
        ("nothere:f", []),
        ("sys:exit", []),
    ],
)
def test_files_of_a_module(here, name, files):
    assert list(module_files(name, [here])) == files


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("pack.sums:f", "pack/sums.py"),
        ("pack.deep.counts.f", "pack/deep/counts.py"),
        ("pack.deep:f", "pack/deep/__init__.py"),
        ("pack:f", "pack/__init__.py"),
    ],
)
def test_of_a_large_package_only_the_modules_own(here, name, own):
    (here / "pack" / "many").mkdir()
    for number in range(MOST):
        (here / "pack" / "many" / f"m{number}.py").touch()
    assert list(module_files(name, [here])) == [own]


def test_files_of_a_program(here):
    assert program_files("./noisy {data} {seed}", here) == {"noisy": here / "noisy"}
    assert program_files("sh noisy", here) == {"noisy": here / "noisy"}
    assert program_files("cat 'x", here) == {}


def test_digests_are_of_the_bytes_and_leave_out_what_is_gone(here):
    found = digests({"noisy": here / "noisy", "gone": here / "gone"})
    assert found == {"noisy": hashlib.sha256(b"#!/bin/sh\n").hexdigest()}
