"""Who may see what: every page, for everybody."""

import re

import pytest
from sqlalchemy import select

from grader.models import Assignment, Submission
from grader.programs.bundle import pack
from grader.publishing.versions import live
from grader.regrade.dry_runs import ask_dry_run
from tests.tournament.factory import publish_examples
from tests.web.records import disqualified, whole
from tests.web.regrades import graded_again
from tests.web.reports import good
from tests.web.school import School
from tournament.custom import comparisons
from tournament.custom.trials import LABEL
from tournament.ladder.exclusion import override
from tournament.store.jobs import JobState
from tournament.store.tables import ComparedPair, CustomGame, CustomSeat, Entry, Tournament, Trial
from web.api.operations import OPERATIONS
from web.models import Membership, Role

pytestmark = pytest.mark.both_databases

SIGN_IN = 303
# page: nobody, its author, a fellow student, an instructor, somebody of another course
TABLE = {
    "/healthz": (200, 200, 200, 200, 200),
    "/metrics": (200, 200, 200, 200, 200),  # to this machine; see test_metrics
    "/api/v1/openapi.json": (200, 200, 200, 200, 200),
    "/": (SIGN_IN, 200, 200, 200, 200),
    "/account/": (SIGN_IN, 200, 200, 200, 200),
    "/account/choose-password": (SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN),  # only after a one-time password
    "/notices/": (SIGN_IN, 200, 200, 200, 200),
    "/nowhere": (404, 404, 404, 404, 404),
    "/courses/comp10001/bo/": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/entry": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/rules": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/house-game/plays/0": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/house-game/plays/9999": (SIGN_IN, 404, 404, 404, 404),
    "/courses/comp10001/bo/worked-turn/plays/0": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/pseudonym/": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/starter.py": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/kit.zip": (SIGN_IN, 200, 200, 200, 404),
    "/courses/comp10001/bo/full-kit.zip": (SIGN_IN, 403, 403, 200, 404),  # until an instructor offers it
    "/courses/comp10001/bo/files.zip": (SIGN_IN, 404, 404, 404, 404),  # it hands out none
    "/courses/comp10001/nothing/": (SIGN_IN, 404, 404, 404, 404),
    "/submissions/{submission}/": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/live": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/code/": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/code/?file=none.cpp": (SIGN_IN, 404, 403, 404, 404),
    "/submissions/{submission}/code/compared/": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/code/compared/?other=999999": (SIGN_IN, 404, 403, 404, 404),
    "/submissions/{submission}/source": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/cases/q1/999/test.py": (SIGN_IN, 404, 403, 404, 404),
    "/submissions/{submission}/files/src/a.cpp": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/files/b.cpp": (SIGN_IN, 404, 403, 404, 404),
    "/submissions/{submission}/reports/{regrade}": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/reports/999999": (SIGN_IN, 404, 403, 404, 404),
    "/submissions/{submission}/trial-game/": (SIGN_IN, 302, 403, 302, 404),
    "/submissions/{submission}/trial-game/plays/0": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/{submission}/trial-game/record.json": (SIGN_IN, 200, 403, 200, 404),
    "/submissions/999999/": (SIGN_IN, 404, 404, 404, 404),
    "/tournaments/{tournament}/": (SIGN_IN, 200, 200, 200, 404),
    "/tournaments/{tournament}/board": (SIGN_IN, 200, 200, 200, 404),
    "/tournaments/{tournament}/standings.csv": (SIGN_IN, 403, 403, 200, 404),
    "/tournaments/{tournament}/bracket/": (SIGN_IN, 200, 200, 200, 404),
    "/tournaments/{tournament}/bracket/live": (SIGN_IN, 200, 200, 200, 404),
    "/tournaments/{tournament}/watch/": (SIGN_IN, 403, 403, 200, 404),
    "/tournaments/{tournament}/watch/found": (SIGN_IN, 403, 403, 200, 404),
    "/tournaments/{tournament}/watch/entries/1/999999": (SIGN_IN, 403, 403, 404, 404),
    "/entries/{entry}/": (SIGN_IN, 200, 200, 200, 404),
    "/entries/999999/": (SIGN_IN, 404, 404, 404, 404),
    "/games/{game}/": (SIGN_IN, 302, 302, 302, 302),
    "/games/{game}/offence": (SIGN_IN, 302, 302, 302, 404),
    "/games/{game}/plays/0": (SIGN_IN, 200, 200, 200, 404),
    "/games/{game}/plays/0?part=film": (SIGN_IN, 200, 200, 200, 404),
    "/games/{game}/plays/99999": (SIGN_IN, 404, 404, 404, 404),
    "/games/{game}/record.json": (SIGN_IN, 200, 200, 200, 404),
    "/games/999999/plays/0": (SIGN_IN, 404, 404, 404, 404),
    "/comparisons/{comparison}/": (SIGN_IN, 200, 403, 200, 404),
    "/comparisons/{comparison}/live": (SIGN_IN, 200, 403, 200, 404),
    "/comparisons/{comparison}/pairs/0/new/": (SIGN_IN, 302, 403, 302, 404),
    "/comparisons/{comparison}/pairs/0/new/plays/0": (SIGN_IN, 200, 403, 200, 404),
    "/comparisons/{comparison}/pairs/0/new/record.json": (SIGN_IN, 200, 403, 200, 404),
    "/comparisons/999999/": (SIGN_IN, 404, 404, 404, 404),
    "/tournaments/{tournament}/custom-games/": (SIGN_IN, 200, 200, 200, 404),
    "/tournaments/{tournament}/custom-games/list": (SIGN_IN, 200, 200, 200, 404),
    "/custom-games/{custom_game}/": (SIGN_IN, 302, 403, 302, 404),
    "/custom-games/{custom_game}/plays/0": (SIGN_IN, 200, 403, 200, 404),
    "/custom-games/{custom_game}/record.json": (SIGN_IN, 200, 403, 200, 404),
    "/custom-games/999999/": (SIGN_IN, 404, 404, 404, 404),
    "/shared/shared-{custom_game}/": (302, 302, 302, 302, 302),
    "/shared/shared-{custom_game}/plays/0": (200, 200, 200, 200, 200),
    "/shared/nothing/plays/0": (404, 404, 404, 404, 404),
    "/shared-games/nothing/": (302, 302, 302, 302, 302),
    "/shared-games/nothing/plays/0": (404, 404, 404, 404, 404),
    "/assignments/{assignment}/manage/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/regrades/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/dry-runs/{dry_run}/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/dry-runs/{dry_run}/live": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/dry-runs/{batch}/": (SIGN_IN, 403, 403, 404, 404),
    "/regrades/{dry_run}/": (SIGN_IN, 403, 403, 303, 404),
    "/regrades/{batch}/": (SIGN_IN, 403, 403, 200, 404),
    "/regrades/{batch}/live": (SIGN_IN, 403, 403, 200, 404),
    "/regrades/{batch}/changes.csv": (SIGN_IN, 403, 403, 200, 404),
    "/regrades/999999/": (SIGN_IN, 404, 404, 404, 404),
    "/assignments/{assignment}/people/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/people/people.csv": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/people/add/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/people/1/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/people/5/": (SIGN_IN, 403, 403, 404, 404),  # somebody of another course
    "/assignments/{assignment}/settings/": (SIGN_IN, 403, 403, 200, 404),
    "/courses/comp10001/": (SIGN_IN, 403, 403, 200, 404),
    "/new-course/": (SIGN_IN, 403, 403, 200, 403),
    "/assignments/{assignment}/edit/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/text/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/starter/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/preview/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/questions/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/questions/q1/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/questions/none/": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/files/given/": (SIGN_IN, 403, 403, 404, 404),  # it asks for a function
    "/assignments/{assignment}/edit/questions/q1/files/given/Deck.cpp": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/live": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/tournaments/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/players/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/try/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/try/live": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/publish/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/publish/live": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/versions/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/versions/1/": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/versions/999/": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/final/": (SIGN_IN, 200, 200, 200, 404),
    "/assignments/{assignment}/final/progress": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/final/marks.csv": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/final/record.jsonl.gz": (SIGN_IN, 403, 403, 404, 404),
}
FORMS = {
    "/account/tokens": (SIGN_IN, 422, 422, 422, 422),
    "/account/choose-password": (SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN),
    "/courses/comp10001/pseudonym/": (SIGN_IN, 409, 409, 409, 404),
    "/courses/comp10001/bo/submissions": (SIGN_IN, 422, 422, 422, 404),
    "/submissions/{submission}/enter": (SIGN_IN, 303, 403, 403, 404),
    "/tournaments/{tournament}/bracket/": (SIGN_IN, 403, 403, 400, 404),
    "/tournaments/{tournament}/bracket/do": (SIGN_IN, 403, 403, 400, 404),
    "/submissions/{submission}/compare": (SIGN_IN, 303, 403, 403, 404),
    "/comparisons/{comparison}/cancel": (SIGN_IN, 303, 403, 403, 404),
    "/tournaments/{tournament}/custom-games/": (SIGN_IN, 422, 422, 422, 404),
    "/custom-games/{custom_game}/share": (SIGN_IN, 303, 403, 403, 404),
    "/games/{game}/share": (SIGN_IN, 303, 403, 303, 404),
    "/tournaments/{tournament}/watch/": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/people/1/remove": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/people/add/": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/people/add/confirm": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/people/1/name": (SIGN_IN, 403, 403, 409, 404),
    "/assignments/{assignment}/people/1/pseudonym": (SIGN_IN, 403, 403, 409, 404),
    "/assignments/{assignment}/people/1/role": (SIGN_IN, 403, 403, 400, 404),
    "/assignments/{assignment}/people/5/password": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/people/1/bring-back": (SIGN_IN, 403, 403, 409, 404),
    "/notices/read": (SIGN_IN, 303, 303, 303, 303),
    "/entries/{entry}/withdraw": (SIGN_IN, 303, 403, 409, 404),
    "/entries/{entry}/reinstate": (SIGN_IN, 303, 403, 409, 404),
    "/assignments/{assignment}/settings/ladders/{tournament}": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/settings/exclusions": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/settings/exclusions/1/revoke": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/settings/gates": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/settings/custom-games": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/settings/full-kit": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/settings/deadline": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/settings/extensions": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/settings/time-zone": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/manage/tournament": (SIGN_IN, 403, 403, 400, 404),
    "/assignments/{assignment}/manage/requeue/block/1": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/manage/requeue/submission/{submission}": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/manage/requeue/block/999999": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/regrades/": (SIGN_IN, 403, 403, 400, 404),
    "/assignments/{assignment}/dry-runs/": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/dry-runs/{dry_run}/cancel": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/dry-runs/{dry_run}/again": (SIGN_IN, 403, 403, 303, 404),
    "/regrades/{batch}/do": (SIGN_IN, 403, 403, 400, 404),
    "/regrades/{batch}/withdraw": (SIGN_IN, 403, 403, 303, 404),
    "/courses/comp10001/": (SIGN_IN, 403, 403, 422, 404),
    "/new-course/": (SIGN_IN, 403, 403, 422, 403),
    "/assignments/{assignment}/archive": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/delete": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/": (SIGN_IN, 403, 403, 409, 404),
    "/assignments/{assignment}/edit/discard": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/text/": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/rendered": (SIGN_IN, 403, 403, 200, 404),
    "/assignments/{assignment}/edit/starter/": (SIGN_IN, 403, 403, 409, 404),
    "/assignments/{assignment}/edit/questions/": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/questions/add": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/edit/questions/q1/": (SIGN_IN, 403, 403, 409, 404),
    "/assignments/{assignment}/edit/questions/q1/rename": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/edit/questions/q1/remove": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/questions/q1/files/given/": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/add-files/given": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/files/given/Deck.cpp": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/add": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/upload": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/change": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/outputs": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/rename": (SIGN_IN, 403, 403, 404, 404),
    "/assignments/{assignment}/edit/tournaments/": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/tournaments/add": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/edit/tournaments/remove": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/players/": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/players/add": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/edit/players/remove": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/try/": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/edit/publish/": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/edit/publish/not-then": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/publish/over": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/edit/versions/1/take": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/final/deadline": (SIGN_IN, 403, 403, 303, 404),
    "/assignments/{assignment}/final/extensions": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/final/freeze": (SIGN_IN, 403, 403, 422, 404),
    "/assignments/{assignment}/final/do": (SIGN_IN, 403, 403, 400, 404),
}
TESTED_ELSEWHERE = {
    "static",
    "assets.game_file",
    "sign_in.show",
    "sign_in.enter",
    "sign_in.leave",
    "account.change_password",
    "account.revoke_token",
}
FOR_TEACHERS = {"/new-course/"}  # of whatever course
PEOPLE = (None, "ada", "ben", "ines", "otto")


