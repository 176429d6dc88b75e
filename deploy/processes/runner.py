"""The containers that the runner of this installation starts."""

from dataclasses import replace
from importlib.resources import files

from sandbox.container.recipe import Recipe, for_programs


def recipe() -> Recipe:
    """The default recipe for players, with the shipped seccomp profile."""
    return replace(Recipe(), seccomp=_profile("seccomp"))


def programs_recipe() -> Recipe:
    """The same for programs."""
    return replace(for_programs(), seccomp=_profile("programs-seccomp"))


def _profile(name: str) -> str:
    return files("deploy").joinpath(f"containers/images/{name}.json").read_text()
