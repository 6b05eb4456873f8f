"""The environment as code reads it: one variable, all of them, and copies that were made before."""

from __future__ import annotations

import pytest

from tests.code_key.keys import keys

COPIES = {
    "a copy at each call": "len(str(dict(os.environ)))",
    "its own method": "len(str(os.environ.copy()))",
    "a copy at import": "len(str(COPY))",
    "a copy with one more": "len(str(MORE))",
    "itself": "len(environ)",
}
MECH = (
    "import os\nfrom os import environ\nCOPY = dict(os.environ)\nMORE = {{**os.environ, 'MORE': '1'}}\n"
    "def noisy(data, rng):\n    return {read} + rng.laplace()\n"
)
STARTED = {
    "SHLVL": "7",
    "OLDPWD": "/",
    "_": "x",
    "DPVERIFY_OUTERMOST": "2",
    "PYTEST_CURRENT_TEST": "a",
    "TERM": "x",
}


@pytest.mark.parametrize("copy", COPIES)
def test_all_variables_count_but_those_that_differ_with_each_start(tmp_path, copy):
    files = {"mech.py": MECH.format(read=COPIES[copy])}
    asked = [("mech:noisy", files, each) for each in ({}, STARTED, {"SCALE": "1"}, {"SCALE": "2"})]
    before, started, one, two = keys(tmp_path, asked)
    assert before == started
    assert len({before, one, two}) == 3
    assert "unknown=''" in before


@pytest.mark.parametrize("name", ["DPVERIFY_SCALE", "PYTEST_SCALE"])
@pytest.mark.parametrize("read", ["float(os.environ.get({!r}, 1))", "float(dict(os.environ).get({!r}, 1))"])
def test_variables_of_the_users_own_count_whatever_they_begin_with(tmp_path, name, read):
    files = {"mech.py": MECH.format(read=read.format(name))}
    one, two = keys(tmp_path, [("mech:noisy", files, {name: each}) for each in "12"])
    assert one != two


def test_a_dict_with_some_of_these_names_is_no_copy(tmp_path):
    files = {"mech.py": "import os\nD = {'PWD': os.environ['X']}\ndef noisy(data, rng):\n    return D['PWD']\n"}
    one, two = keys(tmp_path, [("mech:noisy", files, {"X": each}) for each in "12"])
    assert one != two


def test_a_file_that_a_variable_names_counts(tmp_path):
    text = "import os, pyarrow.csv\n"
    text += "def noisy(data, rng):\n    return pyarrow.csv.read_csv(os.environ['FIT'])[0][0].as_py()\n"
    asked = [("mech:noisy", {"mech.py": text, "fit.csv": f"s\n{each}\n"}, {"FIT": "./fit.csv"}) for each in "121"]
    one, two, again = keys(tmp_path, asked)
    assert one == again != two
