"""Installed releases by their versions; what was installed from a folder is the user's own."""

import json

import numpy as np
import pytest

from dpverify.code_key.modules import modules_of, own_file, release_of, versions


@pytest.fixture
def site(tmp_path):
    """A folder of installed packages: `one` requires `two`, and `mine` came from a folder."""
    found = tmp_path / "site-packages"
    for name, version, more in (
        ("one", "1.0", "Requires-Dist: Two-Parts>=1\nRequires-Dist: three; extra == 'x'\n"),
        ("two_parts", "2", ""),
        ("three", "3", ""),
        ("mine", "0", ""),
    ):
        (found / name).mkdir(parents=True)
        (found / name / "__init__.py").write_text("")
        about = found / f"{name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Name: {name}\n{more}\nText\n")
        (about / "RECORD").write_text(f"{name}/__init__.py,,\n")
    said = {"url": "file:///home/me/mine", "dir_info": {}}
    (found / "mine-0.dist-info" / "direct_url.json").write_text(json.dumps(said))
    (found / "dropped.py").write_text("")
    return found


def test_a_release_is_its_version_and_that_of_what_it_requires(site):
    assert release_of(str(site / "one" / "__init__.py")) == (site, "one")
    assert versions(site, "one") == {"one": "1.0", "two-parts": "2"}


def test_what_came_from_a_folder_or_from_nowhere_is_the_users_own(site):
    assert release_of(str(site / "mine" / "__init__.py")) is None
    assert release_of(str(site / "dropped.py")) is None
    assert own_file(str(site / "dropped.py"))


def test_numpy_is_a_release_and_its_files_are_not_read():
    found = modules_of(["numpy"])
    assert found.releases["numpy"] == np.__version__
    assert not found.files