@pytest.fixture
def places(school: School) -> dict[str, int]:
    """The numbers in the addresses: all of it is Ada's."""
    submission = school.graded("ada", good())
    entry = school.enter("ada")
    game = school.play(entry, *school.bots()[:3], record=whole())
    archive = pack({"src/a.cpp": b"int x;\n"})
    school.change(Submission, submission, state=JobState.DONE, qualifies=True, archive=archive)
    school.outcome(submission, entry)
    comparison, custom_game = uncounted(school, submission, entry)
    failed_trial(school, submission)
    batch, regrade = graded_again(school, submission, good())
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        people, send = list(school.people.values()), school.sent.append
        dry_run = ask_dry_run(session, send, assignment, live(session, assignment), people, school.people["ines"]).id
    return {
        "dry_run": dry_run,
        "batch": batch,
        "regrade": regrade,
        "comparison": comparison,
        "custom_game": custom_game,
        "assignment": school.assignment,
        "tournament": school.tournament,
        "submission": submission,
        "entry": entry,
        "game": game,
    }


def failed_trial(school: School, submission: int) -> None:
    """A trial game in which a submission's file was at fault."""
    record = disqualified(0)
    record.seats[0] = LABEL
    trial = Trial(assignment_id=school.assignment, game="bo", games=8, played=1, state=JobState.DONE)
    with school.write() as session:
        trial.player_id, trial.offence = session.get_one(Submission, submission).player_id, record.pack()
        session.add(trial)


