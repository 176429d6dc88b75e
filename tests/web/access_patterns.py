"""Who may: the statuses with which a page, a form or an operation of the API answers each kind of person, by name."""

PEOPLE = {
    "": "nobody signed in",
    "ada": "the student whose work it is",
    "ben": "another student",
    "ines": "instructor",
    "otto": "member of another course",
    "tess": "tutor of the student’s section",
    "theo": "tutor of another section",
    "olga": "observer",
}
"""Who asks, by login, in the order of the statuses."""

CALLERS = {**PEOPLE, "opal": "operator, who is in no course"}
"""Who calls the API; "" has no token."""

SIGN_IN = 303

Statuses = tuple[int, ...]


def only(
    author: int = 403,
    fellow: int = 403,
    instructor: int = 403,
    outsider: int = 404,
    tutor: int = 403,
    other_tutor: int = 403,
    observer: int = 403,
) -> Statuses:
    """What fits no name: the others are refused, and to a member of another course it does not exist."""
    return SIGN_IN, author, fellow, instructor, outsider, tutor, other_tutor, observer


def anybody(answer: int) -> Statuses:
    """Signed in or not."""
    return (answer,) * len(PEOPLE)


def signed_in(answer: int) -> Statuses:
    """Of whatever course."""
    return SIGN_IN, *[answer] * (len(PEOPLE) - 1)


def members(answer: int) -> Statuses:
    """Of the course."""
    return SIGN_IN, answer, answer, answer, 404, answer, answer, answer


def participants(answer: int) -> Statuses:
    """The members who may change something: not the observers."""
    return *members(answer)[:-1], 403


def author(answer: int) -> Statuses:
    """The student whose work it is. To tutors of another section it does not exist."""
    return only(author=answer, other_tutor=404)


def author_and_staff(answer: int, fellow: int = 403) -> Statuses:
    """The student whose work it is, and who sees that student's work: instructors, tutors of the section, observers."""
    return only(answer, fellow, answer, 404, answer, 404, answer)


def staff(answer: int) -> Statuses:
    """Instructors, all tutors, who see their own sections there, and observers."""
    return only(instructor=answer, tutor=answer, other_tutor=answer, observer=answer)


def staff_of_the_student(answer: int) -> Statuses:
    """Who sees that student's work."""
    return only(instructor=answer, tutor=answer, other_tutor=404, observer=answer)


def markers_of_the_student(answer: int) -> Statuses:
    """Who judges that student's work: instructors, and tutors of the section."""
    return only(instructor=answer, tutor=answer, other_tutor=404)


def instructors(answer: int, outsider: int = 404) -> Statuses:
    """Of the course."""
    return only(instructor=answer, outsider=outsider)


def of_the_api(answers: Statuses) -> Statuses:
    """Those of an operation, for `CALLERS`: it asks for a token, and operators are in no course."""
    return 401, *answers[1:], answers[[*PEOPLE].index("otto")]
