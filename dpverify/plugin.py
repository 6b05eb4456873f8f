"""What authors of plug-ins import: to add a mechanism, claim, auditor, accountant, data set, relation or report format.

A plug-in is a package whose entry point, in the group ``dpverify.plugins``, names a function ``register(registry)``.
That function puts things under names into the sections of the :class:`Registry`:

- ``registry.mechanisms.add(name, factory)``: ``factory(**parameters)`` returns an object that offers capabilities
  (`Samples`, `HasOutputLaw`, `HasQuery`, `HasTranscript` ...), each of them one small Protocol; an auditor says which
  it needs. ``registry.known_broken`` holds the mechanisms whose claims are known to be false;
- ``registry.add_entry(SuiteEntry(claim=Claim(...), expectation="stands"))``: a claim that a suite audits;
- ``load_claims(path, registry)``: a paper's claims, lemmas and figures from a ``claims.toml``, after its other subjects
  are registered;
- ``registry.auditors.add(name, auditor)`` with an `Auditor`, which is a `Rechecks`, too, where it counts draws;
- ``registry.accountants`` with an `Accountant`, ``registry.steps`` with factories of a `Step`;
- ``registry.neighbors`` with a `NeighborGenerator`, ``registry.datasets`` with a `Dataset`, ``registry.definitions``
  with a kind of `Guarantee`, ``registry.writers`` with a `Writer`;
- ``registry.schemes.add(name, kind)`` with a subclass of `Scheme`: a sampling scheme that loaders are held against;
- ``registry.add_relation(Relation(...))``: a relation on records, with what it does to one;
- ``registry.libraries.add(name, library)`` with a `Library`, which ``audit-library`` audits; ``registry.bugs.add(name,
  Bug(...))``, or ``load_bug(path, registry)`` for a TOML file: what ``gallery`` shows and finds again.

What is not here and not in `dpverify` itself is private: it may be renamed or moved in any version.
"""

from dpverify.adapters.libraries.offered import Library, NotExamined, Offered, Offers
from dpverify.core.auditing import Auditor, NeedsTrials, Rechecks, Task
from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.composition import (
    Accountant,
    Bracket,
    Composed,
    Composition,
    HasApprox,
    HasLaws,
    HasMu,
    HasPure,
    HasRenyi,
    Step,
)
from dpverify.core.errors import AuditError, DpverifyError, InputError, UnsupportedError
from dpverify.core.evidence import Again, ContradictionError, Enclosed, Evidence, LackingError, Measure
from dpverify.core.ledger_words import Curve, Figure, Remark, Shown
from dpverify.core.record import Writer
from dpverify.core.registry import Registry, register_modules
from dpverify.core.subjects import (
    Counts,
    Encloses,
    Explains,
    Guarantee,
    HasCanaries,
    HasOutputLaw,
    HasPrintedBound,
    HasQuery,
    HasRecorder,
    HasScores,
    HasStatistic,
    HasTranscript,
    Law,
    LawPair,
    NeighborGenerator,
    Pair,
    PrivacyGuarantee,
    Samples,
    Scalable,
    Traces,
    capabilities,
)
from dpverify.core.suite import Published, Suite, SuiteEntry
from dpverify.core.transcript import Draw, Perturbed, Transcript
from dpverify.core.transcript import Step as TranscriptStep
from dpverify.core.verdict import Status, Verdict
from dpverify.datasets.dataset import Dataset
from dpverify.datasets.neighbors.relation import Relation
from dpverify.datasets.table import Table
from dpverify.gallery.bug import Bug, load_bug
from dpverify.ledger.claims_file import load_claims
from dpverify.loaders.detectable import Visible, visible_in_blocks, visible_in_rates
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import SchemeTest, counted, fact
from dpverify.loaders.terms import Priced, Terms

__all__ = [
    "Accountant",
    "Again",
    "AuditError",
    "Auditor",
    "Bracket",
    "Bug",
    "Claim",
    "Composed",
    "Composition",
    "ContradictionError",
    "Counts",
    "Curve",
    "Dataset",
    "DpverifyError",
    "Draw",
    "Enclosed",
    "Encloses",
    "Evidence",
    "Explains",
    "Figure",
    "Guarantee",
    "HasApprox",
    "HasCanaries",
    "HasLaws",
    "HasMu",
    "HasOutputLaw",
    "HasPrintedBound",
    "HasPure",
    "HasQuery",
    "HasRecorder",
    "HasRenyi",
    "HasScores",
    "HasStatistic",
    "HasTranscript",
    "InputError",
    "LackingError",
    "Law",
    "LawPair",
    "Library",
    "Measure",
    "NeedsTrials",
    "NeighborGenerator",
    "NotExamined",
    "Observed",
    "Offered",
    "Offers",
    "Pair",
    "Perturbed",
    "Priced",
    "PrivacyGuarantee",
    "Published",
    "Reading",
    "Rechecks",
    "Registry",
    "Relation",
    "Remark",
    "Samples",
    "Scalable",
    "Scheme",
    "SchemeTest",
    "SearchSpace",
    "Shown",
    "Source",
    "Status",
    "Step",
    "Suite",
    "SuiteEntry",
    "Table",
    "Task",
    "Terms",
    "Traces",
    "Transcript",
    "TranscriptStep",
    "UnsupportedError",
    "Verdict",
    "Visible",
    "Writer",
    "capabilities",
    "counted",
    "fact",
    "load_bug",
    "load_claims",
    "register_modules",
    "visible_in_blocks",
    "visible_in_rates",
]
