"""Makes the root folder of the container image: the same files at the same places as in bubblewrap's jail.

`deploy/images/sandbox.Dockerfile` runs it as `python3 -m sandbox.rootfs FOLDER` in the base image, whose interpreter
players then run on. Nothing else of the base gets in: no shell, no package manager, no certificates, no users.
"""

import compileall
import hashlib
import json
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Final

from sandbox import dial, interpreter

FILES: Final = (*interpreter.GUEST_FILES, "dial")


@dataclass(frozen=True, slots=True)
class About:
    """What an image says of itself."""

    guest: str  # the fingerprint of the guest's files
    readable: list[str]  # the folders that a player may read


def fingerprint() -> str:
    """Says which guest this is: an image made of other files is refused."""
    here = Path(__file__).parent
    contents = b"\0".join(name.encode() + b"\0" + (here / f"{name}.py").read_bytes() for name in sorted(FILES))
    return hashlib.sha256(contents).hexdigest()


def make(root: Path) -> None:
    """Fill the folder. Raises SandboxUnavailable if the parts of the interpreter cannot be found, or OSError."""
    parts = interpreter.find()
    for source, target in parts.mounts:
        _copy(source, root / target[1:])
    guest = root / interpreter.GUEST[1:] / "sandbox"
    shutil.copy(Path(__file__).with_name("dial.py"), guest)
    (guest / dial.ABOUT).write_text(json.dumps(asdict(About(fingerprint(), list(parts.readable)))))
    for folder in (root / interpreter.HOME[1:], guest):  # nothing can be written later
        compileall.compile_dir(folder, quiet=2, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    (root / dial.CONTROL[1:]).parent.mkdir()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignored = shutil.ignore_patterns(*interpreter.HIDDEN, "__pycache__")
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignored)
    else:
        shutil.copy(source, target)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
