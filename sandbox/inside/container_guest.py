"""Starts the guest in a container, or the launcher if the argument is `programs`. Connects to the runner, says what the
image contains, and serves.

In the image this file lies beside `ABOUT`. Standard library only.
"""

import os
import socket
import sys
from typing import Final, NoReturn

CONTROL: Final = "/control/socket"  # the socket on which the runner listens, as seen from the container
ABOUT: Final = "about.json"  # the file beside this one that describes the image; `rootfs.describe` writes it


def main() -> NoReturn:
    """Connect to the runner, describe the image to it, then become the fork server or the launcher. On a kernel other
    than Linux's own (gVisor's), say so and end."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        sys.exit("this container runtime has no process descriptors (pidfd_open), without which there is no sandbox")
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with open(os.path.join(os.path.dirname(__file__), ABOUT), "rb") as file:
        about = file.read()
    control.connect(CONTROL)
    control.send(about)
    kind, sys.argv[1:] = sys.argv[1:], [str(control.fileno())]
    # imported only now, because it takes a while and the runner waits
    if kind == ["programs"]:
        from sandbox.inside.programs.launcher import main as serve
    else:
        from sandbox.inside.guest import main as serve
    serve()


if __name__ == "__main__":
    main()
