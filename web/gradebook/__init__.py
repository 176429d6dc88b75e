"""The gradebooks of a course and of its assignments, ready to be shown, and the files of marks."""
