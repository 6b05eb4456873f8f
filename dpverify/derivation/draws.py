"""The random generator: noise with a rule, and random numbers that have nothing to do with the data."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.core.declared_noise import LAWS, DeclaredNoise
from dpverify.core.numpy_random import GLOBAL
from dpverify.derivation import homes, known
from dpverify.derivation.frames import of_outside
from dpverify.derivation.machine import Machine
from dpverify.derivation.operators import elementwise
from dpverify.derivation.reader import Reader
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, Generator, Lifted, NoiseDraw, Private, Public, Size
from dpverify.proofs.node import Node
from dpverify.proofs.program import ProofProgram

PARAMETERS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "laplace": (("loc", "scale", "size"), {"loc": 0.0, "scale": 1.0, "size": None}),
    "normal": (("loc", "scale", "size"), {"loc": 0.0, "scale": 1.0, "size": None}),
    "standard_normal": (("size",), {"size": None}),
    "geometric": (("p", "size"), {"size": None}),
    "random": (("size",), {"size": None}),
    "uniform": (("low", "high", "size"), {"low": 0.0, "high": 1.0, "size": None}),
    "choice": (("a", "size", "replace", "p"), {"size": None, "replace": True, "p": None}),
    "integers": (("low", "high", "size"), {"high": None, "size": None}),
}


def generator(self: Reader, *given: Any, **named: Any) -> Generator:
    """``numpy.random.default_rng()``, without a seed, or with None for one."""
    seeds = [*given, *named.values()]
    if len(seeds) > 1 or any(each is not None for each in seeds) or set(named) - {"seed"}:
        raise NotDerivedError("a generator with a seed", "take rng as a parameter")
    return Generator()


def from_global(name: str) -> Callable[..., Any]:
    """The rule of ``numpy.random.laplace`` and the like, which draw from numpy's global generator."""

    def drawn(self: Reader, *given: Any, **named: Any) -> Any:
        return draw(self, name, given, named, declared=GLOBAL)

    return drawn


def check_seeds(program: ProofProgram, modules: Sequence[str]) -> None:
    """NotDerivedError for noise of numpy's global generator in a module that seeds one: it may be known noise."""
    if all(node.params.get("declared") != GLOBAL for node in program.nodes if node.op == "draw"):
        return
    for name in modules:
        file = str(getattr(sys.modules.get(name), "__file__", ""))
        tree = list(ast.walk(ast.parse("".join(linecache.getlines(file)))))
        if len(tree) <= 1 or any(map(_seeds, tree)):
            raise NotDerivedError(
                f"noise of numpy's global generator, and {name} speaks of a seed, or cannot be read",
                "numpy.random.default_rng()",
            )
        if any(isinstance(each, ast.ImportFrom) and each.module == GLOBAL for each in tree):
            raise NotDerivedError(f"names that {name} takes from numpy.random", "import numpy as np; np.random.laplace")


def _seeds(node: ast.AST) -> bool:
    """Tell whether a name speaks of a seed, or of the state that numpy's global generator has."""
    names = {ast.Attribute: "attr", ast.alias: "name", ast.Name: "id", ast.Constant: "value"}
    told = getattr(node, names.get(type(node), ""), "")
    if not isinstance(told, str) or (isinstance(node, ast.Constant) and not told.isidentifier()):
        return False
    return "seed" in told.lower() or told.rpartition(".")[2] in _STATE


_STATE = ("get_state", "set_state", "get_bit_generator", "set_bit_generator", "_bit_generator", "_rand", "mtrand")


def draw(self: Reader, name: str, given: Sequence[Any], named: Mapping[str, Any], **whose: Any) -> Any:
    """A draw from the generator; `whose`: parameters of its operation in the proof."""
    machine = self.machine
    if name not in PARAMETERS:
        raise NotDerivedError(f"rng.{name} has no rule", "laplace, normal, geometric")
    if machine.record is not None:
        raise NotDerivedError("a draw for each record: noise on records is their number, too", "add noise to the sum")
    names, defaults = PARAMETERS[name]
    if len(given) > len(names) or set(named) - set(names) or set(named) & set(names[: len(given)]):
        raise NotDerivedError(f"rng.{name} with these arguments has no rule")
    values = {**defaults, **dict(zip(names, given, strict=False)), **named}
    if set(values) != set(names):
        raise NotDerivedError(f"rng.{name} without {', '.join(set(names) - set(values))}")
    if name == "choice":
        return _choice(self, values)
    shape = _shape(values.pop("size"))
    if name in ("random", "uniform", "integers"):
        return _random(self, name, values, shape)
    if name == "standard_normal":
        return NoiseDraw(machine.op("draw", law="normal", shape=list(shape or ()), **whose), bool(shape), homes.PYTHON)
    loc = values.get("loc", 0.0)
    node = _scale(machine, values["p" if name == "geometric" else "scale"])
    if isinstance(loc, DataColumn):
        raise NotDerivedError("a draw for each record: noise on records is their number, too", "add noise to the sum")
    if shape is None:
        shape = np.broadcast_shapes(node.shape, machine.node(loc).shape)
    noise = NoiseDraw(machine.op("draw", node, law=name, shape=list(shape), **whose), bool(shape), homes.PYTHON)
    if not isinstance(loc, Lifted) and isinstance(loc, int | float) and loc == 0:
        return noise
    return homes.with_home(homes.PYTHON, elementwise(machine, "add", loc, noise))  # numpy returns Python's double here


