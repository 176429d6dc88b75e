"""All that is used of a problem package, before it is a question in one language."""

from dataclasses import dataclass
from typing import Final

from grader.authoring.problem_packages.cases import PackageCases, read_cases
from grader.authoring.problem_packages.files import PackageError, ProblemPackage
from grader.authoring.problem_packages.metadata import Metadata, read_metadata
from grader.authoring.problem_packages.programs import PackageProgram, programs_in
from grader.authoring.problem_packages.statement import Statement, read_statement
from grader.languages import LANGUAGES
from sandbox.api import Verdict

ACCEPTED: Final = "accepted"
VERDICTS: Final = {
    ACCEPTED: Verdict.AC,
    "wrong_answer": Verdict.WA,
    "time_limit_exceeded": Verdict.TLE,
    "run_time_error": Verdict.RTE,
    "compiler_error": Verdict.CE,
}
"""The verdict that a folder of `submissions` names."""

_CODES: Final = {"cpp17": "cpp", "c11": "c", "python3": "python3"}
"""What the format calls our languages."""


@dataclass(frozen=True, slots=True)
class PackageContents:
    """All that is used of a package. `programs` are the judges' submissions, each with the folder that it is in."""

    package: ProblemPackage
    metadata: Metadata
    statement: Statement
    cases: PackageCases
    programs: tuple[tuple[str, PackageProgram], ...]

    @property
    def allowed(self) -> list[str]:
        """The languages that the package allows and we offer."""
        named = self.metadata.languages
        return [slug for slug in LANGUAGES if "all" in named or _CODES[slug] in named]

    @property
    def accepted(self) -> list[PackageProgram]:
        """The accepted submissions in these languages."""
        return [each for folder, each in self.programs if folder == ACCEPTED and each.language in self.allowed]

    @property
    def language(self) -> str:
        """That of most accepted submissions; "" if none is allowed."""
        languages = [program.language for program in self.accepted]
        return max(self.allowed, key=languages.count, default="")

    def expected(self, language: str) -> list[tuple[Verdict, PackageProgram]]:
        """The submissions in a language whose verdict is known."""
        return [
            (VERDICTS[folder], each)
            for folder, each in self.programs
            if each.language == language and folder in VERDICTS
        ]


def read_contents(package: ProblemPackage) -> PackageContents:
    """Raises PackageError if the package is wrong, or a problem that cannot be a question."""
    metadata = read_metadata(package)
    for folder, what in {
        "graders": "a grader of its own",
        "include": "files that are added to each submission",
    }.items():
        if package.under(folder):
            raise PackageError(f"It has {what}, in {folder}. Such problems cannot be used here.")
    folders = {path.split("/")[1] for path in package.under("submissions") if path.count("/") > 1}
    programs = [(name, each) for name in sorted(folders) for each in programs_in(package, f"submissions/{name}")]
    return PackageContents(package, metadata, read_statement(package, metadata), read_cases(package), tuple(programs))
