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
    folders = ["", "/", "/tmp/", "/dev/shm/", "/var/tmp/", "/py/lib/python3.11/", "/lib/", "/guest/sandbox/", "/root/", "/run/"]
    return each([lambda folder=folder: open(folder + "written", "w") for folder in folders])
