"""Makes the root folder of the container image: the same files at the same places as in bubblewrap's jail. They lie in
a folder that becomes the players' root (`interpreter.ROOT`); the guest finds them through links.

`deploy/containers/images/sandbox.Dockerfile` runs `python3 -m sandbox.container.rootfs FOLDER` in the base image, whose
interpreter then runs the players. Nothing else of the base gets in: no shell, package manager, certificates or users.
"""

import compileall
import hashlib
import json
import shutil
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

from sandbox.host import interpreter, python_copy
from sandbox.inside import container_guest


@dataclass(frozen=True, slots=True)
class About:
    """What an image says about itself."""

    guest: str  # the fingerprint of the guest's files
    readable: list[str]  # the folders that a player may read


def fingerprint(files: Iterable[Path] = interpreter.INSIDE) -> str:
    """A hash of the guest's files. An image made of other files is refused."""
    contents = b"\0".join(file.name.encode() + b"\0" + file.read_bytes() for file in files)
    return hashlib.sha256(contents).hexdigest()


def make(root: Path) -> None:
    """Fill the folder. Raises SandboxUnavailable if the parts of the interpreter cannot be found, or OSError."""
    parts = interpreter.find()
    players = root / interpreter.ROOT[1:]
    python_copy.fill(parts, players)
    for folder in players.iterdir():  # everything has the same path for the guest and for players
        (root / folder.name).symlink_to(players.relative_to(root) / folder.name)
    guest = root / interpreter.GUEST[1:] / "sandbox"
    (guest / "inside").mkdir(parents=True)
    for source, target in parts.guest:
        shutil.copy(source, root / target[1:])
    (guest / "inside" / container_guest.ABOUT).write_text(
        json.dumps(asdict(About(fingerprint(), list(parts.readable))))
    )
    compile_all(players / interpreter.HOME[1:], interpreter.HOME)
    compile_all(guest, f"{interpreter.GUEST}/sandbox")
    (root / container_guest.CONTROL[1:]).parent.mkdir()


def compile_all(folder: Path, inside: str) -> None:
    """Compile every module of a folder, which will be `inside`: nothing can be written later."""
    compileall.compile_dir(
        folder,
        quiet=2,
        force=True,
        stripdir=str(folder),
        prependdir=inside,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )


if __name__ == "__main__":
    make(Path(sys.argv[1]))
