"""The site's templates, compiled once for all test processes: that takes as long as all pages."""

import os
import tempfile
from pathlib import Path

from jinja2 import FileSystemBytecodeCache

FOLDER = Path(tempfile.gettempdir()) / f"quadrille-templates-{os.getuid()}"
FOLDER.mkdir(mode=0o700, exist_ok=True)
TEMPLATES = FileSystemBytecodeCache(str(FOLDER))
"""By each template's text and the version of Jinja."""
