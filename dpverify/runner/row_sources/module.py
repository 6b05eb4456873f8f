"""One module's source: which top-level names it defines, by which statements, and which it imports."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field

EFFECTS = "<effects>"
"""The key of a module's other statements (loops, calls) that run when it is imported."""


@dataclass(frozen=True, slots=True)
class Import:
    """``import module`` (no name) or ``from module import name``."""

    module: str
    name: str | None = None


@dataclass(slots=True)
class Module:
    """The top level of a module."""

    name: str
    is_package: bool
    definitions: dict[str, list[ast.AST]] = field(default_factory=lambda: defaultdict(list))
    """Statements by the name that they bind; a name that is bound twice has both statements."""
    imports: dict[str, Import] = field(default_factory=dict)
    """Imports by the name that they bind here."""
    registrations: list[tuple[str, ast.AST]] = field(default_factory=list)
    """List of (name, node): functions that ``@name.register`` adds to the definition called `name`."""

    @property
    def package(self) -> str:
        """The package that contains the module, or that it is."""
        return self.name if self.is_package else self.name.rpartition(".")[0]


def read(name: str, text: str, *, is_package: bool) -> Module:
    """Parse one module's source text."""
    module = Module(name=name, is_package=is_package)
    _read(ast.parse(text).body, module)
    return module


def imported(node: ast.AST, module: Module) -> dict[str, Import]:
    """The names that an import statement binds."""
    if isinstance(node, ast.Import):
        # ``import a.b`` binds a; ``import a.b as c`` binds c to a.b.
        return {
            each.asname or each.name.partition(".")[0]: Import(
                each.name if each.asname else each.name.partition(".")[0]
            )
            for each in node.names
        }
    if isinstance(node, ast.ImportFrom):
        source = node.module or ""
        if node.level:
            parts = module.package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1])
            source = f"{base}.{source}" if source else base
        return {each.asname or each.name: Import(source, each.name) for each in node.names}
    return {}


def is_prose(node: object) -> bool:
    """Tell whether a statement is a docstring or another bare string, which has no effect."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _read(body: list[ast.stmt], module: Module) -> None:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module.imports.update(imported(node, module))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            joined = _registered_to(node)
            if joined:
                module.registrations.append((joined, node))
            module.definitions[node.name].append(node)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            _read(node.orelse, module)
        elif not is_prose(node):
            _other(node, module)
    if EFFECTS in module.definitions:  # statements that run on import keep their order among the definitions
        module.definitions[EFFECTS] = [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]


def _other(node: ast.stmt, module: Module) -> None:
    """File an assignment under the names that it binds; any statement that does more is an effect."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    if targets and all(isinstance(each, ast.Name | ast.Tuple | ast.List) for each in targets):
        for name in {name for target in targets for name in _names(target)}:
            module.definitions[name].append(node)
        return
    bound = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Import | ast.ImportFrom):
            module.imports.update(imported(each, module))
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(each.name)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            bound.add(each.id)
    for name in bound:
        module.definitions[name].append(node)
    if not _only_binds(node):
        module.definitions[EFFECTS].append(node)


def _only_binds(node: ast.stmt) -> bool:
    """Tell whether a statement does nothing but bind names."""
    if isinstance(node, ast.If):
        return all(map(_only_binds, [*node.body, *node.orelse]))
    if isinstance(node, ast.Try):
        caught = [each for handler in node.handlers for each in handler.body]
        return all(map(_only_binds, [*node.body, *caught, *node.orelse, *node.finalbody]))
    if isinstance(node, ast.Assign):
        return all(isinstance(each, ast.Name | ast.Tuple | ast.List) for each in node.targets)
    binding = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Pass
    return (
        isinstance(node, binding)
        or is_prose(node)
        or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name))
    )


def _registered_to(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """The function that a ``singledispatch`` implementation is registered to; empty for other statements."""
    for each in node.decorator_list:
        called = each.func if isinstance(each, ast.Call) else each
        if isinstance(called, ast.Attribute) and called.attr == "register" and isinstance(called.value, ast.Name):
            return called.value.id
    return ""


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
