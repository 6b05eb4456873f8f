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
  with a kind of `Guarantee`, ``registry.writers`` with a `Writer`.

What is not here and not in `dpverify` itself is private: it may be renamed or moved in any version.
"""

from dpverify.core.attack_scores import HasCanaries, HasScores
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
from dpverify.core.evidence import Evidence
from dpverify.core.figure import Curve, Figure
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.recheck import Again, ContradictionError, LackingError
from dpverify.core.registry import Registry, register_modules
from dpverify.core.remark import Remark, Shown
from dpverify.core.statistic import HasStatistic
from dpverify.core.subjects import (
    Counts,
    Encloses,
    Explains,
    Guarantee,
    HasOutputLaw,
    HasPrintedBound,
    HasQuery,
    HasRecorder,
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
from dpverify.core.writer import Writer
from dpverify.datasets.dataset import Dataset
from dpverify.datasets.table import Table
from dpverify.ledger.claims_file import load_claims

__all__ = [
    "Accountant",
    "Again",
    "AuditError",
    "Auditor",
    "Bracket",
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
    "Measure",
    "NeedsTrials",
    "NeighborGenerator",
    "Pair",
    "Perturbed",
    "PrivacyGuarantee",
    "Published",
    "Reading",
    "Rechecks",
    "Registry",
    "Remark",
    "Samples",
    "Scalable",
    "SearchSpace",
    "Shown",
    "Source",
    "Status",
    "Step",
    "Suite",
    "SuiteEntry",
    "Table",
    "Task",
    "Traces",
    "Transcript",
    "TranscriptStep",
    "UnsupportedError",
    "Verdict",
    "Writer",
    "capabilities",
    "load_claims",
    "register_modules",
]
