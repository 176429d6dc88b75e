"""Starts the launcher in a container: calls the runner, says what the image holds, and serves."""

import os
import sys

from sandbox.inside.container_guest import ABOUT, call_runner
from sandbox.inside.programs.launcher import main

if __name__ == "__main__":
    control = call_runner(os.path.join(os.path.dirname(__file__), ABOUT))
    sys.argv[1:] = [str(control.fileno())]
    main()
