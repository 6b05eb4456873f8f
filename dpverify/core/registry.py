"""The registry: named things of each kind. Adding a thing adds a file whose ``register(registry)`` puts it here."""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Generic, TypeVar

from dpverify.core.auditing import Auditor
from dpverify.core.claim import Claim
from dpverify.core.composition import Accountant, Step
from dpverify.core.errors import InputError
from dpverify.core.figure import Figure
from dpverify.core.ledger_row import LedgerRow, Paper
from dpverify.core.noise_deficit import MULTIPLIER, with_deficit
from dpverify.core.read_untrusted import shortened
from dpverify.core.remark import Remark
from dpverify.core.subjects import NeighborGenerator
from dpverify.core.suite import Expectation, Profile, Suite, SuiteEntry
from dpverify.core.writer import Writer

T = TypeVar("T")


class Section(Generic[T]):
    """Named things of one kind; a name is given once."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.plugin = ""
        """Who registers now (see `Registry.registering`)."""
        self.apart: tuple[Section[T], ...] = ()
        """Other sections that share no name with this one."""
        self._items: dict[str, T] = {}
        self._plugins: dict[str, str] = {}

    def add(self, name: str, item: T) -> None:
        """Register `item`; a second thing of the same name is refused, naming both and who brought them."""
        taken = next((section for section in (self, *self.apart) if name in section), None)
        if taken is not None:
            first = _whence(taken._items[name], taken._plugins[name])
            raise InputError(
                f"two {self.kind} called {name!r}: {first} and {_whence(item, self.plugin)}",
                allowed="one of each name",
                remedy="rename one of the two",
            )
        self._items[name] = item
        self._plugins[name] = self.plugin

    def get(self, name: str) -> T:
        """The thing called `name`; an unknown name is an InputError with the nearest known ones."""
        try:
            return self._items[name]
        except KeyError:
            near = difflib.get_close_matches(name, self._items, n=3) or sorted(self._items)[:8]
            raise InputError(
                f"no {self.kind} called {shortened(name, most=80)!r}",
                allowed=", ".join(near) or "(none is registered)",
                remedy=f"`dpverify list {self.kind.replace(' ', '-')}` shows all",
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def items(self) -> Iterator[tuple[str, T]]:
        """(name, thing) in the order of names."""
        return ((name, self._items[name]) for name in self)

    def in_order(self) -> tuple[T, ...]:
        """Things in the order in which they were registered."""
        return tuple(self._items.values())


def _whence(item: object, plugin: str) -> str:
    source = item if isinstance(item, type) or callable(item) else type(item)
    name = f"{getattr(source, '__module__', '?')}.{getattr(source, '__qualname__', type(item).__qualname__)}"
    return f"{name} of {plugin}" if plugin else name


class Registry:
    """Everything that plug-ins have registered.

    Attributes
    ----------
    mechanisms, known_broken, lemmas : Section of factories
        ``factory(**parameters) -> Mechanism``, or the subject of a lemma; the three never share a name.
    auditors, neighbors, definitions, datasets, writers, accountants : Section
        One of each name.
    steps : Section of factories
        ``factory(**numbers) -> Step``: what composition files name.
    papers, rows : Section of Paper, Section of LedgerRow
        Whose claims the ledger decides, and what they say.
    claims : Section of Claim
        The ledger's claims, by id; they carry no expectation.
    entries : Section of SuiteEntry
        What suites audit, by claim id.
    suites : Section of Suite
        How those suites are run that want other than the defaults.
    remarks : Section of Remark
        What the ledger says beside a claim's verdict, by the claim's id; auditors never see them.
    figures : Section of Figure
        What the ledger's pages draw beside claims.
    """

    def __init__(self) -> None:
        self.mechanisms: Section[Callable[..., Any]] = Section("mechanisms")
        self.known_broken: Section[Callable[..., Any]] = Section("known broken mechanisms")
        self.lemmas: Section[Callable[..., Any]] = Section("lemmas")
        subjects = (self.mechanisms, self.known_broken, self.lemmas)
        for section in subjects:
            section.apart = tuple(other for other in subjects if other is not section)
        self.auditors: Section[Auditor] = Section("auditors")
        self.neighbors: Section[NeighborGenerator] = Section("relations")
        self.definitions: Section[Callable[..., Any]] = Section("definitions")
        self.datasets: Section[Any] = Section("datasets")
        self.writers: Section[Writer] = Section("writers")
        self.steps: Section[Callable[..., Step]] = Section("steps")
        self.accountants: Section[Accountant] = Section("accountants")
        self.papers: Section[Paper] = Section("papers")
        self.rows: Section[LedgerRow] = Section("rows of the ledger")
        self.claims: Section[Claim] = Section("claims")
        self.entries: Section[SuiteEntry] = Section("suite entries")
        self.suites: Section[Suite] = Section("suites")
        self.remarks: Section[Remark] = Section("remarks")
        self.figures: Section[Figure] = Section("figures")

    @contextmanager
    def registering(self, plugin: str) -> Iterator[None]:
        """What is added meanwhile is this plug-in's."""
        sections = [section for section in vars(self).values() if isinstance(section, Section)]
        for section in sections:
            section.plugin = plugin
        try:
            yield
        finally:
            for section in sections:
                section.plugin = ""

    def subject(self, name: str) -> Callable[..., Any]:
        """The factory of a subject: a mechanism, a known-broken one, or a lemma's."""
        sections = (self.mechanisms, self.lemmas, self.known_broken)
        for section in sections:
            if name in section:
                return section.get(name)
        known = [other for section in sections for other in section]
        raise InputError(
            f"no subject called {shortened(name, most=80)!r}",
            allowed=", ".join(difflib.get_close_matches(name, known, n=3)) or "a mechanism or a lemma",
            remedy="`dpverify list mechanisms` and `dpverify list lemmas` show all",
        )

    def suite(self, name: str) -> Suite:
        """How the suite of this name is run: as it says, or by the defaults."""
        return self.suites.get(name) if name in self.suites else Suite(name=name)

    def add_claim(
        self,
        claim: Claim,
        *,
        suites: tuple[str, ...] = ("papers",),
        profile: Profile = "quick",
        noise_deficit: Expectation | None = None,
    ) -> None:
        """Put a claim into the ledger, as a row of its own, and each of its readings, without expectation, into suites.

        Papers with many claims keep them in a ``claims.toml`` (`dpverify.ledger.claims_file`).
        """
        self.claims.add(claim.id, claim)
        row = LedgerRow(
            id=claim.id,
            paper=claim.source.paper,
            locus=claim.source.locus,
            relation=claim.relation,
            says=claim.statement,
            claims=(claim.id,),
        )
        self.rows.add(row.id, row)
        for single in claim.single():
            self.add_entry(SuiteEntry(claim=single, suites=suites, profile=profile, noise_deficit=noise_deficit))

    def add_entry(self, entry: SuiteEntry) -> None:
        """Put an entry with its expectation into its suites, and the one with 90 % of the noise, if it names that.

        The subject must be registered already where it does; ``<subject>-noise-0.9`` is then a known-broken one.
        """
        self.entries.add(entry.claim.id, entry)
        if entry.noise_deficit is None:
            return
        weaker = with_deficit(entry)
        if weaker.claim.subject not in self.known_broken:
            factory = functools.partial(self.mechanisms.get(entry.claim.subject), noise_multiplier=MULTIPLIER)
            self.known_broken.add(weaker.claim.subject, factory)
        self.entries.add(weaker.claim.id, weaker)


def register_modules(package: ModuleType, registry: Registry) -> None:
    """Import every module below `package` and call its ``register(registry)``, where it has one.

    So one new thing is one new file: no list to edit.
    """
    found = pkgutil.walk_packages(package.__path__, prefix=package.__name__ + ".")
    for name in sorted(info.name for info in found):
        hook = getattr(importlib.import_module(name), "register", None)
        # A package's own `register` walks its modules; those are walked here already.
        if hook is not None and hook.__module__ == name and not hasattr(importlib.import_module(name), "__path__"):
            hook(registry)
