"""What the containers of this installation are like."""

from dataclasses import replace
from importlib.resources import files

from sandbox.container.recipe import Recipe


def recipe() -> Recipe:
    """The usual containers, under the shipped seccomp profile."""
    return replace(Recipe(), seccomp=files("deploy").joinpath("containers/images/seccomp.json").read_text())
