"""Who may see what: every page, for everybody."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import select

from grader.authoring.versions import live
from grader.marks.comments import comment_on
from grader.marks.requests import RequestKind, ask
from grader.regrade.batches import ask_dry_run
from grader.store.models import Assignment, Submission
from sandbox.archives import pack
from tests.tournament.factory import publish_examples
from tests.web.access_matrix import FORMS, TABLE, document
from tests.web.access_patterns import PEOPLE, Statuses
from tests.web.records import ON_TURN, disqualified, whole
from tests.web.regrades import graded_again
from tests.web.reports import good
from tests.web.school import HASHED, School
from tournament.ladder.ladder import override_cooldown
from tournament.practice import comparisons
from tournament.practice.trials import LABEL
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import (
    ComparedPair,
    CustomBatch,
    CustomGame,
    CustomSeat,
    Entry,
    HandGame,
    Tournament,
    Trial,
)
from web.api.operations import OPERATIONS
from web.site.models import Membership, Role, User

TESTED_ELSEWHERE = {
    "static",
    "assets.game_file",
    "sign_in.show",
    "sign_in.enter",
    "sign_in.leave",
    "account.change_password",
    "account.revoke_token",
}
OUTSIDER = list(PEOPLE).index("otto")
FOR_TEACHERS = {"/new-course/"}  # of whatever course


@pytest.fixture
def places(school: School) -> dict[str, int]:
    """The numbers in the addresses: all of it is Ada's."""
    staff_of_sections(school)
    submission = school.graded("ada", good())
    entry = school.enter("ada")
    game = school.play(entry, *school.bots()[:3], record=whole())
    archive = pack({"src/a.cpp": b"int x;\n"})
    school.change(Submission, submission, state=JobState.DONE, qualifies=True, archive=archive)
    school.outcome(submission, entry)
    comparison, custom_game, custom_batch = uncounted(school, submission, entry)
    failed_trial(school, submission)
    batch, regrade = graded_again(school, submission, good())
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        people, send = list(school.people.values()), school.sent.append
        asked = ask(session, session.get_one(Submission, submission), "q1", RequestKind.REMARK, "Please look.")
        session.flush()
        request = asked.id
        row = session.get_one(Submission, submission)
        comment = comment_on(session, row, school.people["ines"], ("src/a.cpp", 1), "Why?").id
        dry_run = ask_dry_run(session, send, assignment, live(session, assignment), people, school.people["ines"]).id
    return {
        "request": request,
        "comment": comment,
        "dry_run": dry_run,
        "batch": batch,
        "regrade": regrade,
        "comparison": comparison,
        "custom_game": custom_game,
        "custom_batch": custom_batch,
        "hand_game": by_hand(school),
        "assignment": school.assignment,
        "tournament": school.tournament,
        "submission": submission,
        "entry": entry,
        "game": game,
    }


def staff_of_sections(school: School) -> None:
    """Ada is in the section of Tess, and not in that of Theo; Olga observes."""
    roles = {"tess": (Role.TUTOR, "Mon 9; Tue"), "theo": (Role.TUTOR, "Wed"), "olga": (Role.OBSERVER, "")}
    with school.write() as session:
        session.get_one(Membership, (school.people["ada"], school.course)).section = "mon  9"
        for login, (role, section) in roles.items():
            user = User(login=login, name=f"{login.title()} Realname", password_hash=HASHED)
            session.add(user)
            session.flush()
            own = {"role": role, "section": section, "pseudonym": f"{login}-the-pseudonym"}
            session.add(Membership(user_id=user.id, course_id=school.course, **own))
            school.people[login] = user.id


def failed_trial(school: School, submission: int) -> None:
    """A trial game in which a submission's file was at fault."""
    record = disqualified(ON_TURN)
    record.seats[ON_TURN] = LABEL
    trial = Trial(assignment_id=school.assignment, game="bo", games=8, played=1, state=JobState.DONE)
    with school.write() as session:
        trial.player_id, trial.offence = session.get_one(Submission, submission).player_id, record.pack()
        session.add(trial)


def by_hand(school: School) -> int:
    """A game that Ada has played by hand."""
    with school.write() as session:
        row = HandGame(person_id=school.people["ada"], assignment_id=school.assignment, seat=0, practice=True)
        row.bots, row.record, row.ended, row.place = ["planner"] * 3, whole().pack(), "won", 1
        row.state, row.finished_at = JobState.DONE, now()
        session.add(row)
        session.flush()
        return row.id


