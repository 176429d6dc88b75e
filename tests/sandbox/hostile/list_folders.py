# verdict: survives
import os


def attack():
    return each([lambda path=path: os.listdir(path) for path in ("/", "/guest", "/guest/sandbox", "..", "/py", "/proc")])
