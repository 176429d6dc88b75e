"""The name of a host. A file of its own because `deploy.settings` needs it in processes without Flask."""

from urllib.parse import urlsplit


def name_of(host: str) -> str:
    """A host without its port and brackets, in lower case; "" for text that is not a host."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
