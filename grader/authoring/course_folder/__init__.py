"""A course as a folder of files: reading it, checking it, writing it. See docs/run-a-course.md."""
