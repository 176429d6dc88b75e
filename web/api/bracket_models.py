"""What the API takes and answers about elimination brackets."""

from typing import Literal

from pydantic import Field

from tournament.bracket.draw import MatchState
from tournament.bracket.lifecycle import BracketState
from web.api.models import Model, Student, TournamentSummary


class BracketSide(Model):
    """A side of a match; `entry_id` is null while an earlier match decides who it is."""

    seed: int | None = Field(description="1 is the best")
    entry_id: int | None
    name: str | None
    mine: bool
    wins: int = Field(description="games won in this match")
    won: bool = Field(description="goes through")
    student: Student | None = Field(description="for instructors only")


class BracketMatch(Model):
    """A match; a bye has one side."""

    state: MatchState
    sides: list[BracketSide]
    games: list[int] = Field(description="ids of the games that counted, in order")


class BracketRound(Model):
    title: str
    matches: list[BracketMatch] = Field(description="from top to bottom; two neighbours feed a match of the next round")


class BracketPlace(Model):
    """Whoever is out at the same stage shares a place."""

    place: int
    entry_id: int
    name: str


class Bracket(Model):
    """The elimination bracket that was held last on a tournament's standings."""

    tournament: TournamentSummary = Field(description="on whose standings it was seeded")
    id: int | None = Field(description="of the bracket's own tournament; null: none was held, this is how it would be")
    state: BracketState | None = Field(description="null before the first one")
    best_of: int | None = Field(description="games of a match; it ends when a side has won more than half of them")
    champion: BracketPlace | None
    rounds: list[BracketRound] = Field(description="the final last; empty if fewer than two students have entered")
    places: list[BracketPlace] = Field(description="whose place is settled, the best first")


class NewBracket(Model):
    """A bracket to hold."""

    best_of: int = Field(3, description="games of a match, an odd number")


class BracketAction(Model):
    """What to do with the bracket that is being played."""

    do: Literal["pause", "resume", "abort"]