def uncounted(school: School, submission: int, entry: int) -> tuple[int, int]:
    """A comparison with a pair, and a custom game that is shared."""
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
        session.add_all((pair, game))
        session.flush()
        game.share = f"shared-{game.id}"
        return comparison.id, game.id


def test_every_page_for_everybody(school: School, places: dict[str, int]) -> None:
    browsers = [school.browser(login) for login in PEOPLE]
    for path, statuses in TABLE.items():
        answers = tuple(browser.get(path.format(**places)).status_code for browser in browsers)
        assert answers == statuses, f"GET {path}: for nobody, its author, a fellow student, …; see TABLE"


def test_every_form_for_everybody(school: School, places: dict[str, int]) -> None:
    browsers = [(school.browser(login), "/account/" if login else "/sign-in") for login in PEOPLE]
    for path, statuses in FORMS.items():
        answers = tuple(browser.post(path.format(**places), form=form).status_code for browser, form in browsers)
        assert answers == statuses, path


def test_who_teaches_another_course_is_nobody_here(school: School, places: dict[str, int]) -> None:
    theirs = otto_teaches(school)
    browser = school.browser("otto")
    for path, statuses in TABLE.items():
        if path not in FOR_TEACHERS:
            assert browser.get(path.format(**places)).status_code == statuses[-1], path
    for path, statuses in FORMS.items():
        if path not in FOR_TEACHERS:
            assert browser.post(path.format(**places)).status_code == statuses[-1], path
    for path, form in SMUGGLED:
        data = {name: str(value).format(**places) for name, value in form.items()}
        assert browser.post(path.format(**places, theirs=theirs), data).status_code in (404, 409), path


