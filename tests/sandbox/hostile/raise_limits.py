# verdict: survives
import resource


def each(attempts):
    """What any of the attempts got."""
    for attempt in attempts:
        try:
            got = attempt()
        except OSError:
            pass
        else:
            return f"{got!r}"
    return None


def attack():
    return each([
        lambda kind=kind: resource.setrlimit(kind, resource.getrlimit(kind)) for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC)
    ])
