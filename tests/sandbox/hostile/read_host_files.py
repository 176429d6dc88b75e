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
    paths = ["/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/environ", "/proc/self/maps", "/sys/kernel"]
    paths += ["/dev/mem", "/dev/null", "/root/.bashrc", "/home", "/tmp", "/usr/bin/env", "/bin/sh"]
    return each([lambda path=path: open(path).read() for path in paths])
