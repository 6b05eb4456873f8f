"""``experiments/*.toml``: one figure or table of a paper as data.

::

    name = "rsgd-fig-1"                  # what `dpverify reproduce` takes
    paper = "RSGD"                       # a paper of the ledger
    item = "Fig. 1; DISS Fig. 3.1, p. 28"
    title = "Logistic regression: accuracy and objective by epsilon"
    sentence = ["..."]                   # the paper's own, word for word
    note = "..."                         # substitutes, what was cut
    papers = ["cifar-10"]                # the paper's data, where they are not those of the design and of `needs`
    cut = "20 of 200 rounds"             # what even the full profile leaves out, in a few words
    x = "epsilon"                        # the horizontal axis in words; log_x = false for a linear one
    needs = { ipums-br = "..." }         # what is needed for data that are not here

    [design]                             # the fields of a `Design`; functions by their dotted paths
    data = ["adult", "bank"]
    axis = "epsilon"
    xs = [0.1, 1.0]
    settings = { model = "logistic" }    # for all arms that take them
    evaluate = "package.module.function"
    evaluation = { l2 = 0.001 }          # its keyword arguments
    prepare = ["dpverify.datasets.shaped.unit_rows"]
    quick = { repetitions = 3 }          # the fields of an `Effort`
    full = { repetitions = 50, tuned = 2, moved = 5 }

    [tuning]                             # the fields of a `Tuning`
    on = { adult = "bank", bank = "adult" }

    [[arm]]                              # the fields of an `Arm`
    label = "RSGD-AR"
    algorithm = "rsgd-ar"                # a registered mechanism; the dotted path of a class, or of a function that
                                         # computes
    settings = { interval = 10 }         # "none" is None
    space = { initial_step = [0.1, 0.5] }

    [[unprinted]]                        # a setting that the paper does not print
    arm = "RSGD-AR"
    setting = "interval"
    used = 10
    others = [5, 20]                     # the verdict is looked at with these, too
    why = "..."

    [[statement]]
    id = "U-RSGD-FIG-1"
    says = "..."
    guarantee = 'Ordering(metric="accuracy", better=("RSGD-AR",), worse=("ObjPert",), margin=0.05)'
    reading = "..."

Whatever does not fit is one line with the file and the line of its entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.core.callable_name import function_at
from dpverify.core.claim import Claim, Source
from dpverify.core.comparing import Compares
from dpverify.core.errors import InputError
from dpverify.core.ledger_words import LedgerRow
from dpverify.core.registry import Registry
from dpverify.core.relation_names import REPLACE
from dpverify.core.suite import SuiteEntry
from dpverify.core.toml_file import TomlFile
from dpverify.definitions.grammar import parse_guarantee
from dpverify.utility.experiment import Arm, DataFree, Design, Effort, Experiment, Moved, Statement, Tuning
from dpverify.utility.measured import Measured

SUITE = "utility"
"""The suite of all statements."""

FALSE_ALARM = 0.05
"""Of a page: of any of its statements being refuted though it holds, or confirmed though it does not."""


Table = dict[str, Any]

_TYPES: dict[str, dict[str, tuple[type, ...]]] = {
    "file": {
        "name": (str,), "paper": (str,), "item": (str,), "title": (str,), "sentence": (list,), "note": (str,),
        "papers": (list,), "cut": (str,),
        "x": (str,), "log_x": (bool,), "needs": (dict,), "design": (dict,), "tuning": (dict,), "arm": (list,),
        "unprinted": (list,), "statement": (list,),
    },
    "design": {
        "data": (list,), "axis": (str,), "xs": (list,), "epsilon": (float, int), "delta": (float,),
        "relation": (str,), "settings": (dict,), "evaluate": (str,), "evaluation": (dict,), "prepare": (list,),
        "train_as": (str, dict), "test": (float,), "tests": (dict,), "metrics": (list,), "floor": (str,),
        "ceiling": (str,), "chance": (dict,), "quick": (dict,), "full": (dict,),
    },
    "effort": {
        "repetitions": (int,), "xs": (list,), "tuned": (int,), "once": (bool,), "moved": (int,), "rows": (int,),
        "settings": (dict,),
    },
    "tuning": {"rule": (str,), "on": (dict,), "metric": (str,), "trials": (int,), "at": (float, int)},
    "arm": {
        "label": (str,), "algorithm": (str,), "settings": (dict,), "space": (dict,), "price": (str,),
        "epsilon": (float, int), "like": (str,), "prepare": (list,),
    },
    "unprinted": {"arm": (str,), "setting": (str,), "used": (object,), "others": (list,), "why": (str,)},
    "statement": {"id": (str,), "says": (str,), "guarantee": (str,), "reading": (str,), "against": (bool,)},
}  # fmt: skip
_NEEDED = {
    "file": ("name", "paper", "item", "title", "sentence", "design", "arm", "statement"),
    "design": ("data", "xs", "metrics", "quick", "full"),
    "effort": ("repetitions",),
    "tuning": (),
    "arm": ("label", "algorithm"),
    "unprinted": ("arm", "setting", "used", "why"),
    "statement": ("id", "says", "guarantee"),
}


def value_of(given: Any) -> Any:
    """A setting; TOML has no word for None, which is the text ``none`` here."""
    return None if given == "none" else given


def fits(kind: str, table: Any) -> None:
    """Check a table: all that is needed, nothing unknown, every value of a type that its field takes.

    Raises
    ------
    InputError
        One line that names the field.
    """
    known = _TYPES[kind]
    if not isinstance(table, dict):
        raise InputError(f"{kind} = {table!r}", allowed=f"a table of {', '.join(known)}")
    for name, value in table.items():
        if name not in known:
            raise InputError(f"unknown field {name!r} of {kind}", allowed=", ".join(known))
        if not isinstance(value, known[name]) or (isinstance(value, bool) and known[name] not in ((bool,), (object,))):
            raise InputError(
                f"{name} = {value!r} of {kind}", allowed=" or ".join(each.__name__ for each in known[name])
            )
    for name in _NEEDED[kind]:
        if name not in table:
            raise InputError(f"{kind} without {name!r}", allowed=", ".join(_NEEDED[kind]))


def function_of(given: str | Table) -> Callable[..., Any]:
    """A function by its dotted path, or by a table ``{ call = path, ... }`` with keyword arguments."""
    if isinstance(given, str):
        return called(given, {})
    return called(str(given.get("call", "")), {name: value for name, value in given.items() if name != "call"})


def called(path: str, settings: Table) -> Callable[..., Any]:
    """The function at a dotted path, with these keyword arguments."""
    found = function_at(path)
    return partial(found, **settings) if settings else found


def load_experiment(path: Path, registry: Registry) -> None:
    """Register the experiment of a file, and each statement as a claim and a row of the ledger.

    Raises
    ------
    InputError
        One line with the file and the line of the entry: unknown or missing fields, an unknown algorithm, relation or
        data set, a guarantee that does not parse or speaks of other arms, a statement whose arms are not at one price.
    """
    file = TomlFile(path)
    reader = _File(registry, file)
    with file.faults_in_one_line("values that an experiment's parts take"):
        found = reader.experiment(file.content)
        for statement in found.statements:
            reader.add(found, statement)
        registry.experiments.add(found.name, found)


class _File:
    """One pass over one file."""

    def __init__(self, registry: Registry, file: TomlFile) -> None:
        self.registry, self.file = registry, file

    def experiment(self, content: Table) -> Experiment:
        fits("file", content)
        if content["paper"] not in self.registry.papers:
            raise InputError(f"paper = {content['paper']!r}", allowed=", ".join(self.registry.papers))
        design = self.design(content)
        statements = []
        for place, table in enumerate(content["statement"]):
            self.file.place = ("statement", place)
            statements.append(self.statement(design, table))
        known = {f"{each['arm']}: {each['setting']}": each["why"] for each in content.get("unprinted", ())}
        return Experiment(
            design=design,
            papers=tuple(map(str, content.get("papers", ()))),
            statements=tuple(statements),
            sentences=tuple(content["sentence"]),
            unprinted=known,
            subject=partial(Measured, design=design),
            **{
                name: content[name]
                for name in ("paper", "item", "title", "note", "cut", "x", "log_x", "needs")
                if name in content
            },
        )

    def design(self, content: Table) -> Design:
        self.file.place = ("design",)
        table = content["design"]
        fits("design", table)
        given = {
            name: table[name]
            for name in (
                "axis",
                "epsilon",
                "delta",
                "relation",
                "settings",
                "test",
                "tests",
                "floor",
                "ceiling",
                "chance",
            )
            if name in table
        }
        for name in table["data"]:
            if name != DataFree:
                self.registry.datasets.get(name)
        self.registry.neighbors.get(table.get("relation", REPLACE))
        if "evaluate" in table:
            given["evaluate"] = called(table["evaluate"], table.get("evaluation", {}))
        if "train_as" in table:
            given["train_as"] = function_of(table["train_as"])
        given["prepare"] = tuple(function_of(each) for each in table.get("prepare", ()))
        quick, full = self.effort(table["quick"]), self.effort(table["full"])
        tuning = None
        if "tuning" in content:
            self.file.place = ("tuning",)
            fits("tuning", content["tuning"])
            tuning = Tuning(**content["tuning"])
            lacking = [name for name in table["data"] if tuning.rule == "other" and name not in tuning.on]
            if lacking:
                raise InputError(
                    f"tuning without a data set for {lacking[0]!r}", allowed="one in `on` for each of data"
                )
        arms = []
        for place, each in enumerate(content["arm"]):
            self.file.place = ("arm", place)
            arms.append(self.arm(each))
        moved = []
        for place, each in enumerate(content.get("unprinted", ())):
            self.file.place = ("unprinted", place)
            fits("unprinted", each)
            moved.append(
                Moved(arm=each["arm"], setting=each["setting"], used=each["used"], others=tuple(each.get("others", ())))
            )
        self.file.place = ("design",)
        return Design(
            name=content["name"],
            data=tuple(table["data"]),
            xs=tuple(float(x) for x in table["xs"]),
            metrics=tuple(table["metrics"]),
            arms=tuple(arms),
            tuning=tuning,
            moved=tuple(moved),
            quick=quick,
            full=full,
            **given,
        )

    def effort(self, table: Table) -> Effort:
        fits("effort", table)
        return Effort(**{**table, "xs": tuple(float(x) for x in table.get("xs", ()))})

    def arm(self, table: Table) -> Arm:
        fits("arm", table)
        name = table["algorithm"]
        make = function_of(name) if "." in name else self.registry.subject(name)
        space = {key: tuple(map(value_of, values)) for key, values in table.get("space", {}).items()}
        price = table.get("price", "one")
        if price not in ("one", "own", "none", "then"):
            raise InputError(f"price = {price!r}", allowed="one, own, none, then")
        return Arm(
            label=table["label"],
            make=make,
            settings={key: value_of(value) for key, value in table.get("settings", {}).items()},
            space=space,
            price=price,
            epsilon=table.get("epsilon"),
            like=table.get("like", ""),
            prepare=tuple(function_of(each) for each in table.get("prepare", ())),
            computes="." in name and not isinstance(make, type),
        )

    def statement(self, design: Design, table: Table) -> Statement:
        fits("statement", table)
        if not table["id"].startswith("U-"):
            raise InputError(f"id = {table['id']!r}", allowed="an id that begins with U-")
        guarantee = parse_guarantee(table["guarantee"], self.registry.definitions.mapping())
        if not isinstance(guarantee, Compares):
            raise InputError(f"guarantee = {table['guarantee']}", allowed="an Ordering, a Shape or a Peak")
        prices: dict[str, str] = {}
        for label in guarantee.arms():
            arm = design.arm(label)
            prices.setdefault(arm.price if arm.epsilon is None else f"epsilon {arm.epsilon:g}", label)
        for metric in guarantee.metrics():
            if metric not in design.metrics:
                raise InputError(f"metric {metric!r}", allowed=", ".join(design.metrics))
        for name in getattr(guarantee, "data", ()):
            if name not in design.data:
                raise InputError(f"data {name!r} of a statement", allowed=", ".join(design.data))
        if guarantee.unit == "range" and not (design.floor and design.ceiling):
            raise InputError(
                "a margin in ranges without a range", allowed="floor and ceiling in [design], or another unit"
            )
        ranged = design.floor and design.ceiling
        if guarantee.learned() and "accuracy" in guarantee.metrics() and not (ranged or "accuracy" in design.chance):
            raise InputError(
                "a statement on how little accuracy changes, without the accuracy of an arm that learns nothing",
                allowed="chance = { accuracy = 0.1 } in [design], or floor and ceiling",
            )
        at_one_price(prices)
        words = {name: table[name] for name in ("reading", "against") if name in table}
        return Statement(id=table["id"], says=table["says"], guarantee=guarantee, **words)

    def add(self, found: Experiment, statement: Statement) -> None:
        """Register the statement's claim, its entry in the suite, and its row."""
        claim = Claim(
            id=statement.id,
            guarantee=statement.guarantee,
            relation=found.design.relation,
            subject=found.name,
            source=Source(paper=found.paper, locus=found.item),
            statement=statement.says,
        )
        self.registry.claims.add(claim.id, claim)
        self.registry.add_entry(SuiteEntry(claim=claim, suites=(SUITE,)))
        row = LedgerRow(
            id=claim.id,
            paper=found.paper,
            locus=found.item,
            relation=found.design.relation,
            says=statement.says,
            claims=(claim.id,),
        )
        self.registry.rows.add(row.id, row)


def at_one_price(prices: Mapping[str, str]) -> None:
    """InputError unless all arms that pay do so in one way, certified now; `prices` are labels by kind of price.

    What is not private is a reference beside any price. Curves "as accounted then" are judged beside, and not named.
    """
    paying = {kind: label for kind, label in prices.items() if kind != "none"}
    if "then" in paying:
        raise InputError(
            f"a statement on {paying['then']!r}, whose price is as accounted then",
            allowed="arms at a price that a sound accountant certifies",
            remedy="name its twin of today: the statement is judged on both",
        )
    if len(paying) > 1:
        first, second = list(paying.values())[:2]
        raise InputError(
            f"a statement at one price on {first!r} and {second!r}, which are not at one",
            allowed='arms that are all at price "one", or all at their "own"',
        )
