"""Which suite file a folder has: the nearest, its own name first, nothing above the root of the repository."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.suite_file.find import find


def test_the_nearest_file_upwards(tmp_path):
    (tmp_path / "dpverify.toml").write_text("")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find(inner) == tmp_path / "dpverify.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.dpverify]\n")
    assert find(inner) == tmp_path / "a" / "pyproject.toml"
    (tmp_path / "a" / "dpverify.toml").write_text("")
    assert find(inner) == tmp_path / "a" / "dpverify.toml"


@pytest.mark.parametrize("text", ["[tool.other]\n", "[tool\n", "tool = 3\n", ""])
def test_a_pyproject_that_does_not_name_dpverify_is_passed_over(tmp_path, text):
    (tmp_path / "dpverify.toml").write_text("")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text(text)
    assert find(inner) == tmp_path / "dpverify.toml"


def test_nothing_above_the_root_of_the_repository(tmp_path):
    (tmp_path / "dpverify.toml").write_text("")
    inner = tmp_path / "repository"
    (inner / ".git").mkdir(parents=True)
    with pytest.raises(InputError, match=r"no suite file in repository or above it; allowed: .*dpverify init"):
        find(inner)
