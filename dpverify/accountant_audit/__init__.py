"""Audits of accountants: do their answers contradict each other, or a lower bound? One question a file."""
