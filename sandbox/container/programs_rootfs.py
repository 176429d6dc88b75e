"""Makes the root folder of the container image for programs: the same files at the same places as in bubblewrap's jail
(`sandbox/backends/bubblewrap_programs.py`).

`deploy/containers/images/programs.Dockerfile` runs `python3 -m sandbox.container.programs_rootfs FOLDER` in the base
image, whose toolchains then compile and run the programs. Nothing else of the base gets in.
"""

import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Final

from sandbox.container.rootfs import About, compile_all, fingerprint
from sandbox.host import interpreter
from sandbox.host.programs import toolchains
from sandbox.host.programs.toolchains import ROOT
from sandbox.inside import container_guest
from sandbox.inside.programs.launcher import TOOLS
from sandbox.inside.programs.scratch import FOLDER

_FOLDER: Final = f"{interpreter.GUEST}/sandbox/inside/programs"


def make(root: Path) -> None:
    """Fill the folder. Raises SandboxUnavailable if a toolchain is missing, or OSError."""
    found = {tool: toolchains.find(tool) for tool in toolchains.TOOLS}
    files = {target: source for tool in found.values() for source, target in tool.files}
    for target, source in sorted(files.items()):
        _copy(source, root / ROOT[1:] / target[1:])
    for name, leads_to in toolchains.layout(files):
        (root / name[1:]).symlink_to(leads_to)
    for file, place in interpreter.launcher():
        _copy(str(file), root / place[1:])
    compile_all(root / ROOT[1:] / interpreter.HOME[1:], interpreter.HOME)
    compile_all(root / interpreter.GUEST[1:] / "sandbox", f"{interpreter.GUEST}/sandbox")
    about = root / _FOLDER[1:]
    (about / container_guest.ABOUT).write_text(json.dumps(asdict(About(fingerprint(interpreter.PROGRAMS), []))))
    (about / TOOLS).write_text(json.dumps(toolchains.told(found)))
    scratch = root / ROOT[1:] / FOLDER[1:]
    scratch.mkdir()
    scratch.chmod(0o777)
    (root / container_guest.CONTROL[1:]).parent.mkdir()


def _copy(source: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(source).is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
