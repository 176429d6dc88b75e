"""How the guest starts in a container: it dials the runner, says what the image holds, and serves.

In the container image this lies among the guest's files, beside `ABOUT`. Standard library only.
"""

import os
import socket
import sys
from typing import Final, NoReturn

CONTROL: Final = "/control/socket"
"""Where the runner listens, as seen in the container."""
ABOUT: Final = "about.json"
"""The file beside this one that says what the image holds: `rootfs.About`."""


def main() -> NoReturn:
    """Dial, then be the fork server. Where the kernel is not Linux's own (gVisor's), say so and end."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        sys.exit("this container runtime has no process descriptors (pidfd_open), without which there is no sandbox")
    with open(os.path.join(os.path.dirname(__file__), ABOUT), "rb") as file:
        about = file.read()
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(CONTROL)
    control.send(about)
    sys.argv[1:] = [str(control.fileno())]
    from sandbox.inside.guest import (
        main as serve,  # takes a while, in which nobody need wonder whether this has started
    )

    serve()


if __name__ == "__main__":
    main()
