"""Private ADMM (DISS, chapter 4): a smooth part that sees the records is split from a regulariser that does not."""
