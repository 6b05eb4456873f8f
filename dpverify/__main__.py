"""``python -m dpverify``: the command line."""

from dpverify.cli import main

main()
