"""Makes one file, which somebody can read from its first line to its last, of what computes a verdict again.

    python -m tests.release.one_file FOLDER    # check_proof.py (numpy alone), recheck_event.py (numpy and scipy)

`recheck_counts.py`, which shares no line with us, is copied from the page that explains it. `check_losses.py` is one
file as it is (the standard library alone).

The modules are taken in the order in which they need each other, with their words; imports of each other are left out,
and a name that two modules have gets the name of its module. They are taken whole, or, where a file names definitions,
as far as these reach. `make release` puts the files into `dist/`.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import shutil
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dpverify.runner.row_sources import DECIDING, Key, Sources, reached_definitions

IMPORTS = (ast.Import, ast.ImportFrom)
ROOT = Path(__file__).parents[2]
OURS = ("dpverify", "auditors")

CHECK_LOSSES = Path("dpverify/accounting/proved/check_losses.py")
"""One file as it stands."""

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


RECHECK_EVENT = r'''
KINDS = {"PureDP": PureDP, "ApproxDP": ApproxDP}
CLOSE = 1e-9


def claim_of(text):
    """The claim ``PureDP(epsilon=1)`` or ``ApproxDP(epsilon=1, delta=1e-05)``."""
    found = re.fullmatch(r"(\w+)\((.*)\)", text)
    if found is None or found[1] not in KINDS:
        raise InputError(f"the claim {text[:60]}", allowed="PureDP and ApproxDP; `dpverify recheck` knows the others")
    pairs = [each.split("=") for each in found[2].split(",")]
    return KINDS[found[1]](**{name.strip(): float(value) for name, value in pairs})


def again(record):
    """The bound of the counted event of a record, computed anew: (measure, printed bound, bound now, level)."""
    found = record["evidence"][0]
    said = SimpleNamespace(statistics=found["statistics"], witness=found["witness"])
    now = one_event(claim_of(record["guarantee"]), said)
    level = float(found["statistics"].get("level", now.alpha))
    within("the counts", now.alpha, level)
    within("the level", level, (1.0 - float(found["confidence"])) * (1.0 + 1e-9))
    return now.measure, float(found["bound"]), now.bound, level


def main(path):
    """Say in one line for each record what its counts show."""
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError) as problem:
        print(f"{path} cannot be read: {problem}")
        return 2
    status = 0
    for record in told if isinstance(told, list) else [told]:
        try:
            measure, printed, bound, level = again(record)
            shown = f"{measure.kind} >= {bound!r}, claimed {measure.claimed!r}, at the level {level:.6g}"
            verdict = "refuted" if bound > measure.claimed else "not refuted"
            right = abs(printed - bound) <= CLOSE * max(1.0, abs(bound)) and (record["verdict"] == "refuted") == (
                verdict == "refuted"
            )
            said = f"{'confirmed' if right else 'differs'}: {record['id']}: {verdict}: {shown}"
            if not right:
                said += f"; the record says {record['verdict']}, {printed!r}"
            status = max(status, 0 if right else 1)
        except (DpverifyError, LackingError, ContradictionError) as problem:
            said, status = f"not checked: {problem}", max(status, 3)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
            said, status = f"not checked: not in its form: {type(problem).__name__}: {problem}", max(status, 3)
        print(said, flush=True)
    return status
'''


@dataclass(frozen=True)
class File:
    """A file that is made: its modules, the names of the last part, and what it says of itself.

    `definitions`: where the file has no more than these reach; empty for whole modules. `needs`: imports of `last`.
    """

    title: str
    roots: tuple[str, ...]
    last: str
    definitions: tuple[Key, ...] = ()
    needs: tuple[str, ...] = ()


FILES = {
    "check_proof.py": File(
        "Checks a proof that dpverify read off somebody's code: python check_proof.py PROOF.json (needs numpy alone)",
        ("dpverify.proofs.certificate", "dpverify.proofs.operations"),
        CHECK_PROOF,
    ),
    "recheck_event.py": File(
        "Computes the bounds of counted events again from a record: python recheck_event.py RECORD.json",
        ("auditors.privacy.sampled_evidence", "dpverify.core.light_optimize", "dpverify.definitions.pure_dp"),
        RECHECK_EVENT,
        (
            Key("auditors.privacy.sampled_evidence", "one_event"),
            Key("dpverify.core.light_optimize", "brentq"),
            Key("dpverify.definitions.pure_dp", "PureDP"),
            Key("dpverify.definitions.pure_dp", "ApproxDP"),
            Key("dpverify.core.errors", "DpverifyError"),
        ),
        ("import json", "import re", "from types import SimpleNamespace"),
    ),
}


def one_file(file: File) -> str:
    """The text of the file."""
    order: list[str] = []
    for root in file.roots:
        _place(root, order)
    kept = _kept(file.definitions)
    if kept:
        order = [module for module in order if module in kept]
    own = {module: sorted(kept[module] if kept else set(_bound(module))) for module in order}
    counts = Counter(name for names in own.values() for name in names)
    counts.update({*dir(builtins), *(name for module in order for name in _from_others(module))})
    new = {
        (module, name): f"{name}_{module.rpartition('.')[2]}" if counts[name] > 1 else name
        for module in order
        for name in own[module]
    }
    asked = {target for module in order for target in _as_modules(module)}
    parts, outside = [], {"import sys", *file.needs}
    for module in order:
        text, imports = _without_imports(module, new, kept.get(module))
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


def _kept(roots: tuple[Key, ...]) -> dict[str, set[str]]:
    """By module the names of all definitions that these reach."""
    found: dict[str, set[str]] = {}
    sources = Sources(packages=(*DECIDING, "dpverify.core"))
    for key in {*roots, *(reached_definitions(roots, sources=sources) if roots else ())}:
        found.setdefault(key.module, set()).add(key.name)
    return found


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
        yield from _names(node)


def _names(node: ast.stmt) -> Iterator[str]:
    """Names that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def _left_out(tree: ast.Module, kept: set[str]) -> Iterator[range]:
    """Lines, from 0, of definitions that are not kept, with the words behind them; blank lines before them, too."""
    gone = False
    for place, node in enumerate(tree.body):
        prose = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        gone = gone if prose and place else not prose and not isinstance(node, IMPORTS) and not {*_names(node)} & kept
        if gone:
            assert node.end_lineno is not None
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            yield range(first - 1, node.end_lineno)


