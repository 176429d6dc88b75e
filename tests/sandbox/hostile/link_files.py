# verdict: survives
import os


def attack():
    return each([
        lambda: os.symlink("/etc/passwd", "/lib/x"), lambda: os.symlink("/etc/passwd", "x"), lambda: os.link("/py/bin/python3", "/lib/x"),
    ])
