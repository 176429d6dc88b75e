"""Runs what an author of questions wrote (`cases.py`, `solution.py`, `checker.py`), always in a sandbox."""
