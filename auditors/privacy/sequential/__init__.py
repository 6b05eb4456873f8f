"""The sequential auditor: bets on draws as they come, and may stop at any time."""
