"""The gallery: real bugs of real releases, each a file of data and a file of code, found again by one command."""
