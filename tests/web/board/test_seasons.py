"""A new version of an assignment: which ladders go on, what ends with a season, and who is told of what."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from grader.assignment.deadline import choose, freeze_final
from grader.assignment.ladders import former_seasons, ladders
from grader.authoring.versions import live, publish
from grader.definition.model import Definition
from grader.definition.question import Gate
from grader.entering.entering import NotQualified, enter
from grader.store.models import Assignment, Outcome, Submission
from tests.web.records import whole
from tests.web.reports import good
from tests.web.school import School
from tournament.final.record import canonical_json, read_header
from tournament.final.settings import FinalSettings
from tournament.ladder.ladder import cooldown_ends
from tournament.store.database import now, reading
from tournament.store.tables import Entry, Final, GivenFile, Notice, Player, Tournament

PAGE = "/courses/comp10001/bo/"
Edit = Callable[[Definition], Definition]


def changed(**values: object) -> Edit:
    return lambda definition: definition.model_copy(update=values)


def gated(definition: Definition) -> Definition:
    first, *others = definition.questions
    return definition.model_copy(update={"questions": (first.model_copy(update={"gate": Gate.ALL}), *others)})


def release(school: School, edit: Edit) -> None:
    """Publish the next version."""
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        publish(session, assignment, edit(live(session, assignment)), None, assignment.version)


def running(school: School) -> list[int]:
    with reading(school.sessions) as session:
        return [each.id for each in ladders(session, school.assignment)]


def told(school: School) -> dict[str, list[str]]:
    """The subjects of each person's notices."""
    logins = {id_: login for login, id_ in school.people.items()}
    with reading(school.sessions) as session:
        found: dict[str, list[str]] = {}
        for row in session.scalars(select(Notice).order_by(Notice.id)):
            found.setdefault(logins[row.user_id], []).append(row.subject)
        return found


@pytest.mark.parametrize("edit", [changed(text="Other words."), changed(title="Other"), changed(trial_games=3)])
def test_words_end_no_season_and_are_told_to_nobody(school: School, edit: Edit) -> None:
    own = school.enter("ada")
    release(school, edit)
    assert running(school)[0] == school.tournament
    with reading(school.sessions) as session:
        assert session.get_one(Entry, own).tournament_id == school.tournament
    assert told(school) == {}


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "edit", [changed(options={"hand_size": 4}), gated, changed(game="kotc")], ids=["options", "gates", "game"]
)
def test_a_changed_game_option_or_gate_ends_the_season(school: School, edit: Edit) -> None:
    own = school.enter("ada")
    school.play(own, *school.bots()[:3], record=whole())
    release(school, edit)
    with reading(school.sessions) as session:
        (former,) = former_seasons(session, school.assignment)
        assert former.id == school.tournament
        ladder = ladders(session, school.assignment)[0]
        assert cooldown_ends(session, ladder.id, school.people["ada"], now()) is None
        entered = select(Entry).where(Entry.tournament_id == ladder.id, Entry.author_id.is_not(None))
        assert session.scalars(entered).all() == []
    assert told(school) == {"ada": ["Project 2: Comp10001-Bo: The ladder, season 1 has ended"]}


def test_the_former_season_stays_readable(school: School) -> None:
    own = school.enter("ada", games=100, wins=25)
    game = school.play(own, *school.bots()[:3], record=whole())
    release(school, gated)
    ada = school.browser("ada")
    page = ada.get(PAGE).text
    assert "Former seasons:" in page
    assert f'href="/tournaments/{school.tournament}/"' in page
    assert "You have no player in" in page
    board = ada.get(f"/tournaments/{school.tournament}/").text
    assert "This season ended" in board
    assert "ada-the-pseudonym" in board
    assert "Custom games" not in board
    assert "Former seasons:" in ada.get(f"/tournaments/{running(school)[0]}/").text
    for address in (f"/games/{game}/plays/0", f"/entries/{own}/", f"/tournaments/{school.tournament}/custom-games/"):
        assert ada.get(address).status_code == 200, address
    notice = ada.get("/notices/").text
    assert f'href="/tournaments/{school.tournament}/"' in notice
    assert "what a player must pass to enter" in notice


def test_nothing_more_is_played_or_changed_in_it(school: School) -> None:
    school.enter("ada")
    release(school, gated)
    ines, old = school.browser("ines"), school.tournament
    asked = school.browser("ada").post(
        f"/tournaments/{old}/custom-games/", {"seat": [f"entry:{each}" for each in school.bots()[:4]]}
    )
    assert asked.status_code == 409
    assert "no more are played" in asked.text
    settings = f"/assignments/{school.assignment}/settings/"
    assert f"ladder-{old}-" not in ines.get(settings).text
    ines.post(settings, {f"ladder-{old}-fault_limit": "3"})
    with school.write() as session:
        assert session.get_one(Tournament, old).fault_limit != 3
    again = ines.post(f"/assignments/{school.assignment}/manage/tournament", {"tournament": str(old), "do": "resume"})
    assert again.status_code == 400


def test_a_report_from_before_the_season_enters_nothing(school: School) -> None:
    id_ = school.graded("ada", good(), version=1)
    school.enter("ben")
    release(school, gated)
    with school.write() as session, pytest.raises(NotQualified):
        enter(session, school.sent.append, session.get_one(Submission, id_))
    page = school.browser("ada").get(f"/submissions/{id_}/").text
    assert "Upload the file again" in page
    school.change(Submission, id_, version=2)
    with school.write() as session:
        assert enter(session, school.sent.append, session.get_one(Submission, id_))


