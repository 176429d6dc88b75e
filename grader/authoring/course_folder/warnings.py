"""What is probably a mistake in an assignment's folder, but keeps nobody from publishing it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Final
from zoneinfo import ZoneInfo

from grader.authoring.course_folder.layout import (
    ASSIGNMENT_TEXTS,
    CASES,
    CHECKER,
    DOCTEST_CASES,
    FOLDERS,
    QUESTION_TEXTS,
    SETTINGS,
    SHOWN,
    TEXT,
    VALIDATOR,
    is_used,
    submission_path,
)
from grader.authoring.course_folder.problems import Problem, TomlFile
from grader.definition.local_times import LocalTime
from grader.definition.model import Definition
from grader.definition.question import ProgramQuestion
from sandbox import patterns

_QUESTION_FILES: Final = (*QUESTION_TEXTS.values(), DOCTEST_CASES, CHECKER)
_LINK = patterns.compile(r"!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)")
_REACHED: Final = patterns.compile(r"(?i)[a-z][a-z0-9+.-]*:|/|#")
"""How the target of a link begins that the site can reach."""


def warnings(files: Mapping[str, bytes], definition: Definition, zone: ZoneInfo, now: datetime) -> list[Problem]:
    """The warnings about an assignment that was read from these files."""
    toml = TomlFile(SETTINGS, files[SETTINGS])
    found = [*_unused(files, definition), *_dead_links(definition), *_of_programs(definition)]
    if definition.due_at and definition.due_at <= now:
        due = LocalTime(definition.due_at, zone).in_words
        found.append(toml.problem(("due",), f"The deadline, {due}, is in the past."))
    if definition.game and not definition.tournaments:
        found.append(Problem(SETTINGS, 0, "There is a game, but no tournament in which it is played: [[tournaments]]."))
    if not definition.questions:
        found.append(Problem(SETTINGS, 0, "There are no questions: whatever is uploaded gets 0 of 0 points."))
    return sorted(Problem(each.file, each.line, each.text, warning=True) for each in found)


def _unused(files: Mapping[str, bytes], definition: Definition) -> Iterator[Problem]:
    """Files that nothing reads, if they look as if something should."""
    slugs = [question.slug for question in definition.questions]
    programs = {each.slug for each in definition.questions if isinstance(each, ProgramQuestion)}
    tops = (SETTINGS, *ASSIGNMENT_TEXTS.values(), "questions", "submissions")
    strange: set[str] = set()
    for path in files:
        top, _, inside = path.partition("/")
        if top not in tops:
            close = get_close_matches(top, tops, n=1, cutoff=0.8)
            if close:
                yield Problem(path, 0, f"This is not used. Did you mean {close[0]}?")
        elif top == "questions" and inside.partition("/")[0] not in slugs:
            strange.add(inside.partition("/")[0])
        elif top == "questions" and inside.partition("/")[0] in programs:
            yield from _unused_of_program(path, inside.partition("/")[2])
        elif top == "questions" and inside.partition("/")[2] not in _QUESTION_FILES:
            yield _not_used(path, inside.partition("/")[2], _QUESTION_FILES)
        elif top == "submissions" and not submission_path(path):
            yield Problem(path, 0, "This is not used, because its name does not end with .py.")
    for slug in sorted(strange):
        yield Problem(f"questions/{slug}", 0, f"This is not used: no question in {SETTINGS} has the slug {slug}.")


def _unused_of_program(path: str, inside: str) -> Iterator[Problem]:
    if not is_used(inside):
        known = (TEXT, CHECKER, CASES, VALIDATOR, *FOLDERS.values())
        yield _not_used(path, inside.partition("/")[0].removesuffix(".py"), known)


def _not_used(path: str, name: str, known: Sequence[str]) -> Problem:
    close = get_close_matches(name, known, n=1)
    return Problem(path, 0, f"This is not used. {f'Did you mean {close[0]}?' if close else ''}".strip())


def _of_programs(definition: Definition) -> Iterator[Problem]:
    """What a program question can hardly do without, and what is surprising about its cases."""
    for question in definition.questions:
        if not isinstance(question, ProgramQuestion):
            continue
        folder = f"questions/{question.slug}"
        if not question.cases:
            yield Problem(f"{folder}/{CASES}", 0, "There are no cases: whatever compiles gets all points.")
        if not question.solution:
            yield Problem(f"{folder}/{FOLDERS['solution']}", 0, "There is no solution, so the cases cannot be checked.")
        for case in question.cases:
            if "\r" in case.input:
                text = "It has the line ends of Windows, and programs are given them. Perhaps git has changed them."
                yield Problem(f"{folder}/{CASES}/{SHOWN[case.hidden]}/{case.slug}.in", 0, text)


def _dead_links(definition: Definition) -> Iterator[Problem]:
    """Links and pictures in texts that lead to files, which the site does not have."""
    texts = {ASSIGNMENT_TEXTS["text"]: definition.text}
    texts |= {f"questions/{each.slug}/{QUESTION_TEXTS['text']}": each.text for each in definition.questions}
    for file, text in texts.items():
        for link in _LINK.finditer(text):
            if not _REACHED.match(link[1]):
                line = text.count("\n", 0, link.start()) + 1
                yield Problem(file, line, f"The site has no file {link[1]}. Link to a whole address: https://…")
