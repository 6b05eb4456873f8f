"""dpverify tells whether a differential-privacy claim is true.

Users import from here; authors of plug-ins import from `dpverify.plugin`, too. Every other module is private: it may be
renamed or moved in any version.

The names below are loaded when they are first used, so that ``import dpverify`` takes no time. A type checker reads
them from the block under ``TYPE_CHECKING``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dpverify.code_key.reads import begin
from dpverify.core import kernel_cache, kernel_symbols

if TYPE_CHECKING:
    from dpverify.accountant_audit.audit import audit_accountant
    from dpverify.accountant_audit.result import AccountantAuditResult
    from dpverify.accounting.risk import Risk, risk
    from dpverify.accounting.side_by_side import Accounts, account
    from dpverify.assertion import VacuousAuditWarning, assert_dp
    from dpverify.audits.audit import audit
    from dpverify.audits.audit_result import AuditResult
    from dpverify.canary_kit.result import CanaryResult
    from dpverify.canary_kit.study import canaries
    from dpverify.core.errors import AuditError, ClaimRefuted, InputError
    from dpverify.core.plugins import registry
    from dpverify.core.verdict import Status
    from dpverify.datasets.dataset import load_table
    from dpverify.definitions.gdp import GDP
    from dpverify.definitions.level_curve import Tradeoff
    from dpverify.definitions.pure_dp import ApproxDP, PureDP
    from dpverify.definitions.rdp import RDP, ZCDP
    from dpverify.derivation.derive import Derivation, derive
    from dpverify.frontier.result import FrontierResult
    from dpverify.frontier.run import utility_frontier
    from dpverify.gallery.result import GalleryBug, bug_gallery
    from dpverify.libraries.audit import audit_library
    from dpverify.libraries.session import LibraryResult
    from dpverify.loaders.audit import audit_sampler
    from dpverify.loaders.result import SamplerResult
    from dpverify.programs.command import command
    from dpverify.recording.user_hooks import noise_primitive, public, record, release
    from dpverify.replaying import audit_replay
    from dpverify.samples.audit import audit_samples
    from dpverify.sampling.streams import stream
    from dpverify.scores.audit import audit_one_run, audit_scores
    from dpverify.scores.result import ScoreResult
    from dpverify.stats.posterior import EpsilonPosterior
    from dpverify.training_step.account import TrainingAccount
    from dpverify.training_step.check import check_training_step
    from dpverify.training_step.opacus_step import opacus_step
    from dpverify.training_step.result import TrainingStepResult

__version__ = "0.2.0"

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "AccountantAuditResult",
    "Accounts",
    "ApproxDP",
    "AuditError",
    "AuditResult",
    "CanaryResult",
    "ClaimRefuted",
    "Derivation",
    "EpsilonPosterior",
    "FrontierResult",
    "GalleryBug",
    "InputError",
    "LibraryResult",
    "PureDP",
    "Risk",
    "SamplerResult",
    "ScoreResult",
    "Status",
    "Tradeoff",
    "TrainingAccount",
    "TrainingStepResult",
    "VacuousAuditWarning",
    "__version__",
    "account",
    "assert_dp",
    "audit",
    "audit_accountant",
    "audit_library",
    "audit_one_run",
    "audit_replay",
    "audit_sampler",
    "audit_samples",
    "audit_scores",
    "bug_gallery",
    "canaries",
    "check_training_step",
    "command",
    "derive",
    "load_table",
    "noise_primitive",
    "opacus_step",
    "public",
    "record",
    "registry",
    "release",
    "risk",
    "stream",
    "utility_frontier",
]

_HOMES = {
    "accountant_audit.audit": ("audit_accountant",),
    "accountant_audit.result": ("AccountantAuditResult",),
    "accounting.risk": ("Risk", "risk"),
    "accounting.side_by_side": ("Accounts", "account"),
    "assertion": ("VacuousAuditWarning", "assert_dp"),
    "audits.audit": ("audit",),
    "audits.audit_result": ("AuditResult",),
    "canary_kit.result": ("CanaryResult",),
    "canary_kit.study": ("canaries",),
    "core.errors": ("AuditError", "ClaimRefuted", "InputError"),
    "core.plugins": ("registry",),
    "core.verdict": ("Status",),
    "datasets.dataset": ("load_table",),
    "definitions.gdp": ("GDP",),
    "definitions.level_curve": ("Tradeoff",),
    "definitions.pure_dp": ("ApproxDP", "PureDP"),
    "definitions.rdp": ("RDP", "ZCDP"),
    "derivation.derive": ("Derivation", "derive"),
    "frontier.result": ("FrontierResult",),
    "frontier.run": ("utility_frontier",),
    "gallery.result": ("GalleryBug", "bug_gallery"),
    "libraries.audit": ("audit_library",),
    "libraries.session": ("LibraryResult",),
    "loaders.audit": ("audit_sampler",),
    "loaders.result": ("SamplerResult",),
    "programs.command": ("command",),
    "recording.user_hooks": ("noise_primitive", "public", "record", "release"),
    "replaying": ("audit_replay",),
    "samples.audit": ("audit_samples",),
    "sampling.streams": ("stream",),
    "scores.audit": ("audit_one_run", "audit_scores"),
    "scores.result": ("ScoreResult",),
    "stats.posterior": ("EpsilonPosterior",),
    "training_step.account": ("TrainingAccount",),
    "training_step.check": ("check_training_step",),
    "training_step.opacus_step": ("opacus_step",),
    "training_step.result": ("TrainingStepResult",),
}
_HOME = {name: f"dpverify.{home}" for home, names in _HOMES.items() for name in names}

begin()
kernel_symbols.settle()
if _where := kernel_cache.settle():
    sys.stderr.write(f"dpverify: {_where}\n")

if not TYPE_CHECKING:  # a type checker that saw this function would take any name for a right one

    def __getattr__(name):
        if name in _HOME:
            from importlib import import_module

            found = getattr(import_module(_HOME[name]), name)
            if _HOME[name].startswith("dpverify.definitions."):
                return import_module("dpverify.keyword_arguments").with_hint(found)
            return found
        raise AttributeError(f"module 'dpverify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
