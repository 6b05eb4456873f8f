"""Private ranking (DISS chapter 6): sessions of documents, scoring functions, listwise objectives, PrivBR."""
