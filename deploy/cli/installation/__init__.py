"""Commands for the operator: an installation, its processes and its database."""