def uncounted(school: School, submission: int, entry: int) -> tuple[int, int, int]:
    """A comparison with a pair, a custom game that is shared, and the batch in which it is."""
    packed, bots = whole().pack(), school.bots()[:3]
    with school.write() as session:
        new = session.get_one(Submission, submission)
        comparison = comparisons.begin(session, new.id, new.player_id, session.get_one(Entry, entry))
        results = {"new_place": 1, "new_points": 1.0, "old_place": 2, "old_points": 0.0}
        pair = ComparedPair(comparison_id=comparison.id, number=0, seat=0, no_contest=False, **results)
        pair.opponents = bots
        pair.new_record = pair.old_record = packed
        game = CustomGame(tournament_id=school.tournament, asker_id=school.people["ada"], seed=1, record=packed)
        game.seats = [CustomSeat(seat=seat, label=f"Player {seat}") for seat in range(4)]
        game.batch = CustomBatch(tournament_id=school.tournament, asker_id=game.asker_id, seed=1, rotates=True)
        session.add_all((pair, game))
        session.flush()
        game.share = f"shared-{game.id}"
        return comparison.id, game.id, game.batch.id


SEEN_BY = {"ada": {"Ada"}, "ben": {"Ben"}, "tess": {"Ada"}, "theo": set[str](), "otto": set[str](), "": set[str]()}
"""The students whose real names somebody sees, anywhere."""


def asking(school: School) -> Sequence[str]:
    """Everybody; on PostgreSQL those whose pages show most: what the others get is decided in the same way."""
    return [*PEOPLE] if school.sessions.kw["bind"].dialect.name == "sqlite" else ["ada", "ines"]


def expected(people: Sequence[str], statuses: Statuses) -> dict[str, int]:
    return {login: status for login, status in zip(PEOPLE, statuses, strict=True) if login in people}


@pytest.mark.both_databases
def test_every_page_for_everybody(school: School, places: dict[str, int]) -> None:
    browsers = {login: school.browser(login or None) for login in asking(school)}
    for path, statuses in TABLE.items():
        answers = {login: browser.get(path.format(**places)) for login, browser in browsers.items()}
        found = {login: answer.status_code for login, answer in answers.items()}
        assert found == expected([*browsers], statuses), f"GET {path}; see TABLE"
        for login, answer in answers.items():
            named = {name for name in ("Ada", "Ben", "Cleo") if f"{name} Realname".encode() in answer.data}
            assert named <= SEEN_BY.get(login, named), f"GET {path}: {login} sees names"


@pytest.mark.both_databases
def test_every_form_for_everybody(school: School, places: dict[str, int]) -> None:
    browsers = {login: (school.browser(login or None), None if login else "/sign-in") for login in asking(school)}
    for path, statuses in FORMS.items():
        filled = path.format(**places)
        found = {login: browser.post(filled, form=form).status_code for login, (browser, form) in browsers.items()}
        assert found == expected([*browsers], statuses), f"POST {path}; see FORMS"


def test_who_teaches_another_course_is_nobody_here(school: School, places: dict[str, int]) -> None:
    theirs = otto_teaches(school)
    browser = school.browser("otto")
    for path, statuses in TABLE.items():
        if path not in FOR_TEACHERS:
            assert browser.get(path.format(**places)).status_code == statuses[OUTSIDER], path
    for path, statuses in FORMS.items():
        if path not in FOR_TEACHERS:
            assert browser.post(path.format(**places)).status_code == statuses[OUTSIDER], path
    for path, form in SMUGGLED:
        data = {name: str(value).format(**places) for name, value in form.items()}
        assert browser.post(path.format(**places, theirs=theirs), data).status_code in (404, 409), path


