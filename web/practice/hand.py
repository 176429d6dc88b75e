"""Games that a person plays against house bots: the pages to begin a game, to play it at the table, and to compare the
plays with those that the person's own player would have made.

While a game is being played, only three parts of its record are shown: the table as the person's seat sees it, what the
others did, and the offers. Neither the seed nor anybody's hidden cards are shown.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound

from grader.entering import custom_games
from tournament.games.api import Composition, IllegalPlay, MalformedPlay, Offer, offers
from tournament.games.cards import COLOUR
from tournament.games.options import parse_name
from tournament.games.text import show as written
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.referee import conclude
from tournament.play.replay import Frame, frames
from tournament.practice import hand_games as games
from tournament.practice.hand_games import WantedTable, Who
from tournament.practice.hand_table import GIVEN_UP, PERSON, awaits, position
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import PATIENCE, HandGame
from web.replay.frames import record_file, show_play
from web.site import access, roles
from web.site.auth import user
from web.site.inputs import new_nonce, once
from web.site.languages import said
from web.site.pages import see_other, shown_again
from web.site.store import fresh, read, settings, write

page = Blueprint("hand", __name__)
ALL = "/assignments/<int:assignment_id>/by-hand"
ONE = "/by-hand/<int:game_id>"
FIELDS = ("players", "seat", "against", "practice")


@page.get(f"{ALL}/")
def show(assignment_id: int) -> str:
    """Show the form for a new game, and the games so far."""
    return _hand_page(assignment_id)


def _hand_page(assignment_id: int, **more: Any) -> str:
    seen = access.assignment(read(), user().id, assignment_id)
    if not seen.assignment.game:
        raise NotFound("This assignment has no game that could be played.")
    who, quota = Who(user().id, assignment_id), seen.assignment.custom_games_hour
    return render_template(
        "practice/hand.html",
        assignment=seen.assignment,
        viewer=seen.viewer,
        game=find_game(seen.assignment.game),
        games=games.games_of(read(), who),
        left=games.left(read(), who, quota),
        nonce=new_nonce(),
        form=request.form,
        **more,
    )


@page.post(f"{ALL}/")
def begin(assignment_id: int) -> Any:
    """Begin a game."""
    seen = access.assignment(read(), user().id, assignment_id)
    if not seen.assignment.game:
        raise NotFound("This assignment has no game that could be played.")
    form = request.form
    wanted = WantedTable(
        players=form.get("players", find_game(seen.assignment.game).seats[0], int),
        seat=form.get("seat", None, int),
        against=form.get("against", games.MIXED),
        practice="practice" in form,
        request_key=once(form, *FIELDS),
    )
    with shown_again(lambda why: _hand_page(assignment_id, error=str(why))), write() as session:
        row = custom_games.begin_hand_game(session, settings().send, seen.assignment, user().id, wanted)
        game_id = row.id
    return see_other("hand.game", game_id=game_id)


# One game


@page.get(f"{ONE}/")
def game(game_id: int) -> str:
    """Show the table."""
    return _table(game_id)


def _table(game_id: int, template: str = "practice/hand_game.html", **more: Any) -> str:
    with fresh() as session:  # newer than `read`: a form may have changed the game
        row, seen = access.hand_game(session, user().id, game_id)
        is_left, at = row.is_left(now()), now()
        return render_template(
            template,
            assignment=seen.assignment,
            viewer=seen.viewer,
            row=row,
            mine=row.person_id == user().id,
            is_left=is_left,
            until=row.finished_at + PATIENCE if row.on_turn and row.finished_at and not is_left else None,
            at=at,
            waits=row.state in (JobState.QUEUED, JobState.RUNNING),
            player=custom_games.latest_player(session, row) if row.ended else None,
            **view_of(row),
            **more,
        )


@page.get(f"{ONE}/live")
def live(game_id: int) -> Any:
    """Return only the game, for `hand.js`; an empty answer while the game is still at the given `revision`."""
    row, _ = access.hand_game(read(), user().id, game_id)
    if request.args.get("revision", type=int) == row.revision and not row.is_left(now()):
        return Response(status=204)
    return _table(game_id, "practice/_hand.html")


@page.post(f"{ONE}/")
def act(game_id: int) -> Any:
    """Play, ask a question of the game, take a play back, or give up. A refusal is shown beside the present
    position."""
    row, _ = access.hand_game(read(), user().id, game_id)
    roles.plays_by_hand(row, user().id)
    try:
        with shown_again(lambda why: _table(game_id, problem=str(why))), write() as session:
            held = games.held(session, game_id, request.form.get("revision", -1, int))
            _act(held)
            if not held.on_turn:
                custom_games.call_bots(session, settings().send)
    except IllegalPlay as error:
        return _table(game_id, refused=error, sent=request.form), 422
    return see_other("hand.game", game_id=game_id)


def _act(row: HandGame) -> None:
    others: dict[str, Callable[[HandGame], None]] = {"back": games.take_back, "leave": games.leave}
    act = others.get(request.form.get("do", ""))
    if act:
        act(row)
        return
    offer = chosen_offer(row, request.form)
    if offer.question:
        games.ask(row, offer.question)
    else:
        games.play(row, offer.play)


# Afterwards


@page.post(f"{ONE}/ask")
def ask(game_id: int) -> Any:
    """Ask the user's own player what it would have done."""
    roles.plays_by_hand(access.hand_game(read(), user().id, game_id)[0], user().id)
    with shown_again(lambda why: _table(game_id, problem=str(why))), write() as session:
        row = session.get_one(HandGame, game_id, with_for_update=True)
        if row.ended and row.state is JobState.DONE:
            custom_games.ask_player(session, settings().send, row)
    return see_other("hand.game", game_id=game_id)


