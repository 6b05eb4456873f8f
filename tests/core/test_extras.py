"""What an extra installs: imported where it is, named where it is not."""

import sys
import tomllib
from pathlib import Path

import pytest

from dpverify.core import extras
from dpverify.core.errors import InputError
from dpverify.core.extras import CAN_BE_LEFT_OUT, EXTRAS, left_out, needed

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("package", EXTRAS)
def test_each_package_is_one_of_its_extra_and_not_of_the_core(package):
    name = package.replace("_", "-")
    assert any(each.startswith(name) for each in PROJECT["optional-dependencies"][EXTRAS[package][0]])
    assert not any(each.startswith(name) for each in PROJECT["dependencies"])
    assert needed(package) is getattr(extras, package) is sys.modules[package]


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_package_is_one_line_that_names_its_extra(package, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without(package), *sys.meta_path])
    with pytest.raises(
        InputError, match=rf"is not installed.*pip install 'dpverify\[{EXTRAS[package][0]}\]'"
    ) as caught:
        needed(f"{package}.inner")
    assert len(str(caught.value).splitlines()) == 1


def test_no_other_package_is_an_extra():
    with pytest.raises(AttributeError, match="no attribute 'requests'"):
        extras.requests  # noqa: B018


def test_what_can_be_left_out_is_a_dependency_and_said_in_one_line():
    for module, package in CAN_BE_LEFT_OUT.items():
        assert any(each.startswith(package) for each in PROJECT["dependencies"])
        said = left_out(ModuleNotFoundError(name=f"{module}.inner"))
        assert f"pip install {package}" in str(said)
        assert len(str(said).splitlines()) == 1
    assert left_out(ModuleNotFoundError(name="numpy")) is None
    assert left_out(ImportError(name="numba")) is None


class _Without:
    """An import system without one package."""

    def __init__(self, package):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None
