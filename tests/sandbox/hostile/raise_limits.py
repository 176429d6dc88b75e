# verdict: survives
import resource


def attack():
    return each([
        lambda kind=kind: resource.setrlimit(kind, resource.getrlimit(kind)) for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC)
    ])
