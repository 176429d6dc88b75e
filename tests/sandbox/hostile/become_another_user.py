# verdict: survives
import os


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
        lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.seteuid(1000), lambda: os.setsid(), lambda: os.nice(-5),
    ])
