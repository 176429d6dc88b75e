"""What this machine has."""

import os
from zoneinfo import ZoneInfoNotFoundError

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""Bytes."""

PROCESSORS = os.cpu_count() or 1


def time_zone() -> str:
    """The name of its time zone; UTC if that is not known, as in most containers."""
    import tzlocal  # only few commands need it

    from grader.definition.local_times import DEFAULT_ZONE, zones

    try:
        name = tzlocal.get_localzone_name()
    except (ZoneInfoNotFoundError, ValueError):  # TZ or /etc/timezone names none, or each another
        return DEFAULT_ZONE
    return name if name in zones() and name not in ("Etc/UTC", "Etc/UCT") else DEFAULT_ZONE
