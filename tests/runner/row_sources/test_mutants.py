"""Real changes to the definitions that rows of the ledger reach: each is noticed by the rows that reach it alone.

Mutants are made of the syntax trees of this checkout: a constant, an operator, a comparison, a default, a called name,
a decorator or a dtype is another one. Which ones are tried is the same in every run.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger import committed_records
from dpverify.ledger.stale import parts_of
from dpverify.runner.row_sources import Key, Sources, digest, installed_sources, reached_definitions
from dpverify.runner.row_sources.module import Module

MUTANTS = 240
KINDS = ("constant", "operator", "comparison", "default", "called name", "decorator", "dtype")

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
DTYPES = {"float64": "float32", "int64": "int32", "uint64": "uint32"}


def rows() -> dict[str, list[object]]:
    """What decides each row that has a record."""
    known = registry()
    found = {}
    for _, claim in known.claims.items():
        for single in claim.single():
            kept = committed_records.read_record(single.id)
            if kept is not None:
                found[single.id] = parts_of(known, single, [part["auditor"] for part in kept["evidence"]])
    return found


def places(tree: ast.AST, kind: str, imports: list[str]) -> Iterator[tuple[ast.AST, str]]:
    """Nodes that can be mutated so; prose is left out, and annotations but those that say what a field may hold."""
    prose: set[int] = set()
    for each in ast.walk(tree):
        for name in ("annotation", "returns"):
            value = getattr(each, name, None)
            if value is not None and not (isinstance(each, ast.AnnAssign) and "Annotated" in ast.unparse(value)):
                prose |= {id(node) for node in ast.walk(value)}
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
            prose.add(id(each.value))
    for each in ast.walk(tree):
        if id(each) in prose:
            continue
        number = isinstance(each, ast.Constant) and isinstance(each.value, int | float)
        if (
            (kind == "constant" and number)
            or (kind == "operator" and isinstance(each, ast.BinOp) and type(each.op) in OPERATORS)
            or (kind == "comparison" and isinstance(each, ast.Compare) and type(each.ops[0]) in COMPARISONS)
            or (kind == "default" and isinstance(each, ast.arguments) and any(_plain(d) for d in _defaults(each)))
            or (kind == "called name" and isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and imports)
            or (kind == "decorator" and getattr(each, "decorator_list", None))
            or (kind == "dtype" and isinstance(each, ast.Attribute) and each.attr in DTYPES)
        ):
            yield each, kind


def _defaults(node: ast.arguments) -> list[ast.expr]:
    return [each for each in (*node.defaults, *node.kw_defaults) if each is not None]


def _plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def mutate(node: ast.AST, kind: str, imports: list[str], rng: random.Random) -> None:
    if kind == "default":
        node = rng.choice([each for each in _defaults(node) if _plain(each)])
        kind = "constant"
    if kind == "constant":
        node.value = (not node.value) if isinstance(node.value, bool) else node.value + 1
    elif kind == "operator":
        node.op = OPERATORS[type(node.op)]()
    elif kind == "comparison":
        node.ops[0] = COMPARISONS[type(node.ops[0])]()
    elif kind == "called name":
        node.func = ast.Name(rng.choice([name for name in imports if name != node.func.id] or ["print"]), ast.Load())
    elif kind == "decorator":
        node.decorator_list = node.decorator_list[1:]
    else:
        node.attr = DTYPES[node.attr]


def mutant(key: Key, kind: str, rng: random.Random) -> str | None:
    """The module's text with one change in the definition; None where it has no place for one."""
    module = installed_sources().module(key.module)
    imports = sorted(name for name, given in module.imports.items() if given.name and given.name[0].islower())
    whole, before = plain(key.module)
    if not places_of(whole, key, kind, imports):  # most have none
        return None
    tree = ast.parse(before)
    mutate(*rng.choice(places_of(tree, key, kind, imports)), imports, rng)
    after = ast.unparse(tree)
    return after if after != before else None


@cache
def plain(module: str) -> tuple[ast.Module, str]:
    """The tree of a module, which nobody changes, and the text that it has by itself."""
    tree = ast.parse(installed_sources().text(module))
    return tree, ast.unparse(tree)


def places_of(tree: ast.Module, key: Key, kind: str, imports: list[str]) -> list[tuple[ast.AST, str]]:
    defining = [node for node in tree.body if key.name in _bound(node)]
    return [place for node in defining for place in places(node, kind, imports)]


def _bound(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return {getattr(node, "name", ""), *(each.id for each in targets if isinstance(each, ast.Name))}


def binds(module: Module) -> tuple[object, ...]:
    """Everything in a module that can change the meaning of a name in another module."""
    return set(module.definitions), module.imports, [name for name, _ in module.registrations]


def with_text(now: Sources, module: str, text: str) -> Sources:
    """The sources with another text of one module; the cache is kept where it binds and imports the same names."""
    others = {name: read for name, read in now._modules.items() if name != module}
    changed = Sources(now.packages, now.root, {**now.texts, module: text}, others)
    changed._paths, changed._on_disk = now._paths, now._on_disk
    before, after = now.module(module), changed.module(module)
    if before is not None and after is not None and binds(before) == binds(after):
        changed._joined = now._joined
        changed.told.update({key: told for key, told in now.told.items() if key.module != module})
    return changed


def test_every_real_change_is_noticed_where_it_is_reached_and_nowhere_else():
    rng = random.Random(20)  # which mutants are tried; every one of them must be noticed
    things = rows()
    reach = defaultdict(list)
    for name, parts in things.items():
        for key in reached_definitions(parts):
            reach[key].append(name)
    assert len(reach) > 1500
    before = cache(lambda name: digest(things[name]))
    keys = sorted(key for key in reach if not key.name.startswith(("@", "<")))
    made: dict[str, int] = defaultdict(int)
    while sum(made.values()) < MUTANTS:
        key, kind = rng.choice(keys), KINDS[sum(made.values()) % len(KINDS)]
        text = mutant(key, kind, rng)
        if text is None:
            continue
        changed = with_text(installed_sources(), key.module, text)
        made[kind] += 1
        for name in rng.sample(reach[key], min(2, len(reach[key]))):
            assert digest(things[name], sources=changed) != before(name), (key, kind, name)
        other = rng.choice(sorted(things))
        effects = Key(module=key.module, name="<effects>")  # of a module that changes something: all of its text
        if other not in {*reach[key], *reach[effects]}:
            assert digest(things[other], sources=changed) == before(other), (key, kind, other)
    assert min(made[kind] for kind in KINDS) > 30


@pytest.mark.parametrize("name", ["BL-SENS-OBJ.b", "BL-AMP-SHARED.a", "RS-RDP.nominal"])
def test_the_same_sources_written_anew_by_another_hand_change_nothing(name):
    """Comments, blank lines, quotes and brackets are another's: what ``ast.unparse`` makes of each module."""
    parts = rows()[name]
    anew = Sources(
        texts={
            key.module: ast.unparse(ast.parse(installed_sources().text(key.module)))
            for key in reached_definitions(parts)
        }
    )
    assert digest(parts, sources=anew) == digest(parts)
