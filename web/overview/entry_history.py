"""The games on an entry's page: the list of games, filtered by the query parameters, and the data for the pictures."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from flask import render_template
from markupsafe import Markup
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session
from werkzeug.datastructures import MultiDict

from sandbox.api import Verdict
from tournament.ladder import past_games as past
from tournament.ladder.past_games import POINTS, SLOWEST_MS, PastGame, RatePoint, slowest_class
from tournament.ladder.standings import ListedGame, ListedSeat, Ranked, games_of, ranks_of
from tournament.store.tables import Entry
from web.pictures.picture import thinned
from web.site.access import Viewer
from web.site.inputs import number
from web.site.insides import seen_message
from web.site.pages import Shelf
from web.site.roles import sees_inside
from web.site.text import milliseconds, verdict

RESULTS = {"won": "won", "lost": "lost", "fault": "lost by an invalid play", "close": "narrowly lost"}
LONGEST = 200  # characters of a cause


@dataclass(frozen=True, slots=True)
class GameFilter:
    """The properties that all listed games share; if none is set, all games are listed. `slowest`: a class of
    `tournament.ladder.past_games.SLOWEST_MS`."""

    result: str = ""
    cause: str = ""
    seat: int | None = None
    opponent: int | None = None
    slowest: int | None = None

    @staticmethod
    def of(args: MultiDict[str, str]) -> "GameFilter":
        """Return the filter in the query parameters; invalid values are ignored. Older links use `faults`."""
        result = "fault" if "faults" in args else args.get("result", "")
        numbers = {name: args.get(name, type=number) for name in ("seat", "opponent", "slowest")}
        return GameFilter(result if result in RESULTS else "", args.get("cause", "")[:LONGEST], **numbers)

    def __bool__(self) -> bool:
        return self != GameFilter()

    @property
    def args(self) -> dict[str, Any]:
        """The filter as the arguments of an address."""
        return {name: value for name, value in self._all.items() if value not in ("", None)}

    @property
    def _all(self) -> dict[str, Any]:
        """The fields by name. This is far faster than `dataclasses.asdict`, and a page has fifty addresses with
        filters."""
        return {name: getattr(self, name) for name in _NAMES}

    def with_(self, **more: Any) -> "GameFilter":
        """Return the filter with these values added; a value that is already set is cleared instead."""
        own = self._all
        return replace(self, **{name: _EMPTY[name] if own[name] == value else value for name, value in more.items()})

    def matches(self, game: PastGame) -> bool:
        """Whether the filter lists a game."""
        return (
            (not self.result or IS[self.result](game))
            and (not self.cause or game.cause == self.cause)
            and (self.seat is None or game.seat == self.seat)
            and (self.opponent is None or self.opponent in game.table)
            and (self.slowest is None or slowest_class(game) == self.slowest)
        )

    def in_words(self, names: Mapping[int, str]) -> dict[str, str]:
        """Return the parts of the filter that are set, in words. `names`: the opponents' names by id."""
        words = {
            "result": RESULTS.get(self.result, ""),
            "cause": cause_in_words(self.cause),
            "seat": f"seat {self.seat}",
            "opponent": f"against {names.get(self.opponent or 0, 'somebody it has not met')}",
            "slowest": f"slowest call {class_in_words(self.slowest or 0)}",
        }
        return {name: words[name] for name in self.args}


_VERDICTS = frozenset(Verdict)
_NAMES = tuple(each.name for each in fields(GameFilter))
_EMPTY = asdict(GameFilter())
IS: Mapping[str, Callable[[PastGame], bool]] = {
    "won": lambda game: game.won,
    "lost": lambda game: game.lost,
    "fault": lambda game: game.verdict is not None,
    "close": lambda game: game.close,
}


def cause_in_words(cause: str) -> str:
    """Return a value of `tournament.ladder.past_games.PastGame.cause` in words for readers."""
    word, _, rule = cause.partition(" ")
    if word in _VERDICTS:
        return f"{verdict(word).lower()}{f': {rule}' if rule else ''}"
    return cause


def class_in_words(slowest: int) -> str:
    """Describe a class of SLOWEST_MS in words."""
    ends = [milliseconds(each).replace(".0", "") for each in SLOWEST_MS[1:]]
    if not 0 <= slowest < len(SLOWEST_MS):
        return "of no such class"
    if slowest == 0:
        return f"under {ends[0]}"
    return f"{ends[slowest - 1]} to {ends[slowest]}" if slowest < len(ends) else f"{ends[-1]} or more"


FORMER = 3
"""The largest number of former versions that are drawn before this one."""

ENTRY = Shelf("entry", 256)
"""Cached parts of an entry's page, kept until the data behind them changes. A finished game never changes, and `seated`
counts an entry's games, so this number identifies the set of games. A part takes 20 kB; for a house bot with 1,000
games, some parts take 300 kB."""


