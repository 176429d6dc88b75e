"""What the pictures of an entry's page are made of."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from tournament.ladder import past_games as past
from tournament.ladder.past_games import POINTS, PastGame, RatePoint
from tournament.ladder.rank_history import Ranked, ranks_of
from tournament.store.tables import Entry
from web.board.game_filter import IS, GameFilter
from web.pictures.scales import thinned
from web.site.pages import Shelf

FORMER = 3
"""The number of former versions that are drawn before this one."""

ENTRY = Shelf("entry", 256)
"""What pages show of an entry, as long as all that it is made of stays the same. A finished game never changes, and an
entry counts its games (`seated`): so that number stands for them. A part has 20 kB, and some of a house bot with 1,000
games 300 kB."""


@dataclass(frozen=True)
class EntryStory:
    """What the pictures of an entry are made of. `versions`: it and its author's former ones, the oldest first;
    `address`: of its page; `chosen`: how its games are filtered now."""

    entry: Entry
    games: Sequence[PastGame]
    versions: Sequence[Entry]
    ranks: Sequence[Ranked]
    met: Mapping[int, tuple[str, float | None]]
    address: str
    chosen: GameFilter

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The names of its opponents."""
        return {id_: name for id_, (name, _) in self.met.items()}

    @cached_property
    def results(self) -> Mapping[str, int]:
        """The number of its games with each result. To count 84 games takes 4% of the page; it may have 1,000."""
        return ENTRY.kept(
            lambda: {name: sum(map(is_result, self.games)) for name, is_result in IS.items()},
            *("results", *self.past),
        )

    @cached_property
    def rates(self) -> Sequence[RatePoint]:
        """Its win rate over its games."""
        return past.win_rates(self.games, past.win_sums([self.entry]))

    def filtered(self, **more: str | int) -> str:
        """The address that filters by that, too, or no longer."""
        return self._to(self.chosen.with_(**more).args)

    def without(self, name: str) -> str:
        """The address without that filter."""
        return self._to({key: value for key, value in self.chosen.args.items() if key != name})

    @property
    def past(self) -> tuple[Hashable, ...]:
        """What stands for its games, see `ENTRY`."""
        return self.entry.id, self.entry.entered_at, self.entry.seated

    @property
    def made_of(self) -> tuple[Hashable, ...]:
        """What stands for all of it."""
        versions = tuple((each.id, each.version, *past.sums_of(each)) for each in self.versions)
        return *self.past, self.address, self.chosen, versions, tuple(self.ranks), tuple(self.met.items())

    @property
    def set(self) -> Sequence[tuple[str, str]]:
        """Each filter that is set, in words, and the address without it."""
        return [(words, self.without(name)) for name, words in self.chosen.in_words(self.names).items()]

    def until(self, game_id: int) -> str:
        """The address of the games up to one."""
        return self._to({**self.chosen.args, "before": game_id + 1})

    def sibling(self, version: Entry) -> str:
        """The address of another version's page."""
        return self.address.replace(f"/{self.entry.id}/", f"/{version.id}/")

    def game_after(self, games: int) -> int | None:
        """The game with which the entry had so many games that count."""
        return next((each.game_id for each in self.rates if each.games >= games), None)

    def _to(self, args: Mapping[str, str | int]) -> str:
        return f"{self.address}{'?' if args else ''}{urlencode(args)}#games"


def story_of(session: Session, entry: Entry, address: str, chosen: GameFilter) -> EntryStory:
    """Read what the pictures need."""
    games = ENTRY.kept(lambda: past.past_games(session, entry.id), "past", entry.id, entry.entered_at, entry.seated)
    versions = [*_former(session, entry), entry]
    samples = ranks_of(session, [each.id for each in versions])
    of_version = ([rank for rank in samples if rank.entry_id == each.id] for each in versions)
    ranks = [rank for own in of_version for rank in thinned(own, POINTS)]
    met = past.opponents_of(session, (id_ for game in games for id_ in game.table)) if games else {}
    return EntryStory(entry, games, versions, ranks, met, address, chosen)


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


def _former(session: Session, entry: Entry) -> Sequence[Entry]:
    """The author's former versions that have played, the oldest first; a first version and a house bot have none."""
    if entry.author_id is None or entry.version == 1:
        return []
    which = {"tournament": entry.tournament_id, "author": entry.author_id, "version": entry.version}
    return session.scalars(_FORMER, which).all()[::-1]