def test_who_was_about_to_enter_is_told_too(school: School) -> None:
    school.enter("ben")
    waiting = school.graded("ada", good(), version=1)
    school.outcome(waiting)
    with school.write() as session:
        session.get_one(Outcome, (waiting, school.tournament)).wanted_from = now()
    release(school, gated)
    assert set(told(school)) == {"ada", "ben"}
    with reading(school.sessions) as session:
        outcome = session.get_one(Outcome, (waiting, school.tournament))
        assert (outcome.wanted_from, outcome.entering) == (None, False)
        assert "season" in outcome.refusal


def test_the_final_takes_the_entries_of_the_running_season(school: School) -> None:
    school.enter("ada", ago=timedelta(hours=3))
    school.enter("ben", ago=timedelta(hours=3))
    release(school, gated)
    school.tournament = running(school)[0]
    upload = school.graded("ben", good(), version=2)
    with school.write() as session:
        enter(session, school.sent.append, session.get_one(Submission, upload), at=now())
        assignment = session.get_one(Assignment, school.assignment)
        assignment.due_at = now()
        chosen = choose(session, assignment, set(school.people.values()), now() + timedelta(minutes=1))
    assert [each.author_id for each in chosen.entrants] == [school.people["ben"]]
    assert "ada-the-pseudonym took part only in an earlier season" in " ".join(chosen.notes)


def test_a_tournament_that_is_taken_out(school: School) -> None:
    school.enter("ada")
    release(school, changed(tournaments=()))
    assert running(school) == []
    assert "removed it from the assignment" in school.browser("ada").get("/notices/").text
    assert "Your points" in school.browser("ada").get(PAGE).text


def test_a_game_that_is_taken_out(school: School) -> None:
    school.enter("ada")
    release(school, changed(tournaments=(), game="", options={}))
    assert "only the points in your reports count" in school.browser("ada").get("/notices/").text


def test_a_moved_deadline_is_told_to_the_class(school: School) -> None:
    due = datetime(2031, 5, 1, 12, tzinfo=UTC)
    release(school, changed(due_at=due))
    release(school, changed(text="Nothing else."))
    assert set(told(school)) == {"ada", "ben", "cleo"}
    for subjects in told(school).values():
        (subject,) = subjects
        assert re.search("Your deadline for .* is Thu 1 May 2031", subject)


@pytest.mark.parametrize("hidden", [{"archived": True}, {"visible_from": datetime(2031, 1, 1, tzinfo=UTC)}])
def test_nobody_is_told_of_an_assignment_that_students_do_not_see(school: School, hidden: dict[str, object]) -> None:
    school.enter("ada")
    school.change(Assignment, school.assignment, **hidden)
    release(school, lambda definition: gated(changed(due_at=datetime(2031, 5, 1, tzinfo=UTC))(definition)))
    assert told(school) == {}


def test_the_api_names_former_seasons(school: School) -> None:
    school.enter("ada")
    release(school, gated)
    token = {"Authorization": f"Bearer {school.token('ada')}"}
    seen = school.browser("ada").get(f"/api/v1/assignments/{school.assignment}", headers=token).json
    assert seen
    assert [each["id"] for each in seen["former_seasons"]] == [school.tournament]
    assert seen["former_seasons"][0]["season_ended"]
    assert seen["tournament"]["season_ended"] is None
    assert seen["version"] == 2


def test_a_report_says_with_which_version_it_was_made(school: School) -> None:
    id_ = school.graded("ada", replace(good(), version=1, questions_version="abc", product_version="9.9"), version=1)
    ada, token = school.browser("ada"), {"Authorization": f"Bearer {school.token('ada')}"}
    graded = "Graded with version 1 of the assignment"
    assert f"{graded}, questions abc" in school.browser("ines").get(f"/submissions/{id_}/").text
    assert graded in (seen_by_ada := ada.get(f"/submissions/{id_}/").text)
    assert "questions abc" not in seen_by_ada, "hidden cases could be guessed by it"
    release(school, changed(text="Other words."))
    assert "version 1 of the assignment (the current version is 2)" in ada.get(f"/submissions/{id_}/").text
    seen = ada.get(f"/api/v1/submissions/{id_}", headers=token).json
    assert seen
    assert seen["version"] == 1


def test_a_final_keeps_the_version_with_which_it_was_frozen(school: School) -> None:
    school.enter("ada", ago=timedelta(hours=3))
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        assignment.due_at = now() - timedelta(hours=1)
        freeze_final(session, assignment, set(school.people.values()), FinalSettings(), now())
    release(school, gated)
    page = school.browser("ines").get(f"/assignments/{school.assignment}/final/").text
    assert "with version 1 of the assignment; the current version is 2, which does not affect this final" in page
    with reading(school.sessions) as session:
        text = session.scalars(select(Final.header)).one()
    header = read_header(text)
    assert (header.assignment_version, canonical_json(header)) == (1, text)
    old = header.model_copy(update={"assignment_version": None})
    assert "assignment_version" not in canonical_json(old), "records from before are written as they were"
    assert read_header(canonical_json(old)) == old


def test_the_starter_files_of_all_versions_are_remembered_for_the_collusion_watch(school: School) -> None:
    for starter in ("def f():\n    pass\n", "def g():\n    pass\n", "def g():\n    pass\n", ""):
        release(school, changed(starter=starter, text=starter))
    with reading(school.sessions) as session:
        given = select(Player.source).join(GivenFile, GivenFile.player_id == Player.id).order_by(Player.id)
        assert session.scalars(given).all() == [b"def f():\n    pass\n", b"def g():\n    pass\n"]
