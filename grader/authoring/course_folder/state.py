"""What a course folder remembers of the installation: the state from which its files were made or to which they were
pushed. So `push` sees whether the site was edited since."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import tomlkit

from grader.authoring.course_folder.files import STATE

_COMMENT = "Written by `quadrille course pull` and `push`: what the files were last compared with. Keep it in git, too."


@dataclass(frozen=True, slots=True)
class SiteState:
    """An assignment as it was on the site: the number of its version, and the digest of what held (see
    `grader.authoring.versions.live`)."""

    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class FolderState:
    """What is remembered of a course: `course` is the digest of its settings."""

    course: str = ""
    assignments: Mapping[str, SiteState] = field(default_factory=dict)


def read_state(folder: Path) -> FolderState:
    """What the folder remembers; nothing if the file is missing or was damaged, as by a merge: then whatever differs on
    the site counts as edited there."""
    try:
        data = tomllib.loads((folder / STATE).read_text("utf-8"))
        seen = {
            slug: SiteState(int(each["version"]), str(each["digest"])) for slug, each in data["assignments"].items()
        }
        return FolderState(str(data["course"]), seen)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return FolderState()


def write_state(folder: Path, state: FolderState) -> None:
    """Keep it in the folder. Raises OSError."""
    document = tomlkit.document()
    document.add(tomlkit.comment(_COMMENT))
    document.add("course", state.course)
    tables = tomlkit.table(is_super_table=True)
    for slug, seen in sorted(state.assignments.items()):
        table = tomlkit.table()
        table.update({"version": seen.version, "digest": seen.digest})
        tables.add(slug, table)
    document.add("assignments", tables)
    (folder / STATE).write_text(tomlkit.dumps(document), "utf-8")
