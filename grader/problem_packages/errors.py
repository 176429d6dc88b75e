"""Why a problem package cannot become a question."""


class PackageError(ValueError):
    """A problem package cannot be used; the message says why, and what to do if something can be done."""
