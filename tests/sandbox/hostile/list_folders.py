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
    return each([lambda path=path: os.listdir(path) for path in ("/", "/guest", "/guest/sandbox", "..", "/py", "/proc")])
