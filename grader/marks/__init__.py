"""Marks: which upload counts, what is taken off for lateness, what makes up a mark, and marks that are published."""
