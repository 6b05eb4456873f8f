"""Plans an audit run, executes it, and turns verdicts into records."""
