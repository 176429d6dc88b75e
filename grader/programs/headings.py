"""Says in a few words what went wrong with a program, as a heading for cases with the same cause: `One space too few at
the end of a line`. Headings are derived from the messages of cases, so that they are available for old reports too.
"""

from typing import Final

from grader.programs.shown import Build, CaseResult
from sandbox import patterns

_HEADINGS: Final = [
    (patterns.compile(pattern), heading)
    for pattern, heading in (
        (r"^Your program prints nothing", "Nothing is printed"),
        (r"should print nothing", "Something is printed where nothing is expected"),
        (r"mpty lines? (?:is|are) missing", "An empty line is missing"),
        (r"empty lines? too many", "One empty line too many"),
        (r"^You(?:r output stops| stop) after line", "The output stops too early"),
        (r"^You print .* lines? too many", "The output goes on too long"),
        (r"^You print .* more than expected", "The output goes on too long"),
        (r"is a line too many", "One line too many"),
        (r"^A line is missing", "A line is missing"),
        (r"are in the wrong order", "Lines are in the wrong order"),
        (r"a line end is missing after", "The line end after the last line is missing"),
        (r"you print a line end after", "One line ending too many after the last line"),
        (r"case differ\.$|in (?:lower|upper) case\.$|case matter here", "Upper and lower case differ"),
        (r": a space is missing at its (end|beginning)", "One space too few at the {0} of a line"),
        (r": you print a space at its (end|beginning)", "One space too many at the {0} of a line"),
        (r": [\d,]+ spaces are missing at its (end|beginning)", "Too few spaces at the {0} of a line"),
        (r": you print [\d,]+ spaces at its (end|beginning)", "Too many spaces at the {0} of a line"),
        (r"you print a space instead of 2 spaces", "One space too few between two words"),
        (r"you print 2 spaces instead of a space", "One space too many between two words"),
        (
            r"white space|instead of (?:a|[\d,]+) (?:space|tab)|its spaces|spaces or line ends",
            "Only white space differs",
        ),
        (r"where the number .* is expected", "A word where a number is expected"),
        (r"a difference of up to .* is accepted", "A number is wrong"),
        (r"is right at first, but then goes on|should not be there\.$", "Too many words in a line"),
        (r"is right at first, but then stops|is missing\.$", "Words are missing in a line"),
        (r"differs in one character", "One character is wrong"),
        (r"^Line .* (?:you print .* instead of|has .* where .* is expected)", "A word is wrong"),
        (r"is not the line expected", "A line is wrong"),
        (r"did not write the file", "A file is missing at the end"),
    )
]


def output_heading(case: CaseResult) -> str:
    """Say what is wrong with the output of a run; "" for an unknown message."""
    for pattern, heading in _HEADINGS:
        if match := pattern.search(case.message):
            return heading.format(*match.groups())
    return ""


def build_heading(build: Build) -> str:
    """Return the compiler's first complaint: an error or, if warnings prevented the runs, a warning; "" if there is no
    complaint."""
    if not build.diagnostics:
        return ""
    first = build.diagnostics[0]
    plain = first.plain or first.message
    return f"{first.file}, line {first.line}: {plain}" if first.line else plain
