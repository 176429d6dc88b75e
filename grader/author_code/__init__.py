"""Runs what an author of questions wrote (`cases.py`, `solution.py`, `checker.py`), only ever in a sandbox."""
