"""Accountants of libraries as subjects of `dpverify audit-accountant`: one file a library, imported when it is asked."""
