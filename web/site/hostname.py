"""What a host is called. Imports little: settings need it, too."""

from urllib.parse import urlsplit


def name_of(host: str) -> str:
    """A host without its port and brackets, in small letters; "" for what is not a host."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