SMUGGLED: list[tuple[str, dict[str, str]]] = [  # another course's things, by way of an assignment of one's own
    ("/assignments/{theirs}/manage/tournament", {"tournament": "{tournament}", "do": "pause"}),
    ("/assignments/{theirs}/manage/requeue/submission/{submission}", {}),
    ("/assignments/{theirs}/manage/requeue/block/1", {}),
    ("/assignments/{theirs}/manage/requeue/comparison/{comparison}", {}),
    ("/assignments/{theirs}/manage/requeue/custom game/{custom_game}", {}),
    ("/assignments/{theirs}/settings/ladders/{tournament}", {}),
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
        override(
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
    places = {**places, "notice": 1, "number": 1, "override": 1}
    asked = [each for each in OPERATIONS if each.parameters]
    assert len(asked) > 25
    for each in asked:
        path = re.sub(r"<int:(\w+?)(?:_id)?>", lambda found: str(places[found[1]]), f"/api/v1{each.path}")
        if each.path.startswith("/custom-games/"):
            path = path.replace(str(places["game"]), str(places["custom_game"]))
        answer = school.app.test_client().open(path, method=each.method, headers=headers, json={})
        assert answer.status_code == (404 if login else 401), (each.method, path)


def test_no_form_is_taken_without_its_token(school: School) -> None:
    client = school.browser("ines").client
    forms = [rule for rule in school.app.url_map.iter_rules() if "POST" in (rule.methods or set())]
    for rule in forms:
        if not rule.endpoint.startswith("api."):
            answer = client.post(re.sub(r"<(\w+:)?\w+>", "1", str(rule)))
            assert (answer.status_code, "another session" in answer.text) == (400, True), rule


def test_no_page_or_form_is_left_out(school: School, places: dict[str, int]) -> None:
    adapter = school.app.url_map.bind("localhost")
    paths = [(path, "GET") for path in TABLE] + [(path, "POST") for path in FORMS]
    asked = [(path.partition("?")[0].format(**places), method) for path, method in paths]
    covered = {adapter.match(path, method)[0] for path, method in asked if adapter.test(path, method)}
    rules = [rule for rule in school.app.url_map.iter_rules() if not rule.endpoint.startswith("api.")]
    left_out = [
        f'    "{rule}": (SIGN_IN, 200, 403, 200, 404),  # in {"FORMS" if "POST" in (rule.methods or ()) else "TABLE"}'
        for rule in rules
        if rule.endpoint not in covered | TESTED_ELSEWHERE
    ]
    assert not left_out, "\n".join(
        ["Who may see it? Add to tests/web/test_access.py, with the statuses that are right:", *left_out]
    )
    assert {rule.endpoint for rule in rules} - covered == TESTED_ELSEWHERE, "TABLE or FORMS has it, or it is gone"
