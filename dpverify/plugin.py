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
- ``registry.schemes.add(name, kind)`` with a subclass of `Scheme`: a sampling scheme that loaders are held against.

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
from dpverify.loaders.detectable import Visible, visible_in_blocks, visible_in_rates
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.terms import Priced, Terms
from dpverify.loaders.test_of_scheme import Test as SchemeTest
from dpverify.loaders.test_of_scheme import counted, fact

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
    "Observed",
    "Pair",
    "Perturbed",
    "Priced",
    "PrivacyGuarantee",
    "Published",
    "Reading",
    "Rechecks",
    "Registry",
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
    "load_claims",
    "register_modules",
    "visible_in_blocks",
    "visible_in_rates",
]
