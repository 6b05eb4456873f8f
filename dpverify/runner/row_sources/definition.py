"""Writes one definition as a text without its name, and lists the definitions that it refers to, in order.

The text is the syntax tree as Python 3.11's ``ast.dump`` writes it, without line numbers, docstrings, imports and
annotations; annotations of fields that state allowed values stay (`dpverify.core.rules`). Names are resolved through
the imports. A reference to another definition becomes a gap in the text, which the digest fills with a number, so names
and modules do not matter. Any other name is written as it is.

Where a reference cannot be resolved exactly, the text refers to too much rather than too little. A class counts as a
whole, whichever method is called. Code that looks up the registry refers to everything registered in that section. Code
that imports modules by name refers to everything that such modules of its package offer. Limits: an object that is
passed and never named is followed where it was made.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.runner.row_sources.import_graph import ExternalName, Found, Key, Sources, WholeModule
from dpverify.runner.row_sources.module import EFFECTS, Import, Module, imported, is_prose

GAP = "\0"
"""Marks a reference to a definition in a text."""

BY_NAME = ("build", "TEXTS")
"""Definitions offered by modules that are imported by name (`reference_impls.models.model.find_model`)."""

SECTIONS = (
    "accountants",
    "auditors",
    "calibrations",
    "datasets",
    "definitions",
    "known_broken",
    "lemmas",
    "mechanisms",
    "neighbors",
    "steps",
)
"""Sections of the registry that may decide numbers."""

_WORDING = {"Remark": None, "Source": None, "Claim": ("statement",), "Reading": ("text",)}
"""Calls whose arguments are text for readers, and so are left out: None for all arguments, else those named."""

_SKIPPED = ("ctx", "type_comment", "type_params", "annotation", "returns", "kind")
_DECIDING_ANNOTATIONS = ("ClassVar", "InitVar", "KW_ONLY", "Annotated", "Literal")
_TYPES = (ast.Subscript, ast.BinOp, ast.Name, ast.Attribute)
_PLACES = ("__name__", "__package__", "__file__", "__path__")
_REGISTRY = ExternalName("registry")


@dataclass(frozen=True, slots=True)
class Definition:
    """A text with gaps, and the definitions that fill them, in order."""

    text: str
    refers: tuple[Key, ...]


def definition(sources: Sources, key: Key) -> Definition:
    """The text of one definition, and the definitions that it refers to."""
    module = sources.module(key.module)
    assert module is not None, key  # keys are made from modules that exist
    nodes = _nodes(module, key.name)
    reader = _Reader(sources, module, nodes)
    text = "".join(reader.told(node, top=True) for node in nodes)
    groups = [sources.joined(key)]
    if key.name != EFFECTS and EFFECTS in module.definitions:
        groups.append([Key(module.name, EFFECTS)])
    groups += [reader.section(name) for name in sorted(reader.sections)]
    groups += [reader.siblings()] if reader.by_name else []
    for group in groups:
        members = sorted(group, key=lambda each: _plain(sources, each))
        text += f"[{GAP * len(members)}]"
        reader.refers += members
    return Definition(text, tuple(reader.refers))


def definitions_of_module(sources: Sources, module: str) -> list[Key]:
    """Keys of all definitions in a module."""
    found = sources.module(module)
    return [] if found is None else [Key(module, name) for name in found.definitions]


def _nodes(module: Module, name: str) -> Sequence[ast.AST]:
    if name.startswith("@"):
        return [module.registrations[int(name[1:])][1]]
    return module.definitions[name]


def _plain(sources: Sources, key: Key) -> tuple[str, str, str]:
    """Sort key that a move or rename does not change."""
    module = sources.module(key.module)
    assert module is not None, key
    return " ".join(ast.dump(node) for node in _nodes(module, key.name)), key.name, key.module


class _Reader:
    """Writes the statements of one definition as text, and collects the definitions that they refer to."""

    def __init__(self, sources: Sources, module: Module, nodes: Iterable[ast.AST]) -> None:
        self.sources, self.module = sources, module
        self.local: dict[str, Import] = {}
        for each in _statements(nodes):
            self.local.update(imported(each, module))
        self.refers: list[Key] = []
        self.sections: set[str] = set()
        self.by_name = False

    def told(self, node: Any, *, top: bool = False) -> str:
        """The text of a node; at the `top` without its own name."""
        if isinstance(node, list):
            kept = [each for each in node if not is_prose(each) and not isinstance(each, ast.Import | ast.ImportFrom)]
            return f"[{','.join(map(self.told, kept))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node)
        if self._looks_up(node):  # the registry is passed on, so any section may be looked up
            self.sections.update(SECTIONS)
        words: tuple[str, ...] | None = ()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = self.sources.find(self.module, node.func.id, self.local)
            words = _WORDING.get(node.func.id, ()) if not isinstance(called, Key) else ()
        skipped = ("name",) if top and hasattr(node, "body") else ()
        parts = []
        for name in node._fields:
            value = getattr(node, name, None)
            if name in skipped or (name in _SKIPPED and not self._decides(node, name)) or value is None:
                continue
            if words is None and name in ("args", "keywords"):
                continue
            if words and name == "keywords":
                value = [each for each in value if each.arg not in words]
            parts.append(f"{name}={self.told(value)}")
        return f"{type(node).__name__}({','.join(parts)})"

    def _decides(self, node: ast.AST, name: str) -> bool:
        """Tell whether this annotation has an effect at run time, beyond documenting a type."""
        if name == "annotation" and isinstance(node, ast.arg):
            return any(node is each for each in self._dispatched())
        if name != "annotation" or not isinstance(node, ast.AnnAssign):
            return False
        return self._says_more(node.annotation, self.module)

    def _says_more(self, hint: ast.AST, module: Module) -> bool:
        """Tell whether a type, or the alias that it names, contains one of the annotations with an effect."""
        for each in ast.walk(hint):
            if isinstance(each, ast.Name | ast.Attribute) and _last(each) in _DECIDING_ANNOTATIONS:
                return True
            if not isinstance(each, ast.Name):
                continue
            found = self.sources.find(module, each.id, self.local if module is self.module else {})
            source = self.sources.module(found.module) if isinstance(found, Key) else None
            if source is None or not isinstance(found, Key):
                continue
            types = [node.value for node in _nodes(source, found.name) if isinstance(node, ast.Assign)]
            if any(isinstance(value, _TYPES) and self._says_more(value, source) for value in types):
                return True
        return False

    def _dispatched(self) -> list[ast.arg]:
        """First parameters of ``singledispatch`` implementations, whose annotation decides when they are called."""
        functions = [node for _, node in self.module.registrations if isinstance(node, ast.FunctionDef)]
        return [node.args.args[0] for node in functions if node.args.args]

    def _named(self, node: ast.Name | ast.Attribute) -> str:
        """Write a name with attributes: attributes of a module are resolved, others are written as they are."""
        base, attributes = _chain(node)
        if not isinstance(base, ast.Name):
            if self._looks_up(base):
                self.sections.add(attributes[0])
                return f"<registry>.{'.'.join(attributes)}"
            return self.told(base) + "".join(f".{each}" for each in attributes)
        if base.id in _PLACES:
            self.by_name = True
        found: Found = self.sources.find(self.module, base.id, self.local)
        while isinstance(found, WholeModule) and attributes:
            inner = self.sources.member(found.module, attributes[0])
            if inner is None:
                break
            found, attributes = inner, attributes[1:]
        rest = "".join(f".{each}" for each in attributes)
        if isinstance(found, Key):
            self.refers.append(found)
            return f"<{GAP}>{rest}"
        if isinstance(found, WholeModule) and found.followed:
            members = sorted(
                definitions_of_module(self.sources, found.module), key=lambda each: _plain(self.sources, each)
            )
            self.refers += members
            return f"<{GAP * len(members)}>{rest}"
        if isinstance(found, WholeModule):
            return f"<{found.module}>{rest}"
        if isinstance(found, ExternalName):
            if found.name.endswith("import_module"):
                self.by_name = True
            return f"<{found.name}>{rest}"
        return f"{base.id}{rest}"

    def _looks_up(self, base: ast.AST) -> bool:
        """Tell whether the node is ``registry()``, whose section is looked up."""
        return (
            isinstance(base, ast.Call)
            and isinstance(base.func, ast.Name)
            and self.sources.find(self.module, base.func.id, self.local) == _REGISTRY
        )

    def section(self, name: str) -> list[Key]:
        """Everything registered in a section of the registry."""
        found = self.sources.containing(f"registry.{name}.add(")
        return [Key(module.name, "register") for module in found if "register" in module.definitions]

    def siblings(self) -> list[Key]:
        """Definitions that the package's modules offer for import by name; all definitions where none offers any."""
        package = self.module.package
        names = [name for name in self.sources.names() if name.rpartition(".")[0] == package]
        modules = [module for module in map(self.sources.module, names) if module is not None]
        offered = [module for module in modules if BY_NAME[0] in module.definitions]
        if offered:
            return [Key(module.name, name) for module in offered for name in BY_NAME if name in module.definitions]
        return [Key(module.name, name) for module in modules for name in module.definitions]


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes and all statements in them, layer by layer; no expression has a statement in it."""
    for top in nodes:
        waiting = deque([top])
        while waiting:
            node = waiting.popleft()
            yield node
            for name in ("body", "handlers", "orelse", "finalbody", "cases"):
                inner = getattr(node, name, None)
                waiting.extend(inner if isinstance(inner, list) else ())


def _chain(node: ast.AST) -> tuple[ast.AST, list[str]]:
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    return node, attributes


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr
