"""What the API takes and answers about entries, notices, a ladder's settings and its watch."""

from datetime import datetime

from pydantic import Field

from tournament.ladder.exclusion import LONGEST_REASON, LONGEST_S
from tournament.ladder.settings import MOST_ACTIVE, MOST_GAMES
from tournament.store.tables import EntryState, Ranking
from tournament.watch.lifecycle import Found
from web.api.models import SAID, Model, StudentJson
from web.site.inputs import LARGEST_ID


class EntryJson(Model):
    """An entry in a tournament."""

    id: int
    tournament_id: int
    name: str
    version: int
    state: EntryState
    entered_at: datetime
    left_at: datetime | None
    games: int
    errors: int = Field(description="games lost by an invalid play")
    can_withdraw: bool = Field(description="whether you can withdraw it now")
    can_reinstate: bool = Field(description="whether you can reinstate it now")
    url: str = Field(description="its page on the site")


class NoticeLink(Model):
    """Something that a notice is about."""

    label: str
    url: str


class NoticeJson(Model):
    """What happened to your work."""

    id: int
    subject: str
    text: str
    links: list[NoticeLink]
    told_at: datetime
    read_at: datetime | None


class Notices(Model):
    notices: list[NoticeJson] = Field(description="the latest first")
    unread: int = Field(description="the number of all unread notices, not only of those here")
    before: int | None = Field(description="pass it as `before` to get older ones; null: there are none")


class NoticesQuery(Model):
    """The notices to get."""

    before: int | None = Field(None, ge=1, le=LARGEST_ID, description="only notices before this one")


class LadderSettingsJson(Model):
    """The settings of a ladder."""

    exclusion_minutes: float = Field(
        ge=0, le=LONGEST_S // 60, description="after entering; 0: everybody enters at any time"
    )
    out_exclusion_minutes: float = Field(
        2.0, ge=0, le=LONGEST_S // 60, description="at most, after an entry was put out"
    )
    fault_limit: int = Field(ge=1, le=MOST_GAMES, description="games with an invalid play that put an entry out")
    target_games: int = Field(ge=1, le=MOST_GAMES, description="the ladder rests when every active entry has this many")
    active_limit: int = Field(ge=1, le=MOST_ACTIVE, description="entries of one student that play at once")
    ranking: Ranking


class NewLadderSettings(LadderSettingsJson):
    """New settings of a ladder."""

    confirm: bool = Field(False, description="also if that takes players out of play at once")


class NewOverride(Model):
    """A decision about one student's re-entry cooldown."""

    login: str = Field(max_length=200, json_schema_extra=SAID)
    minutes: float | None = Field(
        None,
        ge=0,
        le=LONGEST_S // 60,
        allow_inf_nan=False,
        description="a cooldown of their own; null: they may enter now, once",
    )
    reason: str = Field(max_length=LONGEST_REASON, description="the student sees it", json_schema_extra=SAID)


class Override(Model):
    """A decision about one student's re-entry cooldown that was made."""

    id: int
    student: StudentJson | None = Field(description="null: no longer in the course")
    minutes: float | None = Field(description="null: may enter now, once")
    reason: str
    given_at: datetime


class Overrides(Model):
    overrides: list[Override] = Field(description="those in force, the oldest first")


class WatchJson(Model):
    """The collusion watch of a tournament. Students are given by user id."""

    waiting: bool = Field(description="whether it is being worked out")
    done_at: datetime | None
    trouble: str = Field(description="the internal error that kept it from being worked out; else empty")
    found: Found | None = Field(description="what was found last; null before the first look")
    students: dict[int, StudentJson] = Field(description="the students who are named, by user id")
