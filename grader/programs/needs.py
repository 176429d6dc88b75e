"""What a worker must have to grade the submissions of an assignment."""

from grader.definition.model import Definition


def needs_of(definition: Definition) -> str:
    """The languages of its programs, in order, with a space between: `c11 cpp17`; "" where it asks for none."""
    return " ".join(sorted({each.language for each in definition.programs}))
