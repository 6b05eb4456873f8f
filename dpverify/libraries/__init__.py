"""Audits of whole libraries: every claim of the installed version in one table (``dpverify audit-library``)."""