def _without_imports(
    module: str, new: dict[tuple[str, str], str], kept: set[str] | None = None
) -> tuple[str, set[str]]:
    """The module's text without its imports and with the new names; the imports of other packages."""
    text = _path(module).read_text(encoding="utf-8")
    if kept is not None:
        lines = text.splitlines()
        for part in _left_out(ast.parse(text), kept):
            lines[part.start : part.stop] = [""] * len(part)
        text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))
    tree, lines = ast.parse(text), text.splitlines()
    used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} if kept is not None else None
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
                each_one = [ast.unparse(node)] if used is None else list(_one_by_one(node))
                outside |= {each for each in each_one if used is None or _given(each) in used}
            if node.col_offset == 0 or _ours(node):
                lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return _renamed("\n".join(lines), renamed), outside


def _one_by_one(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield an import statement for each name."""
    for each in node.names:
        one = ast.Import([each]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [each], node.level)
        yield ast.unparse(one)


def _given(statement: str) -> str:
    """The name that an import statement of one name binds."""
    return re.split(r" as | import |import ", statement)[-1].partition(".")[0]


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


PAGE, OF_PAGE = ROOT / "docs/why/without-us.md", "recheck_counts.py"


def of_page() -> str:
    """The text of the file that the page has, which begins with its name."""
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(f"# {OF_PAGE}")
    return text[start : text.index("```\n", start)]


def write(folder: Path) -> list[Path]:
    """Write all files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {name: one_file(file) for name, file in FILES.items()} | {OF_PAGE: of_page()}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [*(folder / name for name in texts), Path(shutil.copy(ROOT / CHECK_LOSSES, folder))]


if __name__ == "__main__":
    write(Path(sys.argv[1]))
