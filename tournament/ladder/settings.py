"""The settings of a ladder that an instructor may change, and the effects of a change on active entries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.ladder.ladder import LONGEST_S, leave, lock, replace_oldest
from tournament.ladder.results import lock_entries, tell_put_out
from tournament.play.games import find_game
from tournament.play.table import seatings
from tournament.store.tables import Entry, EntryState, Ranking, Tournament
from tournament.store.validation import BadForm, by_field

MOST_GAMES, MOST_ACTIVE = 100_000, 10

CooldownMinutes = Annotated[float, Field(ge=0, le=LONGEST_S // 60)]
NumberOfGames = Annotated[int, Field(ge=1, le=MOST_GAMES)]
NumberOfEntries = Annotated[int, Field(ge=1, le=MOST_ACTIVE)]


class LadderSettings(BaseModel):
    """The settings of a ladder that an instructor may change."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exclusion_minutes: CooldownMinutes = Field(
        title="Re-entry cooldown, in minutes", description="0 lets everybody enter at any time."
    )
    out_exclusion_minutes: CooldownMinutes = Field(
        title="Maximum wait after removal (minutes)",
        description="A student whose player is out can enter a corrected one after this time, or sooner if the "
        "re-entry cooldown ends first.",
    )
    fault_limit: NumberOfGames = Field(
        title="Invalid games before an entry is removed",
        description="The student is notified at once, with links to the games.",
    )
    target_games: NumberOfGames = Field(
        title="Games of each entry before the ladder rests",
        description="The ladder pauses when every active entry has played this many games, and resumes when a new "
        "entry arrives.",
    )
    active_limit: NumberOfEntries = Field(
        title="Active entries per student",
        description="If more than 1 is allowed, a new entry replaces the student’s oldest, and the final uses only "
        "the last one. Entries of the same student never play each other.",
    )
    ranking: Ranking = Field(title="Ranked by")

    @field_validator("target_games")
    @classmethod
    def _somebody_can_be_put_out(cls, target: int, info: ValidationInfo) -> int:
        limit = info.data.get("fault_limit", 0)
        if limit > target:
            raise ValueError(f"In {target} games nobody can make {limit} invalid plays: nobody would ever be removed.")
        return target


LABELS = {name: field.title or name for name, field in LadderSettings.model_fields.items()}


class BadLadderSettings(BadForm):
    """`problems` has a message for each invalid setting."""

    status = 409  # each value is valid, but their combination is not
    code = "bad_settings"

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(problems, " ".join(f"{LABELS.get(name, name)}: {text}" for name, text in problems.items()))


@dataclass(frozen=True, slots=True)
class Effect:
    """How many active entries the new settings end immediately: `replaced` by newer entries of their author, or put
    `out`."""

    replaced: int
    out: int


def settings_of(tournament: Tournament) -> LadderSettings:
    """Return a ladder's present settings."""
    return LadderSettings.model_construct(
        exclusion_minutes=tournament.exclusion_s / 60,
        out_exclusion_minutes=tournament.out_exclusion_s / 60,
        fault_limit=tournament.fault_limit,
        target_games=tournament.target_games,
        active_limit=tournament.active_limit,
        ranking=tournament.ranking,
    )


def shown(settings: LadderSettings) -> dict[str, str]:
    """Return each setting as a page shows it and a form accepts it."""
    values = settings.model_dump()
    return {name: f"{values[name]:g}" if isinstance(values[name], float) else str(values[name]) for name in LABELS}


def parse_ladder_settings(given: Mapping[str, Any], game: str) -> LadderSettings:
    """Read settings as somebody typed them. Raises BadLadderSettings."""
    try:
        settings = LadderSettings.model_validate({name: given.get(name, "") for name in LABELS})
    except ValidationError as error:
        raise BadLadderSettings(by_field(error)) from None
    block = len(seatings(range(find_game(game).seats[0])))
    if settings.target_games < block:
        problem = f"A table must play at least {block} games, because everybody sits in every seat once."
        raise BadLadderSettings({"target_games": problem})
    return settings


def effect(session: Session, tournament: Tournament, settings: LadderSettings) -> Effect:
    """Return what these settings would do immediately."""
    active = _active(session, tournament)
    over = [len(entries) - settings.active_limit for entries in _by_author(active)]
    return Effect(sum(max(0, each) for each in over), sum(each.faults >= settings.fault_limit for each in active))


def change_settings(
    session: Session, tournament: Tournament, settings: LadderSettings, at: datetime
) -> list[tuple[str, str, str]]:
    """Change the settings at once, for active entries too. Return each change as label, former value and new value.
    Locks the tournament. The caller sends `tournament.pair` after the commit: a higher target wakes the ladder."""
    lock(session, tournament)
    former = shown(settings_of(tournament))
    tournament.exclusion_s = round(settings.exclusion_minutes * 60)
    tournament.out_exclusion_s = round(settings.out_exclusion_minutes * 60)
    for name in ("fault_limit", "target_games", "active_limit", "ranking"):
        setattr(tournament, name, getattr(settings, name))
    active = list(lock_entries(session, [each.id for each in _active(session, tournament)]).values())
    for entry in active:
        if entry.faults >= tournament.fault_limit:
            leave(entry, EntryState.OUT, at)
            tell_put_out(session, entry, entry.author_id or 0)
    for entries in _by_author(active):
        replace_oldest(entries, tournament.active_limit, at)
    session.flush()
    new = shown(settings_of(tournament))
    return [(LABELS[name], former[name], new[name]) for name in LABELS if former[name] != new[name]]


def _active(session: Session, tournament: Tournament) -> Sequence[Entry]:
    students = (Entry.tournament_id == tournament.id, Entry.author_id.is_not(None), Entry.state == EntryState.ACTIVE)
    return session.scalars(select(Entry).where(*students).order_by(Entry.id)).all()


def _by_author(entries: Sequence[Entry]) -> list[list[Entry]]:
    found: dict[int | None, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[entry.author_id].append(entry)
    return list(found.values())
