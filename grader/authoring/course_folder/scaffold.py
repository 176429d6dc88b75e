"""A new course folder: the assignment of a built-in game, and a small problem set, to be changed."""

from importlib.resources import files

import tomlkit

from grader.authoring.course_folder.builtin import builtin_files, files_in
from grader.authoring.course_folder.course import ASSIGNMENTS, COURSE, CourseSettings

PROBLEM_SET = "warm-up"


def scaffold(slug: str, title: str, zone: str, game: str) -> dict[str, bytes]:
    """The files of a new course by path. Raises pydantic's ValidationError for a slug that cannot be part of an
    address, and for a title that is none."""
    settings = CourseSettings(slug=slug, title=title, time_zone=zone)
    template = files_in(files("grader.authoring.course_folder") / "template")
    template[COURSE] = update_settings(template[COURSE], settings)
    found = builtin_files(game)
    return template | {f"{ASSIGNMENTS}/{game}/{path}": content for path, content in found.items()}


def update_settings(toml: bytes, settings: CourseSettings) -> bytes:
    """The file course.toml with other settings, and everything else in it as it was, comments included."""
    document = tomlkit.parse(toml.decode("utf-8-sig"))
    for name, value in settings.model_dump().items():
        if document.get(name, "") != value:
            document[name] = value
    return tomlkit.dumps(document).encode()