def _finished(game_id: int) -> tuple[HandGame, access.Seen]:
    row, seen = access.hand_game(read(), user().id, game_id)
    if not row.ended:
        raise NotFound(
            "This game is still being played, so it has no replay yet: a replay would show everybody's cards."
        )
    return row, seen


@page.get(f"{ONE}/plays/")
def replay(game_id: int) -> Any:
    """Redirect to the deal of a game that is over."""
    _finished(game_id)
    return redirect(url_for("hand.play", game_id=game_id, number=0))


@page.get(f"{ONE}/plays/<int:number>")
def play(game_id: int, number: int) -> Any:
    """Show the table after `number` plays of a game that is over."""
    row, seen = _finished(game_id)
    around = {"row": row, "assignment": seen.assignment, "viewer": seen.viewer}
    record = Record.unpack(row.record)
    shown = replace(record, faults=[]) if row.ended == GIVEN_UP else record  # a person who gave up broke no rule
    return show_play(shown, number, {row.seat: row}, "practice/hand_replay.html", lambda: around)


@page.get(f"{ONE}/record.json")
def record_json(game_id: int) -> Response:
    """Download the record of a game that is over."""
    return record_file(Record.unpack(_finished(game_id)[0].record), f"by-hand-{game_id}")


LONGEST_VALUE = 1000
"""The largest number of characters in a value that a person types."""

ALL_SHOWN = 14
"""The largest number of offers shown at once; if there are more, only the offers in an opened group are shown."""

NOT_A_VALUE = "This is not a Python literal, such as '7H', 3, (1, None) or [['2C', '2H'], ['KD']]."


@dataclass(frozen=True, slots=True)
class OfferGroup:
    """Offers that are shown together, each with its number."""

    title: str
    offers: Sequence[tuple[int, Offer]]


def view_of(row: HandGame) -> dict[str, Any]:
    """Return the values that the templates need to show a game."""
    record, seat = Record.unpack(row.record), row.seat
    game = find_game(record.game)
    state = position(game, record)
    if record.faults and row.ended != GIVEN_UP:
        conclude(game, state, record.faults)
    offered = offers(game, state, seat) if row.on_turn else ()
    plays = [(number, each) for number, each in enumerate(offered) if isinstance(each, Offer)]
    example = next((each for _, each in plays if not each.question), None)
    return {
        "number": sum(not isinstance(play, dict) for _, play in record.plays),
        "frame": Frame(len(record.plays), "", game.frame(state, seat)),
        "names": [said("you") if label == PERSON else label for label in record.seats],
        "drawing": f"games/{parse_name(record.game).package}/replay.html",
        "table": game,
        "happened": _since_own_play(row, record),
        "groups": [OfferGroup(title, list(group)) for title, group in groupby(plays, key=lambda pair: pair[1].group)],
        "compositions": [(number, each) for number, each in enumerate(offered) if isinstance(each, Composition)],
        "is_face": COLOUR.__contains__,
        "all_shown": len(offered) <= ALL_SHOWN,
        "example": repr(example.play) if example else "",
        "on_turn": row.on_turn and awaits(game, state, seat),
        "can_take_back": row.practice and row.on_turn and any(who == seat for who, _ in record.plays),
        "won": record.ended and row.place == 1,
    }


def _since_own_play(row: HandGame, record: Record) -> list[str]:
    """Return the plays of the others since the person's last play; empty once the game is over, because it has a replay
    then."""
    if row.ended:
        return []
    captions: list[str] = []
    for frame in frames(find_game(record.game), record, row.seat, wanted=()):
        if row.seat in frame.seats:
            captions = []
        if frame.seats and frame.seats != (row.seat,):
            captions.append(frame.caption)
    return captions[-30:]


def chosen_offer(row: HandGame, form: Mapping[str, str]) -> Offer:
    """Return the offer that the person has chosen, or an offer with the play that the person has typed. Raises
    IllegalPlay."""
    if form.get("do") == "type":
        return Offer("", typed_value(form.get("value", "")))
    record = Record.unpack(row.record)
    game = find_game(record.game)
    offered = offers(game, position(game, record), row.seat)
    try:
        offer = offered[int(form.get("offer", ""))]
    except (ValueError, IndexError):
        raise MalformedPlay("Choose one of the plays that are offered.") from None
    return Offer("", _composed(offer, form)) if isinstance(offer, Composition) else offer


def _composed(offer: Composition, form: Mapping[str, str]) -> Any:
    """Return the value that a player would return for the cards as the form groups them."""
    parts: list[list[str]] = [[] for _ in offer.parts]
    for number, card in enumerate(offer.cards):
        part = form.get(f"card-{number}", "")
        if part in map(str, range(len(parts))):
            parts[int(part)].append(card)
    return offer.make(parts)


def typed_value(text: str) -> Any:
    """Return the value that somebody typed in Python's notation. Raises IllegalPlay."""
    if len(text) > LONGEST_VALUE:
        raise MalformedPlay(f"A play is not longer than {LONGEST_VALUE:,} characters.")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all errors of `literal_eval`
        raise MalformedPlay(f"{NOT_A_VALUE} You typed {written(text)}.") from None
