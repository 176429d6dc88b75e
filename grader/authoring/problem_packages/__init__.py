"""Imports problem packages of Kattis and ICPC as program questions. See docs/write-a-program-question.md."""
