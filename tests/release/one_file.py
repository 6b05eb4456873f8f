"""Makes one file, which somebody can read from its first line to its last, of what computes a verdict again.

    python -m tests.release.one_file FOLDER    # check_proof.py, which needs numpy alone

The modules are taken whole, in the order in which they need each other, with their words; imports of each other are
left out, and a name that two modules have gets the name of its module. `make release` puts the file into `dist/`.
"""

from __future__ import annotations

import ast
import builtins
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("dpverify", "auditors")

CHECK_PROOF = r'''
def main(path):
    """Say in one line what the proof in this file supports."""
    try:
        told = read(path)
        _, upper = checked(told)
        together = f" of up to {told['records']} records together" if told["records"] > 1 else ""
        kind, place = told["claim"], f"{told['relation']}{together}, {told['domain']['text']}"
        said = f"proved: {kind['text']}: {MEASURED[kind['kind']]} <= {upper!r}, {place}"
        said += "\nit rests on: " + "; ".join(map(str, told["assumptions"]))
    except ProofError as problem:
        said = f"does not hold: {problem}"
    except (KeyError, TypeError) as problem:
        said = f"does not hold: not in its form: {type(problem).__name__}: {problem}"
    try:
        print(said, flush=True)
    except BrokenPipeError:  # nobody reads on
        sys.stdout = None
    return 0 if said.startswith("proved") else 1
'''


@dataclass(frozen=True)
class File:
    """A file that is made: its modules, the names of the last part, and what it says of itself."""

    title: str
    roots: tuple[str, ...]
    last: str


FILES = {
    "check_proof.py": File(
        "Checks a proof that dpverify read off somebody's code: python check_proof.py PROOF.json (needs numpy alone)",
        ("dpverify.proofs.certificate", "dpverify.proofs.operations"),
        CHECK_PROOF,
    ),
}


def one_file(file: File) -> str:
    """The text of the file."""
    order: list[str] = []
    for root in file.roots:
        _place(root, order)
    own = {module: sorted(set(_bound(module))) for module in order}
    counts = Counter(name for names in own.values() for name in names)
    counts.update({*dir(builtins), *(name for module in order for name in _from_others(module))})
    new = {
        (module, name): f"{name}_{module.rpartition('.')[2]}" if counts[name] > 1 else name
        for module in order
        for name in own[module]
    }
    asked = {target for module in order for target in _as_modules(module)}
    parts, outside = [], {"import sys"}
    for module in order:
        text, imports = _without_imports(module, new)
        outside |= imports
        last = module.rpartition(".")[2]
        if module in asked:
            outside.add("from types import SimpleNamespace")
            names = ", ".join(f"{name}={new[module, name]}" for name in own[module])
            text = f"{text.rstrip()}\n\n\n{last} = SimpleNamespace({names})"
        parts.append(f"# ---- {module.replace('.', '/')}.py\n\n{text.strip()}\n")
    about = "Made of dpverify's sources; Apache-2.0. What it rests on stands in the words of each part."
    head = f'"""{file.title}\n\n{about}\n"""\n'
    lines = "\n".join(sorted(outside, key=lambda line: (line.startswith("from"), line)))
    call = 'main(sys.argv[1]) if len(sys.argv) == 2 else "one argument: the file"'
    end = f'if __name__ == "__main__":\n    sys.exit({call})\n'
    return "\n\n".join([f"{head}\nfrom __future__ import annotations\n\n{lines}", *parts, file.last.strip(), end])


def _path(module: str) -> Path:
    place = ROOT.joinpath(*module.split("."))
    return place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"


def _ours(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS


def _place(module: str, order: list[str], above: tuple[str, ...] = ()) -> None:
    """Put a module behind all that it imports from us, but for what only its annotations name."""
    if module in order or module in above:
        return
    for node in _imports(ast.parse(_path(module).read_text(encoding="utf-8"))):
        for target in _targets(node):
            _place(target, order, (*above, module))
    order.append(module)


def _targets(node: ast.AST) -> list[str]:
    """Our modules that a statement imports, or imports from."""
    if not _ours(node):
        return []
    assert isinstance(node, ast.ImportFrom)
    inner = [f"{node.module}.{each.name}" for each in node.names]
    return [each for each in inner if _path(each).exists()] or [str(node.module)]


def _as_modules(module: str) -> Iterator[str]:
    """Our modules that this one imports whole."""
    for node in _imports(ast.parse(_path(module).read_text(encoding="utf-8"))):
        yield from (each for each in _targets(node) if each != getattr(node, "module", None))


def _from_others(module: str) -> Iterator[str]:
    """Names that it takes from other packages."""
    for node in _imports(ast.parse(_path(module).read_text(encoding="utf-8"))):
        if not _ours(node):
            yield from (each.asname or each.name for each in node.names)


def _imports(tree: ast.AST) -> Iterator[ast.ImportFrom | ast.Import]:
    """Import statements at any depth; those of type checkers left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield node
        yield from _imports(node)


def _bound(module: str) -> Iterator[str]:
    """Names that the module's own statements bind."""
    for node in ast.parse(_path(module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def _without_imports(module: str, new: dict[tuple[str, str], str]) -> tuple[str, set[str]]:
    """The module's text without its imports and with the new names; the imports of other packages."""
    text = _path(module).read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    renamed = {name: told for (home, name), told in new.items() if home == module and told != name}
    outside: set[str] = set()
    dropped = {"from __future__ import annotations"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            if _ours(node):
                for each in node.names:
                    told = new.get((str(node.module), each.name), each.name)
                    if told != (each.asname or each.name):
                        renamed[each.asname or each.name] = told
            elif ast.unparse(node) not in dropped and node.col_offset == 0:
                outside.add(ast.unparse(node))
            if node.col_offset == 0 or _ours(node):
                lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return _renamed("\n".join(lines), renamed), outside


def _renamed(text: str, names: dict[str, str]) -> str:
    if not names:
        return text
    found, before = [], ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        told = names.get(token.string) if token.type == tokenize.NAME and before != "." else None
        found.append((token.start, token.end, told))
        before = token.string
    lines = text.splitlines()
    for (row, start), (_, end), told in reversed(found):
        if told is not None:
            lines[row - 1] = lines[row - 1][:start] + told + lines[row - 1][end:]
    return "\n".join(lines)


def write(folder: Path) -> list[Path]:
    """Write all files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    for path in paths:
        path.write_text(one_file(FILES[path.name]), encoding="utf-8")
    return paths


if __name__ == "__main__":
    write(Path(sys.argv[1]))
