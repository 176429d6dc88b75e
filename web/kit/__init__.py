"""The kit: what a student downloads to work at home."""
