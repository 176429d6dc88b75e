"""What the forms about program questions send, as it is kept in a draft."""

import shlex
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from grader.authoring.course_folder.program_cases import ANY_CODE, exit_code
from grader.authoring.drafts import Content
from web.editing.forms import Form, as_float, as_number, line, text

OWN: Final = (
    *("title", "text", "language", "main", "options", "editable", "required", "warnings", "warning_points"),
    *("cpu_s", "memory_mib", "output_kib", "comparator", "points", "gate", "visible", "shows"),
)
"""What a question's own page edits."""

LINES: Final = ("title", "language", "main", "warnings", "gate", "shows")
NUMBERS: Final = ("memory_mib", "output_kib")
DECIMALS: Final = ("warning_points", "cpu_s", "points")
COMPARATOR_DECIMALS: Final = ("relative", "absolute")
COMPARATOR_FLAGS: Final = {"case_sensitive": True, "space_change_sensitive": False}
"""Each with its usual value."""

LARGEST_SHOWN: Final = 128 << 10
"""Characters of a text that is edited in a form; a longer one is replaced by uploading it."""


def put_program(question: Content, form: Form) -> None:
    """All that a question's own page edits."""
    question |= {name: line(form, name) for name in LINES}
    question["text"], question["visible"] = text(form, "text"), "visible" in form
    question["options"] = form.get("options", "").split()
    question["editable"], question["required"] = _lines(form, "editable"), _lines(form, "required")
    question |= {name: as_number(form.get(name, "")) for name in NUMBERS}
    question |= {name: as_float(form.get(name, "")) for name in DECIMALS}
    question["comparator"] = _comparator(question["comparator"], form)


def _comparator(former: Content, form: Form) -> Content:
    comparator = dict(former) | {"kind": form.get("kind", "lines")}
    if text(form, "source") or "source" in comparator:
        comparator["source"] = text(form, "source")
    for name in COMPARATOR_DECIMALS:
        if form.get(name, "").strip():
            comparator[name] = as_float(form[name])
        else:
            comparator.pop(name, None)
    for name, usual in COMPARATOR_FLAGS.items():
        if (name in form) is usual:
            comparator.pop(name, None)
        else:
            comparator[name] = name in form
    if comparator["kind"] == "validator":
        comparator |= {"language": line(form, "validator_language"), "flags": form.get("flags", "").split()}
        comparator.setdefault("files", {})
    return comparator


def _lines(form: Form, name: str) -> list[str]:
    return [each.strip() for each in form.get(name, "").splitlines() if each.strip()]


def put_case(case: Content, form: Form) -> None:
    """All that a case's page edits. A text that was not in the form, because it is long, stays."""
    case["title"], case["hidden"] = line(form, "title"), "shown" not in form
    try:
        case["arguments"] = shlex.split(form.get("arguments", ""))
    except ValueError:  # a quotation mark that is not closed, yet
        case["arguments"] = form.get("arguments", "").split()
    try:
        case["exit_code"] = exit_code(form.get("exit_code", "")) if form.get("exit_code", "").strip() else 0
    except ValueError:
        case["exit_code"] = line(form, "exit_code")
    for name in ("input", "output"):
        if name in form and text(form, name) != text({name: case[name] or ""}, name):  # else it keeps its line ends
            case[name] = text(form, name)


def shown_arguments(case: Content) -> str:
    """The arguments of a case as one writes them in a shell."""
    return shlex.join(map(str, case["arguments"]))


def shown_exit_code(case: Content) -> str:
    """The exit code of a case as its field has it."""
    return ANY_CODE if case["exit_code"] is None else str(case["exit_code"])


def editable_after(editable: Sequence[str], given: Collection[str], chosen: Collection[str]) -> list[str]:
    """The patterns by which students may change, of the files handed out, just the `chosen` ones, and as before
    whatever else they add. A pattern that matches another one is replaced by the chosen files that it matches."""
    found: list[str] = []
    for pattern in editable:
        matched = [path for path in given if fnmatchcase(path, pattern)]
        found += [pattern] if all(path in chosen for path in matched) else [path for path in matched if path in chosen]
    found += [path for path in chosen if not any(fnmatchcase(path, pattern) for pattern in found)]
    return list(dict.fromkeys(found))


def may_edit(question: Content, path: str) -> bool:
    """Whether students may change that file of a draft's question."""
    return any(fnmatchcase(path, str(pattern)) for pattern in question["editable"])


def new_case(slug: str, title: str, hidden: bool) -> dict[str, Any]:
    """A case of a draft whose expected output is not written yet."""
    usual: dict[str, Any] = {"arguments": [], "input": "", "output": None, "exit_code": 0, "files": {}, "leaves": {}}
    return {"slug": slug, "title": title, "hidden": hidden, **usual}
