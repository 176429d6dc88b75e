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
        lambda: os.symlink("/etc/passwd", "/lib/x"), lambda: os.symlink("/etc/passwd", "x"), lambda: os.link("/py/bin/python3", "/lib/x"),
    ])
