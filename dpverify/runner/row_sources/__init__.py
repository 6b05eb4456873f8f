"""Which definitions decide a number, and a digest of them: what was computed with others is stale.

A digest is made of the definitions (functions, classes, constants) that something reaches, and of nothing that says
where they live: modules and definitions may be moved and renamed, and no digest changes.
"""

from dpverify.runner.row_sources.digest import digest, reached
from dpverify.runner.row_sources.import_graph import DECIDING, Key, Sources, installed

__all__ = ["DECIDING", "Key", "Sources", "digest", "installed", "reached"]
