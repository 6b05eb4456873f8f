"""Pictures of evidence for reports, made from a record's own numbers; no verdict rests on them."""
