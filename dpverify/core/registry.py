"""The registry: named things of each kind. Adding a thing adds a file whose ``register(registry)`` puts it here."""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import shortened
from dpverify.core.section import Deferred, Section

if TYPE_CHECKING:  # a list of names needs none of them
    from dpverify.core.auditing import Auditor
    from dpverify.core.claim import Claim
    from dpverify.core.composition import Accountant, Step
    from dpverify.core.ledger_words import Figure, LedgerRow, Objection, Paper, Remark
    from dpverify.core.record import Writer
    from dpverify.core.subjects import NeighborGenerator
    from dpverify.core.suite import Expectation, Profile, Suite, SuiteEntry


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
    experiments : Section of Experiment
        Figures and tables that are run again; each is the subject of its statements.
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
    objections : Section of Objection
        What the authors of a refuted claim would say, by the claim's id; auditors never see them.
    figures : Section of Figure
        What the ledger's pages draw beside claims.
    charts : Section of callables
        ``chart(guarantee, evidence) -> Chart``: what reports draw of evidence, by the picture's name.
    powers : Section of callables
        ``power(guarantee, evidence) -> mapping``: the numbers beside the bound that an auditor's counts determine
        (``detectable``, ``ceiling``), by the auditor's name; errors as for `dpverify.core.auditing.Rechecks`.
    schemes : Section of type[Scheme]
        The sampling schemes that a loader is held against (`dpverify.loaders.scheme`).
    relations : Section of Relation
        What relations say of themselves, and do to a record (`dpverify.datasets.neighbors.relation`); the generators of
        their pairs are `neighbors`.
    libraries : Section of Library
        What `dpverify audit-library` audits (`dpverify.adapters.libraries.offered`).
    library_accountants : Section of LibraryAccountant
        What `dpverify audit-accountant` asks by name (`dpverify.adapters.libraries.library_accountant`).
    bugs : Section of Bug
        What `dpverify gallery` shows and finds again (`dpverify.gallery.bug`).
    calibrations : Section of Family
        How the noise of a class of algorithms is set and what it costs (`dpverify.utility.calibration_family`), by the
        class's name.
    """

    def __init__(self) -> None:
        self.mechanisms: Section[Callable[..., Any]] = Section("mechanisms")
        self.known_broken: Section[Callable[..., Any]] = Section("known broken mechanisms")
        self.lemmas: Section[Callable[..., Any]] = Section("lemmas")
        self.experiments: Section[Any] = Section("experiments")
        subjects = (self.mechanisms, self.known_broken, self.lemmas, self.experiments)
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
        self.objections: Section[Objection] = Section("objections")
        self.figures: Section[Figure] = Section("figures")
        self.charts: Section[Any] = Section("charts")
        self.powers: Section[Callable[..., Mapping[str, float | None]]] = Section("powers")
        self.schemes: Section[Any] = Section("sampling schemes")
        self.relations: Section[Any] = Section("relations")
        self.libraries: Section[Any] = Section("libraries")
        self.library_accountants: Section[Any] = Section("library accountants")
        self.bugs: Section[Any] = Section("bugs")
        self.calibrations: Section[Any] = Section("calibrations")
        self._waiting: list[Deferred] = []
        for section in self.sections().values():
            section.complete = self._complete

    def sections(self) -> dict[str, Section[Any]]:
        """All sections, by the names of their attributes."""
        return {name: section for name, section in vars(self).items() if isinstance(section, Section)}

    @contextmanager
    def registering(self, plugin: str) -> Iterator[None]:
        """Everything that is added meanwhile is this plug-in's."""
        sections = self.sections().values()
        before = [section.plugin for section in sections]
        for section in sections:
            section.plugin = plugin
        try:
            yield
        finally:
            for section, name in zip(sections, before, strict=True):
                section.plugin = name

    def defer(self, register: Callable[[Registry], object], about: Mapping[str, Mapping[str, dict[str, str]]]) -> None:
        """Call ``register(registry)`` when one of these names is asked for (`Deferred`), for who registers now."""
        sections, plugin = self.sections(), self.mechanisms.plugin

        def registered() -> None:
            with self.registering(plugin):
                register(self)
            for kind, names in about.items():
                for name in names:
                    sections[kind].drop(name, source)

        source = Deferred(registered, about)
        self._waiting.append(source)
        for kind, names in about.items():
            for name in names:
                sections[kind].defer(name, source)

    def _complete(self) -> None:
        """Register all that waits, in order; nothing while something registers."""
        waiting = self._waiting
        if not any(source.loading for source in waiting):
            self._waiting = []
            for source in waiting:
                source.load()

    def subject(self, name: str) -> Callable[..., Any]:
        """The factory of a subject: a mechanism, a known-broken one, a lemma's, or an experiment's."""
        if name in self.experiments:
            found: Callable[..., Any] = self.experiments.get(name).subject
            return found
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
        """Return the suite of this name: its own settings, or the defaults."""
        from dpverify.core.suite import Suite

        return self.suites.get(name) if name in self.suites else Suite(name=name)

    def add_relation(self, relation: Any) -> None:
        """Put a relation on records (`dpverify.datasets.neighbors.relation.Relation`) and its pairs under its name."""
        self.relations.add(relation.name, relation)
        self.neighbors.add(relation.name, relation)

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
        from dpverify.core.ledger_words import LedgerRow
        from dpverify.core.suite import SuiteEntry

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
        from dpverify.core.suite import MULTIPLIER, with_deficit

        self.entries.add(entry.claim.id, entry)
        if entry.noise_deficit is None:
            return
        weaker = with_deficit(entry)
        if weaker.claim.subject not in self.known_broken:
            factory = functools.partial(self.mechanisms.get(entry.claim.subject), noise_multiplier=MULTIPLIER)
            self.known_broken.add(weaker.claim.subject, factory)
        self.entries.add(weaker.claim.id, weaker)


def registers(
    package: str, files: Mapping[str, Callable[[Path, Registry], object] | str] | None = None
) -> Callable[[Registry], None]:
    """The ``register(registry)`` of one of our packages: everything in it, as `register_modules` does, one file each.

    Names are kept from one process to the next, and what has not changed is registered when it is asked for
    (`dpverify.core.name_index`). A function of `files` may be named, as ``module:function``.
    """

    def register(registry: Registry) -> None:
        from dpverify.core.name_index import register_all

        register_all(sys.modules[package], registry, files or {}, indexed=True)

    return register


def register_modules(
    package: ModuleType, registry: Registry, *, files: Mapping[str, Callable[[Path, Registry], object]] | None = None
) -> None:
    """Call the ``register(registry)`` of every module below `package` that has one, then each of `files` for its files.

    So one new thing is one new file: no list to edit. `files` are functions of a path and the registry, by the pattern
    of the paths below the package (``papers/*/claims.toml``).
    """
    from dpverify.core.name_index import register_all

    register_all(package, registry, files or {}, indexed=False)
