"""Makes the expected outputs of a program question's cases from its solution."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.program_cases import OUTPUT, SHOWN
from grader.authoring.course_folder.program_layout import CASES, FOLDERS
from grader.authoring.program_check import solution_files, unbuilt
from grader.definition.programs import ProgramCase, ProgramQuestion
from grader.programs.building import build
from grader.programs.jails import ProgramJails
from grader.programs.running import command_for, failure_of
from grader.programs.upload import merge
from sandbox.programs import Ended


@dataclass(slots=True)
class MadeOutputs:
    """The outputs by the slugs of the cases, and why there is none for others."""

    outputs: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def make_outputs(
    question: ProgramQuestion, slugs: Collection[str], jails: ProgramJails, heard: Callable[[str], None]
) -> MadeOutputs:
    """What the solution prints in these cases. Raises SandboxError."""
    made = MadeOutputs()
    if not question.solution:
        where = f"questions/{question.slug}/{FOLDERS['solution']}"
        made.problems.append(Problem(where, 0, "There is no solution that could print what is expected."))
        return made
    heard(f"{question.slug}: compiling the solution")
    merged = merge(question, solution_files(question, {}))
    with jails.programs.open() as jail:
        built = build(question, merged, jails, jail)
        if not built.runs:
            made.problems.append(unbuilt(question, built.build))
            return made
        for case in question.cases:
            if case.slug in slugs:
                heard(f"{question.slug}: {case.slug}")
                _take(made, question, case, jail.run(command_for(question, built.files, case)))
    return made


def _take(made: MadeOutputs, question: ProgramQuestion, case: ProgramCase, ended: Ended) -> None:
    failure = failure_of(question, case, ended)
    where = f"questions/{question.slug}/{CASES}/{SHOWN[case.hidden]}/{case.slug}{OUTPUT}"
    try:
        if failure is None:
            made.outputs[case.slug] = ended.stdout.decode()
        else:
            told = failure.message.replace("Your program", "The solution")
            made.problems.append(Problem(where, 0, f"The output cannot be made. {told}"))
    except UnicodeDecodeError:
        made.problems.append(Problem(where, 0, "What the solution prints is not text in UTF-8."))
