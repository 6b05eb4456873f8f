"""What `module:name` finds, instances by their arguments, and what is told of a name that is nearly right."""

from __future__ import annotations

import pytest

from dpverify.adapters.named_callable import load_callable
from dpverify.core.errors import InputError

MODULE = """
class Sum:
    def __init__(self, epsilon, kind="laplace"):
        if epsilon < 0:
            raise ValueError("no\\nluck")
        self.epsilon, self.kind = epsilon, kind

    def sample(self, dataset, size, *, rng):
        return sum(dataset) + rng.laplace(scale=1 / self.epsilon, size=size)

def noisy_sum(data, rng, epsilon):
    return sum(data)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "named_here").mkdir()
    (tmp_path / "named_here" / "__init__.py").write_text("")
    (tmp_path / "named_here" / "sums.py").write_text(MODULE)
    (tmp_path / "raises_on_import.py").write_text("raise RuntimeError('no\\nluck')")
    monkeypatch.syspath_prepend(tmp_path)


def test_callables_by_name():
    assert load_callable("math:sqrt")(4) == 2
    assert load_callable("pathlib:Path.exists").__name__ == "exists"


def test_a_class_with_arguments_is_its_instance(module):
    found = load_callable("named_here.sums:Sum(epsilon=2.0, kind='a:b(c')")
    assert (found.epsilon, found.kind) == (2.0, "a:b(c")
    found = load_callable("named_here.sums:Sum(epsilon=1, kind=[-2, (None, {True: 3})])")
    assert found.kind == [-2, (None, {True: 3})]
    assert load_callable("named_here.sums:Sum(epsilon=2.0).sample").__self__.epsilon == 2.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("math", "allowed: PACKAGE.MODULE:CALLABLE"),
        ("math:", "allowed: PACKAGE.MODULE:CALLABLE"),
        ("math:sqrt[0]", "allowed: PACKAGE.MODULE:CALLABLE"),
        ("math:(lambda: 1)", "allowed: PACKAGE.MODULE:CALLABLE"),
        ("math:pi", "is a float"),
        ("no_such_module_here:f", "no module called 'no_such_module_here'.*start in the folder"),
        ("math:no_such", "'math' has no 'no_such'"),
        ("raises_on_import:f", "RuntimeError: no luck"),
        ("mymodule.py", "names a file; .*did you mean mymodule:CALLABLE\\?"),
        ("mymodule.py:half", "names a file; .*did you mean mymodule:half\\?"),
        ("./acme/mech.py:Sum(epsilon=1.0)", r"did you mean acme.mech:Sum\(epsilon=1.0\)\?"),
        (r"C:\work\mymodule.py:half", r"did you mean mymodule:half, started in the folder C:\\work\\\?"),
        ("../other/mymodule.py:half", r"did you mean mymodule:half, started in the folder ../other/\?"),
        ("named_here.sums:noisy_sun", r"did you mean noisy_sum\?"),
        ("named_here.sum:noisy_sum", r"did you mean named_here.sums:noisy_sum\?"),
        ("named_hear.sums:noisy_sum", r"did you mean named_here.sums:noisy_sum\?"),
        ("named_here.sums:Sum(epsilon=-1)", r"Sum\(epsilon=-1\) raised ValueError: no luck"),
        ("named_here.sums:Sum()", r"Sum needs epsilon; allowed: Sum\(epsilon=1.0\)"),
        ("named_here.sums:Sum(eps=1)", r"parameters with 'eps'; allowed: parameters of Sum: epsilon, kind"),
        ("named_here.sums:Sum(1)", "gives 1 without a name"),
        ("named_here.sums:Sum(epsilon=open('x'))", r"Sum with epsilon=open\('x'\); allowed: NAME=VALUE"),
        ("named_here.sums:Sum(epsilon=1, kind=laplace)", "a text stands in quotes: kind='laplace'"),
        ("named_here.sums:Sum(**{'epsilon': 1})", "allowed: NAME=VALUE"),
        ("named_here.sums:noisy_sum(epsilon=1)", "which is no class; .*--parameters 'epsilon=1.0'"),
    ],
)
def test_bad_names_are_one_line(module, text, words):
    with pytest.raises(InputError, match=words) as caught:
        load_callable(text)
    assert "\n" not in str(caught.value)


def test_nothing_typed_is_evaluated(module, tmp_path):
    for text in (f"open({str(tmp_path / 'x')!r}, 'w')", "().__class__", "[y for y in ()]"):
        with pytest.raises(InputError):
            load_callable(f"named_here.sums:Sum(epsilon={text})")
    assert not (tmp_path / "x").exists()
