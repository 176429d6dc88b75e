"""Runs the code of a question's author (`cases.py`, `solution.py`, `checker.py`), always in a sandbox."""
