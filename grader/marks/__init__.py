"""Marks: which upload counts, what lateness costs, how a mark is calculated, and how marks are published."""
