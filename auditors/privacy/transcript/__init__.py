"""The white-box auditor: whole transcripts of iterative optimisers."""
