"""The limit of a process's open files, which include its connections."""

import resource


def allow_files(wanted: int) -> int:
    """Let this process open `wanted` files, or as many as the system allows; return that number."""
    present, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if present == resource.RLIM_INFINITY or present >= allowed:
        return allowed
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return allowed