SMUGGLED: list[tuple[str, dict[str, str]]] = [  # another course's things, by way of an assignment of one's own
    ("/assignments/{theirs}/manage/tournament", {"tournament": "{tournament}", "do": "pause"}),
    ("/assignments/{theirs}/manage/requeue/submission/{submission}", {}),
    ("/assignments/{theirs}/queue/give-up/{submission}", {"reason": "Lost."}),
    ("/assignments/{theirs}/manage/requeue/block/1", {}),
    ("/assignments/{theirs}/manage/requeue/comparison/{comparison}", {}),
    ("/assignments/{theirs}/manage/requeue/custom game/{custom_game}", {}),
    ("/assignments/{theirs}/manage/requeue/game by hand/{hand_game}", {}),
    ("/assignments/{theirs}/settings/exclusions", {"tournament": "{tournament}", "login": "ada", "what": "now"}),
    ("/assignments/{theirs}/settings/exclusions/1/revoke", {}),
    ("/assignments/{theirs}/regrades/", {"submission": "{submission}", "reason": "A case was wrong."}),
    ("/assignments/{theirs}/people/1/remove", {"confirm": "yes"}),
    ("/assignments/{theirs}/people/1/bring-back", {}),
    ("/assignments/{theirs}/people/1/password", {}),
    ("/assignments/{theirs}/people/1/name", {"name": "Mine"}),
    ("/assignments/{theirs}/people/1/pseudonym", {"pseudonym": "Mine"}),
    ("/assignments/{theirs}/people/1/role", {"role": "instructor", "confirm": "yes"}),
]


def otto_teaches(school: School) -> int:
    """An assignment in the other course, which Otto now teaches; and Ada has an exclusion of her own."""
    with school.write() as session:
        member = session.scalars(select(Membership).where(Membership.user_id == school.people["otto"])).one()
        member.role = Role.INSTRUCTOR
        override_cooldown(
            session,
            session.get_one(Tournament, school.tournament),
            school.people["ada"],
            None,
            "ill",
            school.people["ines"],
        )
        assignment = Assignment(course_id=member.course_id, slug="bo", title="Another Bo", game="bo")
        publish_examples(session, assignment)
        return assignment.id


@pytest.mark.parametrize("login", [None, "otto"])
def test_the_api_knows_its_own_people_only(school: School, places: dict[str, int], login: str | None) -> None:
    otto_teaches(school)
    headers = {"Authorization": f"Bearer {school.token(login)}"} if login else {}
    places = {**places, "notice": 1, "number": 1, "override": 1, "user": 1}
    asked = [each for each in OPERATIONS if each.parameters]
    assert len(asked) > 25
    for each in asked:
        path = f"/api/v1{each.path}".replace("<course>", "comp10001")
        path = re.sub(r"<int:(\w+?)(?:_id)?>", lambda found: str(places[found[1]]), path)
        if each.path.startswith("/custom-games/"):
            path = path.replace(str(places["game"]), str(places["custom_game"]))
        answer = school.app.test_client().open(path, method=each.method, headers=headers, json={})
        assert answer.status_code == (404 if login else 401), (each.method, path)


def test_no_form_is_taken_without_its_token(school: School) -> None:
    client = school.browser("ines").client
    forms = [rule for rule in school.app.url_map.iter_rules() if "POST" in (rule.methods or set())]
    for rule in forms:
        if not rule.endpoint.startswith("api.") and rule.endpoint != "mail.stop":  # its address is signed
            answer = client.post(re.sub(r"<(\w+:)?\w+>", "1", str(rule)))
            assert (answer.status_code, "another session" in answer.text) == (400, True), rule


def test_no_page_or_form_is_left_out(school: School, places: dict[str, int]) -> None:
    adapter = school.app.url_map.bind("localhost")
    paths = [(path, "GET") for path in TABLE] + [(path, "POST") for path in FORMS]
    asked = [(path.partition("?")[0].format(**places), method) for path, method in paths]
    covered = {adapter.match(path, method)[0] for path, method in asked if adapter.test(path, method)}
    rules = [rule for rule in school.app.url_map.iter_rules() if not rule.endpoint.startswith("api.")]
    left_out = [
        f'    "{rule}": instructors(200),  # in {"FORMS" if "POST" in (rule.methods or ()) else "TABLE"}'
        for rule in rules
        if rule.endpoint not in covered | TESTED_ELSEWHERE
    ]
    assert not left_out, "\n".join(
        ["Who may see it? Add to tests/web/access_matrix.py, by the name that is right:", *left_out]
    )
    assert {rule.endpoint for rule in rules} - covered == TESTED_ELSEWHERE, "TABLE or FORMS has it, or it is gone"


def test_the_docs_have_the_matrix() -> None:
    written = (Path(__file__).parents[3] / "docs" / "access.md").read_text(encoding="utf-8")
    assert written == document(), "python -m tests.web.access_matrix > docs/access.md"
