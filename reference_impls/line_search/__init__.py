"""Private line searches: how far to step along a direction that is public already."""
