"""Contract tests: rules that every mechanism, auditor and accountant keeps, as functions and as classes of tests."""
