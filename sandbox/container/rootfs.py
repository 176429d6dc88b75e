"""Makes the root folder of a container image: the same files at the same places as in bubblewrap's jails
(`sandbox/backends/bubblewrap.py`).

`deploy/containers/images/sandbox.Dockerfile` runs `python3 -m sandbox.container.rootfs FOLDER` in the base image, whose
interpreter then runs the players. `programs.Dockerfile` adds the argument `programs`, and the base image's toolchains
then compile and run programs. Nothing else from the base image is included: no shell, package manager, certificates or
users.
"""

import compileall
import hashlib
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from py_compile import PycInvalidationMode

from sandbox.host import interpreter, python_copy
from sandbox.host.programs import toolchains
from sandbox.host.programs.toolchains import ROOT
from sandbox.inside import container_guest
from sandbox.inside.programs.launcher import TOOLS
from sandbox.inside.programs.scratch import FOLDER


def fingerprint(files: Iterable[Path]) -> str:
    """Return a hash of the guest's files. An image built from different files is refused."""
    contents = b"\0".join(file.name.encode() + b"\0" + file.read_bytes() for file in files)
    return hashlib.sha256(contents).hexdigest()


def make_for_players(root: Path) -> None:
    """Fill the root folder of an image for players. The interpreter lies in a folder that becomes the players' root
    (`interpreter.ROOT`); the guest finds it through links. Raises SandboxUnavailable if parts of the interpreter cannot
    be found, or OSError."""
    parts = interpreter.find()
    players = root / interpreter.ROOT[1:]
    python_copy.fill(parts, players)
    for folder in players.iterdir():  # everything has the same path for the guest and for players
        (root / folder.name).symlink_to(players.relative_to(root) / folder.name)
    guest = root / interpreter.GUEST[1:] / "sandbox"
    (guest / "inside").mkdir(parents=True)
    for source, target in parts.guest:
        shutil.copy(source, root / target[1:])
    describe(root, interpreter.INSIDE, parts.readable)
    compile_all(players / interpreter.HOME[1:], interpreter.HOME)
    compile_all(guest, f"{interpreter.GUEST}/sandbox")


def describe(root: Path, files: Iterable[Path], readable: Iterable[str]) -> None:
    """Write into the image a fingerprint of our files and the list of folders that a player may read. Create the
    runner's folder."""
    about = {"guest": fingerprint(files), "readable": [*readable]}
    (root / interpreter.GUEST[1:] / "sandbox" / "inside" / container_guest.ABOUT).write_text(json.dumps(about))
    (root / container_guest.CONTROL[1:]).parent.mkdir()


def compile_all(folder: Path, inside: str) -> None:
    """Compile all modules in a folder now, because its place in the image, `inside`, is read-only later."""
    compileall.compile_dir(
        folder,
        quiet=2,
        force=True,
        stripdir=str(folder),
        prependdir=inside,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )


def make_for_programs(root: Path) -> None:
    """Fill the root folder of an image for programs. Raises SandboxUnavailable if a toolchain is missing, or
    OSError."""
    found = {tool: toolchains.find(tool) for tool in toolchains.TOOLS}
    files = {target: source for tool in found.values() for source, target in tool.files}
    for target, source in sorted(files.items()):
        _copy_into(source, root / ROOT[1:] / target[1:])
    for name, leads_to in toolchains.layout(files):
        (root / name[1:]).symlink_to(leads_to)
    for file, place in interpreter.own_files(interpreter.PROGRAMS):
        _copy_into(str(file), root / place[1:])
    compile_all(root / ROOT[1:] / interpreter.HOME[1:], interpreter.HOME)
    compile_all(root / interpreter.GUEST[1:] / "sandbox", f"{interpreter.GUEST}/sandbox")
    inside = root / interpreter.GUEST[1:] / "sandbox" / "inside"
    describe(root, interpreter.PROGRAMS, ())
    (inside / "programs" / TOOLS).write_text(json.dumps(toolchains.told(found)))
    scratch = root / ROOT[1:] / FOLDER[1:]
    scratch.mkdir()
    scratch.chmod(0o777)


def _copy_into(source: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(source).is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


if __name__ == "__main__":
    folder, *kind = sys.argv[1:]
    (make_for_programs if kind == ["programs"] else make_for_players)(Path(folder))
