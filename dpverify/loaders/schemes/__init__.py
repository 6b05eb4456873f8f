"""The sampling schemes that a loader is held against: one file each, which registers its own."""
