"""Libraries are found by listing their folder, and none is imported for that."""

import sys

import pytest

from dpverify.adapters.libraries import find_library
from dpverify.adapters.libraries.offered import Offered, installed_version
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import PureDP

HEAVY = ("opendp", "diffprivlib", "opacus", "torch", "pydp", "pipeline_dp")


@pytest.mark.parametrize("name", list(registry().libraries))
def test_each_library_says_what_it_is_without_being_imported(name):
    before = {each for each in HEAVY if each in sys.modules}
    library = find_library(name)
    assert library.name == name
    assert library.package
    assert library.recorded
    said = ""
    try:
        said = library.version()
    except InputError as problem:
        said = str(problem)
    assert said[0].isdigit() or ("is not installed" in said and "pip install" in said)
    assert {each for each in HEAVY if each in sys.modules} == before


def test_a_name_with_a_hyphen_is_the_file_with_an_underscore_and_others_are_refused():
    with pytest.raises(InputError, match=r"no libraries called 'none'; allowed: .*opendp"):
        find_library("none")


def test_a_package_that_is_not_installed_names_the_extra():
    with pytest.raises(InputError, match=r"no-such is not installed; .*dpverify\[no\]"):
        installed_version("no-such", extra="no", module="no_such_module")
    with pytest.raises(InputError, match="pip install no-such"):
        installed_version("no-such", extra="", module="no_such_module")


def test_an_offer_without_pairs_or_with_a_blank_id_is_refused():
    words = {
        "constructor": "c",
        "guarantee": PureDP(epsilon=1.0),
        "source": "",
        "relation": "r",
        "build": lambda: None,
    }
    with pytest.raises(InputError, match="has no pair"):
        Offered(id="c", pairs=(), **words)
    with pytest.raises(InputError, match="word without blanks"):
        Offered(id="c c", pairs=(Pair(d0=0, d1=1),), **words)
