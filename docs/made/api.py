"""The API reference, from docstrings: what users import, what authors of plug-ins import, and each registered thing."""

from importlib import import_module
from pkgutil import walk_packages

import dpverify
import dpverify.plugin
import dpverify.testing

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


def pages() -> dict[str, str | bytes]:
    """Texts in reStructuredText, which autodoc writes."""
    users = [name for name in dpverify.__all__ if name != "__version__"]
    authors = [name for name in dpverify.plugin.__all__ if name not in users]
    testing = [name for name in dpverify.testing.__all__ if name not in users]
    made: dict[str, str | bytes] = {
        "users.rst": _public("dpverify", users, "Python: dpverify"),
        "plugins.rst": _public("dpverify.plugin", authors, "Python: dpverify.plugin"),
        "testing.rst": _public("dpverify.testing", testing, "Python: dpverify.testing"),
    }
    for name, package in ROOMS.items():
        text = "".join(f"{m}\n{'-' * len(m)}\n\n.. automodule:: {m}\n   :no-members:\n\n" for m in _modules(package))
        title = name.upper() if name == "admm" else name.replace("_", " ").capitalize()
        made[f"{name}.rst"] = _title(title) + text
    return made


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"


def _public(module: str, names: list[str], title: str) -> str:
    text = _title(title) + f".. automodule:: {module}\n   :no-members:\n\n"
    return text + "".join(_object(module, name) for name in names)


def _object(module: str, name: str) -> str:
    found = getattr(import_module(module), name)
    kind = "autoclass" if isinstance(found, type) else "autofunction" if callable(found) else "autodata"
    members = "   :members:\n" if kind == "autoclass" and not issubclass(found, BaseException) else ""
    return f".. {kind}:: {module}.{name}\n{members}\n"


def _modules(package: str) -> list[str]:
    home = import_module(package)
    return sorted(each.name for each in walk_packages(home.__path__, f"{package}.") if not each.ispkg)
