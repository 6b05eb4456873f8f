"""The sampling schemes that a loader is held against: one file each, whose `SCHEME` is found by its being here."""
