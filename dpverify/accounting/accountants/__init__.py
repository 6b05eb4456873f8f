"""Ways of accounting, one file each."""
