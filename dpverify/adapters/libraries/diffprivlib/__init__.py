"""diffprivlib as a subject."""
