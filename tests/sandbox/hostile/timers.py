# verdict: survives
# No pondering while others think.
import signal


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
    attempts = [lambda which=which: signal.setitimer(which, 0.01, 0.01) for which in range(3)]
    return each(attempts)
