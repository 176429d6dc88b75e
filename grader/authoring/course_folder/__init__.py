"""A course as a folder of files: reading, checking and writing it. See docs/run-a-course.md."""
