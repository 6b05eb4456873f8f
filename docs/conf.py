"""The API reference, from docstrings: `make reference` builds it with warnings as errors."""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import dpverify
import dpverify.plugin
import dpverify.testing

project = "dpverify"
author = "The dpverify founders"
release = dpverify.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes of dataclasses once, not beside their fields
default_role = "code"
html_theme = "alabaster"
html_theme_options = {"nosidebar": False, "page_width": "1100px"}
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

PAGES = Path(__file__).parent / "generated"
ROOMS = {
    "mechanisms": "reference_impls.mechanisms",
    "known_broken": "reference_impls.known_broken",
    "floating_point": "reference_impls.floating_point",
    "optimizers": "reference_impls.optimizers",
    "line_search": "reference_impls.line_search",
    "admm": "reference_impls.admm",
    "ranking": "reference_impls.ranking",
    "federated": "reference_impls.federated",
    "models": "reference_impls.models",
    "auditors": "auditors",
}
"""One page each, of the modules' own docstrings."""


_LITERAL = re.compile(r"(``.*?``)")


def _escape_bars(_app: Any, _what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    """``|B|`` is a size in our docstrings, and no substitution."""
    for at, line in enumerate(lines):
        pieces = _LITERAL.split(line)
        lines[at] = "".join(piece if piece.startswith("``") else piece.replace("|", "\\|") for piece in pieces)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _escape_bars)


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"


def _public(module: str, names: list[str], before: str) -> str:
    text = before + f".. automodule:: {module}\n   :no-members:\n\n"
    return text + "".join(_object(module, name) for name in names)


def _object(module: str, name: str) -> str:
    found = getattr(import_module(module), name)
    kind = "autoclass" if isinstance(found, type) else "autofunction" if callable(found) else "autodata"
    members = "   :members:\n" if kind == "autoclass" and not issubclass(found, BaseException) else ""
    return f".. {kind}:: {module}.{name}\n{members}\n"


def _modules(package: str) -> list[str]:
    home = import_module(package)
    return sorted(each.name for each in walk_packages(home.__path__, f"{package}.") if not each.ispkg)


def _write() -> None:
    PAGES.mkdir(exist_ok=True)
    users = [name for name in dpverify.__all__ if name != "__version__"]
    authors = [name for name in dpverify.plugin.__all__ if name not in users]
    (PAGES / "users.rst").write_text(_public("dpverify", users, _title("For users: dpverify")))
    (PAGES / "plugins.rst").write_text(_public("dpverify.plugin", authors, _title("For plug-ins: dpverify.plugin")))
    names = [name for name in dpverify.testing.__all__ if name not in users]
    (PAGES / "testing.rst").write_text(_public("dpverify.testing", names, _title("For authors: dpverify.testing")))
    for name, package in ROOMS.items():
        pages = "".join(f"{m}\n{'-' * len(m)}\n\n.. automodule:: {m}\n   :no-members:\n\n" for m in _modules(package))
        (PAGES / f"{name}.rst").write_text(_title(name.replace("_", " ").capitalize()) + pages)


_write()
