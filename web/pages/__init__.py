"""One blueprint per page."""
