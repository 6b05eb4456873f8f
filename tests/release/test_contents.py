"""What an archive lacks, or has too much, is said in a sentence; every fault here is made by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.release.contents import INDEXED, faults

VERSION = "1.2.3"
WHEEL, SDIST = f"dpverify-{VERSION}-py3-none-any.whl", f"dpverify-{VERSION}.tar.gz"
ABOUT = f"Metadata-Version: 2.4\nName: dpverify\nVersion: {VERSION}\nLicense-Expression: Apache-2.0\n\n".encode()
PACKAGES = ("dpverify", "auditors", "reference_impls")
SOURCE = {
    "LICENSE": b"Apache",
    "README.md": b"# dpverify",
    ".gitignore": b"dist/",
    "tests/test_a.py": b"",
    "dpverify/a.py": b"a = 1\n",
    "dpverify/reporting/record.schema.json": b"{}",
    "reports/records/A.json": b"{}",
    "reports/gallery/b.json": b"{}",
    "reports/rendered/ledger.md": b"# Ledger",
    **{f"{each}/py.typed": b"" for each in PACKAGES},
}


def wheel():
    code = {name: text for name, text in SOURCE.items() if name.startswith(PACKAGES)}
    home = f"dpverify-{VERSION}.dist-info"
    return {
        **code,
        **{f"{each}/registered.json": b"{}" for each in INDEXED},
        "dpverify/ledger/records/A.json": b"{}",
        "dpverify/gallery/records/b.json": b"{}",
        f"{home}/METADATA": ABOUT,
        f"{home}/licenses/LICENSE": b"Apache",
    }


def sdist():
    left_out = (".gitignore", "reports/rendered/ledger.md")
    return {name: text for name, text in SOURCE.items() if name not in left_out} | {"PKG-INFO": ABOUT}


def test_whole_archives_have_no_fault():
    assert faults(WHEEL, wheel(), SOURCE, VERSION) == []
    assert faults(SDIST, sdist(), SOURCE, VERSION) == []


@pytest.mark.parametrize("name", sorted(wheel()))
def test_a_file_that_a_wheel_lacks_is_named(name):
    files = wheel()
    del files[name]
    told = faults(WHEEL, files, SOURCE, VERSION)
    assert any(name in each or "no licence" in each or "of metadata" in each for each in told), told


@pytest.mark.parametrize("name", sorted(sdist()))
def test_a_file_that_an_sdist_lacks_is_named(name):
    files = sdist()
    del files[name]
    told = faults(SDIST, files, SOURCE, VERSION)
    assert any(name in each or "of metadata" in each for each in told), told


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("tests/test_a.py", b"", "should not be"),
        ("dpverify/a.py", b"a = 2\n", "not that of the commit"),
        ("dpverify/ledger/records/A.json", b"[]", "not that of the commit"),
        ("dpverify/__pycache__/a.pyc", b"", "is compiled"),
        ("dpverify/b.py", b'HERE = "/' + b'root/me"', "names a folder of the machine"),
        (f"dpverify-{VERSION}.dist-info/METADATA", ABOUT.replace(b"1.2.3", b"1.2.4"), "calls itself 1.2.4"),
        (f"dpverify-{VERSION}.dist-info/METADATA", ABOUT.replace(b"Apache-2.0", b"MIT"), "licence is MIT"),
    ],
)
def test_what_should_not_be_there_is_named(name, text, said):
    told = faults(WHEEL, wheel() | {name: text}, SOURCE, VERSION)
    assert any(said in each and each.startswith(WHEEL) for each in told), told


def test_an_archive_of_another_version_is_told_by_its_name():
    assert any("calls itself" in each for each in faults("dpverify-9.whl", wheel(), SOURCE, VERSION))


def test_links_that_the_site_leaves_take_nothing_out_of_an_archive():
    """The builder follows links and takes each folder once: one that a folder left out has a link to would be lost."""
    told = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert told["tool"]["hatch"]["build"]["skip-excluded-dirs"] is True
