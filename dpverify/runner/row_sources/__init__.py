"""A digest of the definitions that decide a number: records made with other definitions are stale.

A digest covers the definitions (functions, classes, constants) that something reaches, without their names and places:
modules and definitions may be moved and renamed, and no digest changes.
"""

from dpverify.runner.row_sources.digest import digest, reached_definitions
from dpverify.runner.row_sources.import_graph import DECIDING, Key, Sources, installed_sources

__all__ = ["DECIDING", "Key", "Sources", "digest", "installed_sources", "reached_definitions"]
