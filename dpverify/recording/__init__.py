"""Record and replay: every draw, every noise-free value and every public value of a run."""