def _scale(machine: Machine, scale: Any) -> Node:
    if isinstance(scale, Lifted) and not isinstance(scale, Public):
        raise NotDerivedError(
            f"the scale of the noise is {scale.described()}", "a scale that depends on the data leaks"
        )
    return machine.node(scale)


def around(self: Reader, noise: DeclaredNoise, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """A value with noise of the law that a function is declared to add."""
    machine, law = self.machine, LAWS[noise.law]
    if not noise.as_bound:
        raise NotDerivedError(
            f"{noise.name}, whose parameters are not those that it was declared with", "declare the function itself"
        )
    for parameter in noise.signature.parameters.values():
        of_outside(parameter.default if parameter.default is not parameter.empty else None)
    try:
        value, scale, others = noise.read(given, named)
    except TypeError as problem:
        raise NotDerivedError(f"{noise.name}: {problem}") from None
    if machine.record is not None:
        raise NotDerivedError("noise for each record: noise on records is their number, too", "add noise to the sum")
    if not isinstance(value, Private | Public) and type(value) not in (int, float):
        raise NotDerivedError(f"{noise.name} of what is no number and no array of sums over the records")
    if not all(isinstance(each, Generator) or type(each) in (bool, int, float, str, type(None)) for each in others):
        raise NotDerivedError(f"{noise.name} with arguments that are no known numbers or texts, which it may change")
    shape = machine.node(value).shape
    node = _scale(machine, scale)
    if node.shape not in ((), shape):
        raise NotDerivedError(f"{noise.name} with scales of another shape than the value's")
    drawn = machine.op("draw", node, law=law, shape=list(shape), declared=noise.name)
    found = elementwise(machine, "add", value, NoiseDraw(drawn, bool(shape), homes.PYTHON))
    return homes.with_home(homes.UNKNOWN, found)  # whose number it returns, its author knows


def _shape(size: Any) -> tuple[int, ...] | None:
    if size is None:
        return None
    if type(size) in (tuple, list) and not size:
        raise NotDerivedError("noise of size (), which is an array of no dimensions", "leave size out")
    sizes = [1 if isinstance(each, Size) else each for each in (size if type(size) in (tuple, list) else (size,))]
    if not all(type(each) is int and 0 <= each <= 10**6 for each in sizes):
        raise NotDerivedError("noise of a size that is not known", "one draw for each number that is released")
    return tuple(int(each) for each in sizes)


def _choice(self: Reader, values: Mapping[str, Any]) -> Public:
    """``rng.choice(values, size=n, p=probabilities)``: known values, released probabilities."""
    among, weights, shape = values["a"], values["p"], _shape(values["size"])
    if type(among) is int and shape is None:
        raise NotDerivedError("rng.choice of a number, which is an integer of Python's", "rng.choice(numpy.arange(n))")
    if type(among) is int and 0 < among < 10**6:
        among = np.arange(among)
    if type(among) is list and known.plain(among):
        among = np.asarray(among)
    if not known.plain_array(among) or among.dtype not in (np.float64, np.int64) or values["replace"] is not True:
        raise NotDerivedError("rng.choice among what is no known list of numbers, or without replacement")
    if weights is None:
        weights = np.full(len(among), 1.0 / len(among))
    if not (isinstance(weights, Public) and weights.array) and not known.plain_array(weights):
        raise NotDerivedError("rng.choice with probabilities that are not released")
    nodes = [self.machine.node(among), self.machine.node(weights)]
    node = self.machine.op("random", *nodes, method="choice", shape=list(shape or ()))
    return Public(node, bool(shape), homes.NUMPY)


def _random(self: Reader, method: str, values: Mapping[str, Any], shape: tuple[int, ...] | None) -> Public:
    nodes = []
    for each in (values[name] for name in PARAMETERS[method][0] if name != "size"):
        if each is None:
            continue
        if isinstance(each, Private | DataColumn) or (isinstance(each, Lifted) and not isinstance(each, Public)):
            raise NotDerivedError(f"random numbers between ends that are {each.described()}")
        node = self.machine.node(each)
        if node.shape:
            raise NotDerivedError("random numbers between ends that are arrays")
        nodes.append(node)
    node = self.machine.op("random", *nodes, method=method, shape=list(shape or ()))
    return Public(node, bool(shape), homes.NUMPY if method == "integers" else homes.PYTHON)