@dataclass(frozen=True)
class EntryHistory:
    """The data for the pictures of an entry. `versions`: the entry and its author's former ones, the oldest first;
    `address`: the address of the entry's page; `chosen`: the present filter of its games."""

    entry: Entry
    games: Sequence[PastGame]
    versions: Sequence[Entry]
    ranks: Sequence[Ranked]
    met: Mapping[int, tuple[str, float | None]]
    address: str
    chosen: GameFilter

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The names of the entry's opponents."""
        return {id_: name for id_, (name, _) in self.met.items()}

    @cached_property
    def results(self) -> Mapping[str, int]:
        """The number of the entry's games with each result. The numbers are cached, because counting 84 games takes 4%
        of the time for the page, and an entry can have 1,000."""
        return ENTRY.kept(
            lambda: {name: sum(map(is_result, self.games)) for name, is_result in IS.items()},
            *("results", *self.past),
        )

    @cached_property
    def rates(self) -> Sequence[RatePoint]:
        """The entry's win rate over the course of its games."""
        return past.win_rates(self.games, past.win_sums([self.entry]))

    def filtered(self, **more: str | int) -> str:
        """Return the address with these values added to the filter, or removed from it if they are set already."""
        return self._to(self.chosen.with_(**more).args)

    def without(self, name: str) -> str:
        """Return the address without that filter."""
        return self._to({key: value for key, value in self.chosen.args.items() if key != name})

    @property
    def past(self) -> tuple[Hashable, ...]:
        """The cache key for the entry's games, see `ENTRY`."""
        return self.entry.id, self.entry.entered_at, self.entry.seated

    @property
    def made_of(self) -> tuple[Hashable, ...]:
        """The cache key for the whole history."""
        versions = tuple((each.id, each.version, *past.sums_of(each)) for each in self.versions)
        return *self.past, self.address, self.chosen, versions, tuple(self.ranks), tuple(self.met.items())

    @property
    def set(self) -> Sequence[tuple[str, str]]:
        """Each filter that is set, in words, and the address without it."""
        return [(words, self.without(name)) for name, words in self.chosen.in_words(self.names).items()]

    def until(self, game_id: int) -> str:
        """Return the address of the list of games up to this one."""
        return self._to({**self.chosen.args, "before": game_id + 1})

    def sibling(self, version: Entry) -> str:
        """Return the address of another version's page."""
        return self.address.replace(f"/{self.entry.id}/", f"/{version.id}/")

    def game_after(self, games: int) -> int | None:
        """Return the id of the game with which the entry reached that number of games that count; None if it has not
        reached it."""
        return next((each.game_id for each in self.rates if each.games >= games), None)

    def _to(self, args: Mapping[str, str | int]) -> str:
        return f"{self.address}{'?' if args else ''}{urlencode(args)}#games"


def history_of(session: Session, entry: Entry, address: str, chosen: GameFilter) -> EntryHistory:
    """Read the data for the pictures of an entry."""
    games = ENTRY.kept(lambda: past.past_games(session, entry.id), "past", entry.id, entry.entered_at, entry.seated)
    versions = [entry]
    if entry.author_id is not None and entry.version > 1:
        which = {"tournament": entry.tournament_id, "author": entry.author_id, "version": entry.version}
        versions = [*session.scalars(_FORMER, which).all()[::-1], entry]  # versions that have played, the oldest first
    samples = ranks_of(session, [each.id for each in versions])
    of_version = ([rank for rank in samples if rank.entry_id == each.id] for each in versions)
    ranks = [rank for own in of_version for rank in thinned(own, POINTS)]
    met = past.opponents_of(session, (id_ for game in games for id_ in game.table)) if games else {}
    return EntryHistory(entry, games, versions, ranks, met, address, chosen)


_FORMER = (
    select(Entry)
    .where(
        Entry.tournament_id == bindparam("tournament"),
        Entry.author_id == bindparam("author"),
        Entry.version < bindparam("version"),
        Entry.games > 0,
    )
    .order_by(Entry.version.desc())
    .limit(FORMER)
)


GAMES_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class GamesPage:
    """The rows of some games; `older`: the id of the last game shown, if there are more."""

    rows: Markup
    older: int | None


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game from the point of view of the page's entry."""

    game: ListedGame
    own: ListedSeat
    message: str  # about the entry's fault, as far as the viewer may see it

    @property
    def winners(self) -> list[str]:
        """The players in first place, if any."""
        return [seat.name for seat in self.game.seats if seat.place == 1]

    @property
    def offender(self) -> ListedSeat | None:
        """A disqualified player, preferably this entry; None if nobody was disqualified."""
        return next((seat for seat in (self.own, *self.game.seats) if seat.verdict), None)


def games_page(
    session: Session, history: EntryHistory, viewer: Viewer, before: int | None, among: Collection[int] | None
) -> GamesPage:
    """Return a page of the entry's latest games or, with `before`, of the latest games before that one. `among`: the
    ids of the games that match the filter."""

    def line(game: ListedGame) -> GameLine:
        own = next(each for each in game.seats if each.entry_id == history.entry.id)
        return GameLine(game, own, seen_message(viewer, own))

    def read() -> GamesPage:
        games = games_of(session, history.entry.id, GAMES_A_PAGE + 1, before, among)
        lines = [line(game) for game in games[:GAMES_A_PAGE]]
        older = games[GAMES_A_PAGE - 1].id if len(games) > GAMES_A_PAGE else None
        rows = render_template("overview/_game_rows.html", lines=lines, viewer=viewer)
        return GamesPage(Markup(rows), older)  # noqa: S704  # a template's

    if before is not None:  # so old that the history may lack some names
        return read()
    names = tuple(history.names.items())
    seen = sees_inside(viewer, history.entry), viewer.course.zone
    return ENTRY.kept(read, "games", *history.past, history.address, history.chosen, names, *seen)
