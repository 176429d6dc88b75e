"""Elimination brackets: how one stands, and for instructors what holds, pauses, resumes and aborts it."""

from collections.abc import Mapping

from werkzeug.exceptions import NotFound

from tournament.bracket.draw import Match, round_title
from tournament.bracket.lifecycle import BracketError, BracketStanding
from tournament.store.database import reading
from tournament.store.tables import Entry, Tournament
from web.api import bracket_models, models
from web.api.assignments import summary
from web.api.operations import json_body, operation
from web.assignment.overview import real_names
from web.board import bracket
from web.models import User
from web.site import access
from web.site.problems import Refused
from web.site.settings import settings
from web.site.store import read

BRACKET = "/tournaments/<int:tournament_id>/bracket"


@operation("GET", BRACKET, {200: bracket_models.Bracket})
def get_bracket(user: User, tournament_id: int) -> bracket_models.Bracket:
    """The bracket that was held last on a tournament's standings; before the first, how it would be seeded now."""
    return _bracket(user, tournament_id)


@operation(
    "POST",
    BRACKET,
    {201: bracket_models.Bracket},
    problems=(403, 409, 415, 422),
    bodies={"application/json": bracket_models.NewBracket},
)
def hold_bracket(user: User, tournament_id: int) -> tuple[bracket_models.Bracket, int, dict[str, str]]:
    """Hold a bracket on the standings as they are now; for instructors."""
    _teaching(user, tournament_id)
    given = json_body(bracket_models.NewBracket)
    try:
        bracket.hold(tournament_id, given.best_of)
    except BracketError as refusal:
        raise Refused(409, str(refusal)) from None
    return _bracket(user, tournament_id), 201, {}


@operation(
    "POST",
    f"{BRACKET}/action",
    {200: bracket_models.Bracket},
    problems=(403, 409, 415, 422),
    bodies={"application/json": bracket_models.BracketAction},
)
def act_on_bracket(user: User, tournament_id: int) -> bracket_models.Bracket:
    """Pause, resume or abort the bracket that is being played; for instructors."""
    _teaching(user, tournament_id)
    given = json_body(bracket_models.BracketAction)
    try:
        bracket.act(tournament_id, given.do)
    except BracketError as refusal:
        raise Refused(409, str(refusal)) from None
    return _bracket(user, tournament_id)


def _teaching(user: User, tournament_id: int) -> None:
    tournament, _ = access.taught_tournament(read(), user.id, tournament_id)
    _for_two(tournament)


def _for_two(tournament: Tournament) -> None:
    if not bracket.for_two(tournament):
        raise NotFound("Brackets are held on ladders of games for two players. This is none.")


def _bracket(user: User, tournament_id: int) -> bracket_models.Bracket:
    with reading(settings().sessions) as session:  # this request's own snapshot may be older
        tournament, seen = access.tournament(session, user.id, tournament_id)
        _for_two(tournament)
        shown = bracket.bracket_of(session, tournament)
        people = real_names(session, seen.viewer.course.id) if seen.viewer.instructs else {}
        return bracket_models.Bracket(
            tournament=summary(tournament),
            id=shown.draw.tournament_id if shown.draw else None,
            state=shown.state,
            best_of=shown.draw.best_of if shown.draw else None,
            champion=_place(1, shown.champion) if shown.champion else None,
            rounds=[
                bracket_models.BracketRound(
                    title=round_title(len(matches)),
                    matches=[_match(shown.standing, each, user, people) for each in matches],
                )
                for matches in shown.standing.rounds
            ],
            places=[_place(place, entry) for place, entry in shown.results],
        )


def _place(place: int, entry: Entry) -> bracket_models.BracketPlace:
    return bracket_models.BracketPlace(place=place, entry_id=entry.id, name=entry.name)


def _match(
    standing: BracketStanding, match: Match, user: User, people: Mapping[int, User]
) -> bracket_models.BracketMatch:
    return bracket_models.BracketMatch(
        state=match.state,
        sides=[_side(standing, match, number, user, people) for number in range(len(bracket.sides(match)))],
        games=bracket.counted(standing, match),
    )


def _side(
    standing: BracketStanding, match: Match, number: int, user: User, people: Mapping[int, User]
) -> bracket_models.BracketSide:
    seed = match.sides[number]
    entry = None if seed is None else standing.entries[seed]
    student = people.get(entry.author_id or 0) if entry else None
    return bracket_models.BracketSide(
        seed=None if seed is None else seed + 1,
        entry_id=entry.id if entry else None,
        name=entry.name if entry else None,
        mine=entry is not None and entry.author_id == user.id,
        wins=match.wins[number],
        won=seed is not None and seed == match.winner,
        student=models.Student.of(student),
    )
