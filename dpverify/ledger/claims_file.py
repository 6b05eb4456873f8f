"""``claims.toml``: the claims of one paper as data.

::

    [paper]                              # left out where the rows name papers of other files
    name = "RSGD"
    title = "Chen, Lee & Kifer 2019, ..."
    place = 4                            # in the ledger's order

    [lemmas]                             # subjects of lemmas: name, and the class or function that makes them
    lemma-rsgd-place = "package.module.PlaceBound"

    [[row]]                              # one sentence of the paper
    id = "RS-DELTA"
    locus = "Lemma 2"
    relation = "replace"
    says = "..."
    # paper = "DISS"                     # where it is not the file's

    [[row.claim]]                        # what decides it: the sentence, variants, repairs
    id = "RS-DELTA"                      # left out: the row's
    guarantee = 'UpperBound(quantity="number")'
    # relation = "replace"               # left out: "numbers", for an UpperBound
    subject = "lemma-rsgd-place"
    parameters = { l2 = 0.01 }
    space = { parameters = { l2 = [0.001, 1.0] } }
    statement = "..."
    # repairs = "RSGD Prop. 2"           # of a claim that is no paper's but mends one

    [row.claim.reading.a]                # each with a key and a verdict of its own
    text = "..."

    [row.claim.remark.a]                 # beside a reading; "a, b": beside several; no key: beside the claim
    breaks = "..."
    means = "..."
    instead = "..."
    shown = "package.module.function"    # computes the numbers; `with` gives it keyword arguments

    [[figure]]                           # the fields of a `Figure`
    id = "..."
    curves = "package.module.function"   # computes them

``like = "ID"`` takes guarantee, relation, subject, parameters, space and readings from an earlier claim of the file;
what stands beside it goes on top (parameters and space field by field). A reading without a text goes on top of that
claim's reading of its key, and the others stay, too; with texts, readings take their place. A remark's ``like =
"ID.a"`` takes what an earlier remark of the file says. A guarantee is a text of the grammar of claims,
or ``{ call = "package.module.function", ... }`` where a formula makes its numbers. ``[[entry]]`` is an entry of a suite
that is no claim of the ledger; it may say what its authors expect.

Whatever does not fit is one line with the file and the line of its entry.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from dpverify.core.callable_name import function_at
from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.ledger_words import Figure, LedgerRow, Paper, Remark
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import Profile, SuiteEntry
from dpverify.core.toml_file import Place, TomlFile
from dpverify.definitions.grammar import parse_guarantee
from dpverify.definitions.number_bounds import UpperBound
from dpverify.ledger.claims_fields import check_fields, check_whole, check_word, remarks

Table = dict[str, Any]

_INHERITED = ("guarantee", "relation", "subject")


def load_claims(path: Path, registry: Registry) -> None:
    """Register the lemmas, rows, claims, remarks, suite entries and figures of a ``claims.toml``.

    Everything else that it names (mechanisms, definitions, relations) must be registered already.

    Raises
    ------
    InputError
        One line with the file and the line of the entry: unknown or missing fields, an unknown subject or relation, a
        guarantee that does not parse, a function that does not exist.
    """
    file = TomlFile(path)
    with file.faults_in_one_line("values that the claim's parts take"):
        _File(file, registry).load(file.content)


class _File:
    """One pass over one file."""

    def __init__(self, file: TomlFile, registry: Registry) -> None:
        self.file, self.registry = file, registry
        self.paper = ""
        self.loaded: dict[str, tuple[Claim, dict[str, Profile]]] = {}
        self.told: dict[str, Table] = {}

    def load(self, content: Table) -> None:
        self.fits("file", content, ())
        if "paper" in content:
            self.fits("paper", content["paper"], ("paper",))
            paper = Paper(**content["paper"])
            self.paper = paper.name
            self.registry.papers.add(paper.name, paper)
        self.lemmas(content.get("lemmas", {}))
        for index, row in enumerate(content.get("row", ())):
            self.row(row, ("row", index))
        for index, entry in enumerate(content.get("entry", ())):
            self.entry(entry, ("entry", index))
        for index, figure in enumerate(content.get("figure", ())):
            self.figure(figure, ("figure", index))

    def fits(self, kind: str, table: Any, place: Place) -> None:
        """Only known fields, of their types; all that are needed."""
        self.file.place = place
        check_fields(kind, table)

    def lemmas(self, table: Table) -> None:
        self.file.place = ("lemmas",)
        for name, path in table.items():
            if not isinstance(path, str):
                raise InputError(f"{name} = {path!r} of the lemmas", allowed="package.module.Class")
            self.registry.lemmas.add(name, function_at(path))

    def figure(self, table: Table, place: Place) -> None:
        self.fits("figure", table, place)
        given = {name: _tuples(value) for name, value in table.items() if name not in ("id", "curves")}
        self.registry.figures.add(table["id"], Figure(**given, curves=function_at(table["curves"])))

    def row(self, table: Table, place: Place) -> None:
        self.fits("row", table, place)
        paper = table.get("paper", self.paper)
        if not paper:
            raise InputError(f"the row {table['id']} without a paper", allowed="`paper` in the row or for the file")
        ids = []
        for index, item in enumerate(table.get("claim", ())):
            below = (*place, "claim", index)
            self.fits("claim", item, below)
            name = item.get("id", table["id"])
            ids.append(self.claim(name, item, _source(item, paper, table["locus"]), below))
        words = {name: table[name] for name in ("id", "locus", "relation", "says")}
        self.registry.rows.add(table["id"], LedgerRow(**words, paper=paper, claims=tuple(ids)))

    def entry(self, table: Table, place: Place) -> None:
        self.fits("entry", table, place)
        self.claim(table["id"], table, _source(table, self.paper, ""), place)

    def claim(self, name: str, table: Table, source: Source, place: Place) -> str:
        """Register one claim, its readings as entries of suites, and its remarks."""
        ledger = place[0] != "entry"
        base, profiles = self.base(table)
        given = self.given(table, base)
        readings = base.readings if base is not None else ()
        if "profile" in table or base is None:
            profiles = {"": table.get("profile", "quick")}
        if "reading" in table:
            on_top = any("text" not in item for item in table["reading"].values())
            kept = {each.key: each for each in readings} if on_top else {}
            profiles = dict(profiles) if on_top else {"": profiles[""]}
            for key, item in table["reading"].items():
                before = kept.get(key, Reading(key=key, text=""))
                kept[key] = self.reading(before, item, (*place, "reading", key), given.get("space"), profiles)
            readings = tuple(kept.values())
            self.file.place = place
        for field in _INHERITED:
            if field not in given:
                raise InputError(f"{name} without {field!r}", allowed="it, or `like` another claim")
        claim = Claim(
            id=name,
            source=source,
            statement=table["statement"],
            streams=table.get("streams", ""),
            readings=readings,
            **given,
        )
        self.loaded[name] = claim, profiles
        if ledger:
            self.registry.claims.add(name, claim)
        for single in claim.single():
            self.known(single)
            key = single.id.removeprefix(name).removeprefix(".")
            self.registry.add_entry(
                SuiteEntry(
                    claim=single,
                    expectation=table.get("expectation"),
                    suites=tuple(table.get("suites", ("papers",) if ledger else ("core",))),
                    profile=profiles.get(key, profiles[""]),
                    noise_deficit=table.get("noise_deficit"),
                )
            )
        for keys, item in remarks(table).items():
            self.fits("remark", item, (*place, "remark", keys))
            self.remark(claim, keys.split(", ") if keys else [], item)
        return name

    def base(self, table: Table) -> tuple[Claim | None, dict[str, Profile]]:
        """The claim that it is like, if it is like one, and the profiles of that one's readings."""
        if "like" not in table:
            return None, {"": "quick"}
        if table["like"] not in self.loaded:
            raise InputError(f"like = {table['like']!r}", allowed="the id of an earlier claim of this file")
        return self.loaded[table["like"]]

    def given(self, table: Table, base: Claim | None) -> Table:
        """Return the fields of the claim named by `like`, with this table's fields on top."""
        found: Table = {}
        if base is not None:
            found = {name: getattr(base, name) for name in (*_INHERITED, "parameters", "space")}
        found |= self.inherited(table)
        if "parameters" in table:
            found["parameters"] = {**found.get("parameters", {}), **table["parameters"]}
        if "space" in table:
            found["space"] = _space(found.get("space", SearchSpace()), table["space"])
        return found

    def inherited(self, table: Table) -> Table:
        """Guarantee, relation and subject, where the table says them."""
        found: Table = {name: table[name] for name in ("relation", "subject") if name in table}
        if "guarantee" in table:
            found["guarantee"] = self.guarantee(table["guarantee"])
            if isinstance(found["guarantee"], UpperBound):
                found.setdefault("relation", "numbers")
        return found

    def guarantee(self, given: str | Table) -> Guarantee:
        if isinstance(given, str):
            return parse_guarantee(given, self.registry.definitions.mapping())
        function = function_at(str(given.get("call", "")))
        made = function(**{name: _tuples(value) for name, value in given.items() if name != "call"})
        if not isinstance(made, Guarantee):
            raise InputError(f"{given['call']} made a {type(made).__name__}", allowed="a guarantee")
        return made

    def reading(
        self, before: Reading, table: Table, place: Place, space: SearchSpace | None, profiles: dict[str, Profile]
    ) -> Reading:
        """A new reading, or one on top of what stood before; `space` is the claim's."""
        self.fits("reading", table, place)
        check_word(f"the key {before.key!r} of a reading", before.key)
        if not before.text:
            check_whole("reading", table, ("text",))
        if "profile" in table:
            profiles[before.key] = table["profile"]
        changed = self.inherited(table) | {"text": table.get("text", before.text)}
        if "space" in table:
            changed["space"] = _space(before.space or space or SearchSpace(), table["space"])
        return dataclasses.replace(before, **changed, parameters={**before.parameters, **table.get("parameters", {})})

    def remark(self, claim: Claim, keys: list[str], table: Table) -> None:
        """Register one remark beside the claim, or beside each of the readings of these keys."""
        known = {reading.key for reading in claim.readings}
        if not keys and known:
            raise InputError(f"a remark on {claim.id}, which has readings", allowed="one beside a reading")
        for key in keys:
            if key not in known:
                raise InputError(
                    f"a remark on {claim.id} beside its reading {key!r}",
                    allowed=", ".join(sorted(known)) or "none: the claim has no readings",
                )
        if "like" in table:
            if table["like"] not in self.told:
                raise InputError(f"like = {table['like']!r}", allowed="the id of an earlier remark of this file")
            table = {**self.told[table["like"]], **table}
        check_whole("remark", table, ("breaks", "means", "instead", "shown"))
        function = function_at(table["shown"])
        settings = {name: _tuples(value) for name, value in table.get("with", {}).items()}
        inspect.signature(function).bind(**settings)
        for name in [f"{claim.id}.{key}" for key in keys] or [claim.id]:
            remark = Remark(
                claim=name,
                breaks=table["breaks"],
                means=table["means"],
                instead=table["instead"],
                shown=partial(function, **settings) if settings else function,
            )
            self.registry.remarks.add(name, remark)
            self.told[name] = table

    def known(self, claim: Claim) -> None:
        """InputError for a subject or a relation that nobody registered, and for parameters that it does not take."""
        taken = _taken(self.registry.subject(claim.subject))
        self.registry.neighbors.get(claim.space.generator or claim.relation)
        for name in (*claim.parameters, *claim.space.parameters):
            if taken is not None and name not in taken:
                raise InputError(f"parameter {name!r} of {claim.subject}", allowed=", ".join(taken) or "none")


