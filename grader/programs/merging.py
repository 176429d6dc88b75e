"""Which files a program is made of: those of the upload that a student may write, and those handed out."""

from collections.abc import Mapping
from dataclasses import dataclass

from grader.definition.programs import ProgramQuestion


@dataclass(frozen=True, slots=True)
class Merged:
    """The files of a program. `locked` are paths of those handed out that students cannot change; `missing` are files
    that the upload lacks; `replaced` are files of the upload instead of which those handed out are used."""

    files: Mapping[str, bytes]
    locked: frozenset[str]
    missing: list[str]
    replaced: list[str]


def merge(question: ProgramQuestion, uploaded: Mapping[str, bytes]) -> Merged:
    """The program that an upload makes. A file that is neither handed out nor the student's to write is left out."""
    given = {path: text.encode() for path, text in question.given.items()}
    own = {path: content for path, content in uploaded.items() if question.may_edit(path)}
    locked = {path: content for path, content in given.items() if not question.may_edit(path)}
    return Merged(
        files=given | own | locked,
        locked=frozenset(locked),
        missing=[path for path in question.asked_for if path not in uploaded],
        replaced=sorted(path for path in locked if path in uploaded and _differ(uploaded[path], locked[path])),
    )


def _differ(one: bytes, other: bytes) -> bool:
    return one.replace(b"\r\n", b"\n").rstrip() != other.replace(b"\r\n", b"\n").rstrip()
