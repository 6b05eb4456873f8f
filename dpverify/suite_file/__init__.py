"""The suite file of a user's package, ``dpverify.toml``: which audits it declares, and how each of them is done."""
