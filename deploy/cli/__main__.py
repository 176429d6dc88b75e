"""`python -m deploy.cli`."""

from deploy.cli import main

main(prog_name="quadrille")