@cache
def _taken(factory: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the parameters that a factory takes; None where it takes any."""
    known = inspect.signature(factory).parameters
    return None if any(each.kind is each.VAR_KEYWORD for each in known.values()) else tuple(known)


def _source(table: Table, paper: str, locus: str) -> Source:
    """Return where a claim is from: its own place, or its row's paper and locus; of a repair, what it mends."""
    if "repairs" in table:
        for name in ("paper", "locus"):
            if name in table:
                raise InputError(f"`repairs` and {name!r} of one claim", allowed="one of them")
        return Source(paper="dpverify", locus=f"repair of {table['repairs']}")
    return Source(paper=table.get("paper", paper), locus=table.get("locus", locus))


def _space(base: SearchSpace, table: Table) -> SearchSpace:
    known = {field.name for field in dataclasses.fields(SearchSpace)}
    unknown = sorted(set(table) - known)
    if unknown:
        raise InputError(f"unknown field {unknown[0]!r} of a space", allowed=", ".join(sorted(known)))
    given = {name: _tuples(value) for name, value in table.items()}
    for name, box in given.get("parameters", {}).items():
        if not (isinstance(box, tuple) and len(box) == 2 and all(type(end) in (int, float) for end in box)):
            raise InputError(f"space: {name} = {table['parameters'][name]!r}", allowed="[low, high]")
    given |= {name: given[name] or None for name in ("data", "generator") if name in given}  # "" takes it back
    return dataclasses.replace(base, **given)


def _tuples(value: Any) -> Any:
    """Lists of TOML as tuples."""
    if isinstance(value, dict):
        return {name: _tuples(item) for name, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
