"""The site's templates, compiled once for all test processes: that takes as long as all pages."""

import os
import tempfile
from hashlib import sha256
from pathlib import Path

from jinja2 import FileSystemBytecodeCache

from web.site import escaping, translated

COMPILER = sha256(Path(str(translated.__file__)).read_bytes() + Path(str(escaping.__file__)).read_bytes()).hexdigest()
FOLDER = Path(tempfile.gettempdir()) / f"quadrille-templates-{os.getuid()}-{COMPILER[:12]}"
FOLDER.mkdir(mode=0o700, exist_ok=True)
TEMPLATES = FileSystemBytecodeCache(str(FOLDER))
"""By each template's text, the version of Jinja, and what we add to it."""
