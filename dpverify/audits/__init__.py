"""One way from a question to a finding: what is asked, the audit that answers it, judges, and the result."""
