# verdict: survives
def attack():
    paths = ["/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/environ", "/proc/self/maps", "/sys/kernel"]
    paths += ["/dev/mem", "/dev/null", "/root/.bashrc", "/home", "/tmp", "/usr/bin/env", "/bin/sh"]
    return each([lambda path=path: open(path).read() for path in paths])
