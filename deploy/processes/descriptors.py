"""How many files, connections among them, a process may have open."""

import resource


def allow_files(wanted: int) -> int:
    """Let this process open so many, or as many as it may; how many that is."""
    present, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if present == resource.RLIM_INFINITY or present >= allowed:
        return allowed
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return allowed
