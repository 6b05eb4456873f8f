"""Accountants of libraries as subjects of `dpverify audit-accountant`: a file a library, imported when it is asked."""
