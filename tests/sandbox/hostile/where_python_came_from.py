# verdict: survives
# Compiled modules and what is kept of the build name folders of the host; and a host may tell its own name.
import importlib.util
import marshal
import os
import sys


def attack():
    for name in ("json.decoder", "random", "zipfile", "this", "socket", "sysconfig"):
        with open(importlib.util.find_spec(name).cached, "rb") as file:
            path = marshal.loads(file.read()[16:]).co_filename
        if not path.startswith("/py/"):
            return path
    made = importlib.import_module(f"_sysconfigdata_{sys.abiflags}_{sys.platform}_{sys.implementation._multiarch}")
    if not made.build_time_vars["LIBDEST"].startswith("/py/"):
        return made.build_time_vars["LIBDEST"]
    return os.uname().nodename if os.uname().nodename != "quadrille" else None
