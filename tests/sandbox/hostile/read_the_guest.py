# verdict: survives
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
    paths = ["/guest/sandbox/guest.py", "/guest/sandbox/player.py", "/py/bin/python3"]
    return each([lambda path=path: open(path, "rb").read() for path in paths])
