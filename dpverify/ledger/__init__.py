"""The papers' claims: every row, its readings, and the verdict that evidence gave it."""
