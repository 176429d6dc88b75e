"""The games of an entry as rows of HTML, kept and without a template: that saves 5 of the 17 ms of its page."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from flask import url_for
from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from tournament.ladder.standings import ListedGame, ListedSeat, games_of
from web.board.entry_story import ENTRY, EntryStory
from web.site.access import Viewer, sees_inside
from web.site.escaping import shown
from web.site.insides import seen_message
from web.site.text import clock_html, verdict

GAMES_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class GamesPage:
    """The rows of some games; `older`: the last one of them, if there are more."""

    rows: Markup
    older: int | None


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game as this entry saw it."""

    game: ListedGame
    own: ListedSeat
    message: str  # of its fault, as far as the viewer may see it

    @property
    def winners(self) -> list[str]:
        """The players in first place; there may be none."""
        return [seat.name for seat in self.game.seats if seat.place == 1]

    @property
    def offender(self) -> ListedSeat | None:
        """The disqualified player, if any; this entry first."""
        return next((seat for seat in (self.own, *self.game.seats) if seat.verdict), None)


def games_page(
    session: Session, story: EntryStory, viewer: Viewer, before: int | None, among: Collection[int] | None
) -> GamesPage:
    """The latest games, or the latest of those that the story's filter chose, `among`; further ones `before` a game."""

    def read() -> GamesPage:
        games = games_of(session, story.entry.id, GAMES_A_PAGE + 1, before, among)
        lines = [_line(game, story.entry.id, viewer) for game in games[:GAMES_A_PAGE]]
        older = games[GAMES_A_PAGE - 1].id if len(games) > GAMES_A_PAGE else None
        return GamesPage(rows_html(lines, viewer.course.zone), older)

    if before is not None:  # these may be so old that the story does not have all names
        return read()
    names = tuple(story.names.items())
    seen = sees_inside(viewer, story.entry), viewer.course.zone
    return ENTRY.kept(read, "games", *story.past, story.address, story.chosen, names, *seen)


def _line(game: ListedGame, entry_id: int, viewer: Viewer) -> GameLine:
    own = next(each for each in game.seats if each.entry_id == entry_id)
    return GameLine(game, own, seen_message(viewer, own))


def rows_html(lines: Sequence[GameLine], zone: ZoneInfo) -> Markup:
    """The rows, with times in that zone."""
    play, offence = url_for("game.play", game_id=0, number=0), url_for("game.offence", game_id=0)
    return Markup("".join([_row(each, play, offence, zone) for each in lines]))  # noqa: S704  # all texts are escaped


def _row(line: GameLine, play: str, offence: str, zone: ZoneInfo) -> str:
    """A row. `play` and `offence`: addresses for a game 0, since building some for each game takes a millisecond."""
    game, own = line.game, line.own
    names = [f"<strong>{_text(seat.name)}</strong>" if seat is own else _text(seat.name) for seat in game.seats]
    off = "" if own.counts else ' class="off"'
    return (
        f'<tr{off}><th scope="row"><a href="{_to(play, game.id)}">No. {game.id}</a></th>'
        f"<td>{_result(line, _to(offence, game.id))}</td><td>{', '.join(names)}</td>"
        f'<td class="number">{game.plays}</td><td>{clock_html(game.played_at, zone)}</td></tr>\n'
    )


def _result(line: GameLine, offence: str) -> str:
    own, offender = line.own, line.offender
    out = "" if own.counts else ' <span class="quiet">does not count</span>'
    if own.verdict:
        badge = f'<span class="badge bad">{verdict(own.verdict).lower()}</span>'
        return f'<a href="{offence}">{badge}</a> {_text(line.message)}{out}'
    if offender:
        who = f'<a class="quiet" href="{offence}">{_text(offender.name)} was disqualified</a>'
        return f'<span class="badge">no contest</span> {who}'
    if own.place == 1:
        return f'<span class="badge won">won</span>{out}'
    by = f"won by {_text(' and '.join(line.winners))}" if line.winners else _text(line.game.ended)
    return f'place {own.place} <span class="quiet">{by}</span>{out}'


def _text(text: str) -> str:
    return escape(shown(text))


def _to(address: str, game_id: int) -> str:
    return address.replace("/0/", f"/{game_id}/", 1)
