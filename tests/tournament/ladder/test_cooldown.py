"""The exclusion of one student: overrides, refunds and clocks that jump, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.tournament.factory import make_player, make_tournament, make_user
from tournament.ladder.ladder import (
    LONGEST_REASON,
    LONGEST_S,
    NewEntry,
    OnCooldown,
    OverrideError,
    cooldown_ends,
    cooldown_overrides,
    enter,
    leave,
    override_cooldown,
    revoke_override,
)
from tournament.store.database import Sessions, now, writing
from tournament.store.notices import notices
from tournament.store.tables import Entry, EntryState, Tournament

pytestmark = pytest.mark.both_databases

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def left(session: Session, tournament: Tournament, author: int, at: datetime) -> timedelta | None:
    ends = cooldown_ends(session, tournament.id, author, at)
    return ends - at if ends else None


class Place:
    """A ladder, a student and a teacher."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.ladder = make_tournament(session, exclusion_s=600)
        self.student, self.teacher = make_user(session), make_user(session)

    def enter(self, at: datetime, asked_at: datetime | None = None) -> None:
        enter(self.session, self.ladder, NewEntry(self.student, make_player(self.session), "Heron", asked_at), at)

    def left(self, at: datetime, student: int = 0) -> timedelta | None:
        return left(self.session, self.ladder, student or self.student, at)

    def told(self) -> list[str]:
        return [notice.text for notice in notices(self.session, self.student)][::-1]


# Overrides


@pytest.mark.parametrize(
    ("seconds", "after_a_minute", "said"),
    [(0, None, "as often as you like"), (120, MINUTE, "is 2 minutes."), (1800, 29 * MINUTE, "is 30 minutes.")],
)
def test_a_student_has_an_exclusion_of_their_own(
    sessions: Sessions, seconds: int, after_a_minute: timedelta | None, said: str
) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(NOON)
        override_cooldown(session, place.ladder, place.student, seconds, " Lost a day to our outage. ", place.teacher)
        assert place.left(NOON + MINUTE) == after_a_minute
        (told,) = place.told()
        assert said in told
        assert told.endswith("Lost a day to our outage.")
        other = make_user(session)
        enter(session, place.ladder, NewEntry(other, make_player(session), "Kite"), NOON)
        assert place.left(NOON + MINUTE, other) == 9 * MINUTE


def test_a_student_may_enter_now_once(sessions: Sessions) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(now())
        override_cooldown(session, place.ladder, place.student, None, "The sandbox failed.", place.teacher)
        assert place.left(now()) is None
        place.enter(now())
        assert place.left(now()), "the entry that follows excludes as ever"


def test_the_latest_override_holds_and_can_be_revoked(sessions: Sessions) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(NOON)
        for seconds in (60, 300):
            latest = override_cooldown(session, place.ladder, place.student, seconds, "Reasons.", place.teacher)
        assert [each.seconds for each in cooldown_overrides(session, place.ladder.id)] == [300]
        assert place.left(NOON) == 5 * MINUTE
        revoke_override(session, latest)
        revoke_override(session, latest)
        assert place.left(NOON) == 10 * MINUTE
        assert cooldown_overrides(session, place.ladder.id) == []
        assert "was revoked" in place.told()[-1]
        assert len(place.told()) == 3


@pytest.mark.parametrize(
    ("seconds", "reason", "field"),
    [
        (60, "", "reason"),
        (60, "  ", "reason"),
        (60, "x" * (LONGEST_REASON + 1), "reason"),
        (-1, "Why.", "minutes"),
        (LONGEST_S + 1, "Why.", "minutes"),
        (None, "Nothing to lift.", "minutes"),
    ],
)
def test_what_makes_no_sense_is_refused(sessions: Sessions, seconds: int | None, reason: str, field: str) -> None:
    with writing(sessions) as session:
        place = Place(session)
        with pytest.raises(OverrideError) as caught:
            override_cooldown(session, place.ladder, place.student, seconds, reason, place.teacher)
        assert caught.value.field == field
        assert place.told() == []


# Refunds


def test_the_exclusion_can_run_from_an_earlier_moment(sessions: Sessions) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(NOON, NOON - 4 * MINUTE)
        assert place.left(NOON) == 6 * MINUTE


# Put out


@pytest.mark.parametrize(
    ("out_after", "longest", "ends"),
    [(MINUTE, 120, 3 * MINUTE), (9 * MINUTE, 120, 10 * MINUTE), (MINUTE, 0, MINUTE), (MINUTE, 3600, 10 * MINUTE)],
)
def test_whoever_was_put_out_can_enter_a_corrected_player_soon(
    sessions: Sessions, out_after: timedelta, longest: int, ends: timedelta
) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.ladder.out_exclusion_s = longest
        place.enter(NOON)
        entry = session.scalars(select(Entry)).one()
        leave(entry, EntryState.OUT, NOON + out_after)
        assert place.left(NOON) == ends
        assert place.left(NOON + ends) is None


# Clocks that jump


def test_after_a_clock_was_set_back_nobody_waits_for_it_to_catch_up(sessions: Sessions) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(NOON)
        assert place.left(NOON - timedelta(hours=3)) is None
        place.enter(NOON - timedelta(hours=3))
        assert place.left(NOON - timedelta(hours=3)) == 10 * MINUTE, "the latest entry tells, not the latest time"


def test_a_clock_that_is_a_little_behind_lets_nobody_in(sessions: Sessions) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(NOON)
        with pytest.raises(OnCooldown):
            place.enter(NOON - timedelta(seconds=20))


def test_after_a_clock_was_set_forward_the_exclusion_is_over(sessions: Sessions) -> None:
    with writing(sessions) as session:
        place = Place(session)
        place.enter(NOON)
        assert place.left(NOON + timedelta(hours=3)) is None
