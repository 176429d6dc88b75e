"""What this machine has."""

import os

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""Bytes."""

PROCESSORS = os.cpu_count() or 1
