"""How `quadrille course check` says how far it is."""

from deploy.cli.course.folder import Pace


def test_it_counts_questions_and_submissions_and_estimates_the_rest() -> None:
    pace = Pace(4)
    assert pace.said("uno: q1") == "uno: q1 (part 1 of 4)"
    assert pace.said("uno: q1: compiling the solution") == "uno: q1: compiling the solution (part 1 of 4)"
    pace.began -= 20
    assert pace.said("uno: submissions/accepted/a.py").endswith("(part 2 of 4, about 1 min left)")
    pace.began -= 10
    assert pace.said("bo: q1").endswith("(part 3 of 4, about 30 s left)")


def test_more_parts_than_expected_are_counted_too() -> None:
    pace = Pace(1)
    pace.said("uno: q1")
    assert "(part 2 of 2" in pace.said("uno: q2")
