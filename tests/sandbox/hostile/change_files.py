# verdict: survives
import json
import os


def attack():
    target = json.__file__
    return each([
        lambda: open(target, "a"), lambda: os.truncate(target, 0), lambda: os.unlink(target), lambda: os.rename(target, "/x"),
        lambda: os.chmod(target, 0o777), lambda: os.chown(target, 0, 0), lambda: os.utime(target), lambda: os.setxattr(target, "user.x", b"1"),
        lambda: os.mkdir("/lib/x"), lambda: os.mkfifo("/lib/x"), lambda: os.mknod("/lib/x"), lambda: os.chdir("/lib"),
    ])
