"""Elimination brackets: how one stands; instructors hold, pause, resume and abort it."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field
from werkzeug.exceptions import NotFound

from tournament.bracket.brackets import BracketStanding, BracketState
from tournament.bracket.draw import Match, MatchState, round_title
from tournament.store.tables import Entry, Tournament
from web.api.models import Model, StudentJson, TournamentSummary
from web.api.operations import json_body, operation
from web.board import bracket
from web.models import User
from web.overview.overview import seen_people
from web.site import access
from web.site.store import fresh, read

BRACKET = "/tournaments/<int:tournament_id>/bracket"


class BracketSide(Model):
    """A side of a match; `entry_id` is null while an earlier match decides who it is."""

    seed: int | None = Field(description="1 is the best")
    entry_id: int | None
    name: str | None
    mine: bool
    wins: int = Field(description="games won in this match")
    won: bool = Field(description="goes through")
    student: StudentJson | None = Field(description="for instructors only")


class BracketMatch(Model):
    """A match; a bye has one side."""

    state: MatchState
    sides: list[BracketSide]
    games: list[int] = Field(description="ids of the games that counted, in order")


class BracketRound(Model):
    title: str
    matches: list[BracketMatch] = Field(description="from top to bottom; two neighbours feed a match of the next round")


class BracketPlace(Model):
    """The place of an entry; those who are out at the same stage share one."""

    place: int
    entry_id: int
    name: str


class Bracket(Model):
    """The elimination bracket that was held last on a tournament's standings."""

    tournament: TournamentSummary = Field(description="on whose standings it was seeded")
    id: int | None = Field(description="of the bracket's own tournament; null: none was held yet, so this is a preview")
    state: BracketState | None = Field(description="null before the first one")
    best_of: int | None = Field(description="games of a match; it ends when a side has won more than half of them")
    champion: BracketPlace | None
    rounds: list[BracketRound] = Field(description="the final last; empty if fewer than two students have entered")
    places: list[BracketPlace] = Field(description="those whose place is settled, the best first")


class NewBracket(Model):
    """A bracket to hold."""

    best_of: int = Field(3, description="games of a match, an odd number")


class BracketAction(Model):
    """What to do with the bracket that is being played."""

    do: Literal["pause", "resume", "abort"]


@operation("GET", BRACKET, {200: Bracket})
def get_bracket(user: User, tournament_id: int) -> Bracket:
    """The latest bracket held on a tournament's standings; before the first, how it would be seeded now."""
    return _bracket(user, tournament_id)


@operation("POST", BRACKET, {201: Bracket}, body=NewBracket, problems=(403, 409))
def hold_bracket(user: User, tournament_id: int) -> tuple[Bracket, int, dict[str, str]]:
    """Hold a bracket on the standings as they are now; for instructors."""
    _check_teaching(user, tournament_id)
    given = json_body(NewBracket)
    bracket.hold(tournament_id, given.best_of)
    return _bracket(user, tournament_id), 201, {}


@operation("POST", f"{BRACKET}/action", {200: Bracket}, body=BracketAction, problems=(403, 409))
def act_on_bracket(user: User, tournament_id: int) -> Bracket:
    """Pause, resume or abort the bracket that is being played; for instructors."""
    _check_teaching(user, tournament_id)
    given = json_body(BracketAction)
    bracket.act(tournament_id, given.do)
    return _bracket(user, tournament_id)


def _check_teaching(user: User, tournament_id: int) -> None:
    _check_for_two(access.taught_tournament(read(), user.id, tournament_id)[0])


def _check_for_two(tournament: Tournament) -> None:
    if not bracket.for_two(tournament):
        raise NotFound("Brackets are held on ladders of games for two players. This tournament is not one.")


def _bracket(user: User, tournament_id: int) -> Bracket:
    with fresh() as session:
        tournament, seen = access.tournament(session, user.id, tournament_id)
        _check_for_two(tournament)
        shown = bracket.bracket_of(session, tournament)
        people = seen_people(session, seen.viewer)
        return Bracket(
            tournament=tournament,
            id=shown.draw.tournament_id if shown.draw else None,
            state=shown.state,
            best_of=shown.draw.best_of if shown.draw else None,
            champion=_place(1, shown.champion) if shown.champion else None,
            rounds=[
                BracketRound(
                    title=round_title(len(matches)),
                    matches=[_match(shown.standing, each, user, people) for each in matches],
                )
                for matches in shown.standing.rounds
            ],
            places=[_place(place, entry) for place, entry in shown.results],
        )


def _place(place: int, entry: Entry) -> BracketPlace:
    return BracketPlace.of(entry, place=place, entry_id=entry.id)


def _match(standing: BracketStanding, match: Match, user: User, people: Mapping[int, User]) -> BracketMatch:
    return BracketMatch(
        state=match.state,
        sides=[_side(standing, match, number, user, people) for number in range(len(bracket.sides(match)))],
        games=bracket.counted(standing, match),
    )


def _side(standing: BracketStanding, match: Match, number: int, user: User, people: Mapping[int, User]) -> BracketSide:
    seed = match.sides[number]
    entry = None if seed is None else standing.entries[seed]
    student = people.get(entry.author_id or 0) if entry else None
    return BracketSide(
        seed=None if seed is None else seed + 1,
        entry_id=entry.id if entry else None,
        name=entry.name if entry else None,
        mine=entry is not None and entry.author_id == user.id,
        wins=match.wins[number],
        won=seed is not None and seed == match.winner,
        student=student,
    )
