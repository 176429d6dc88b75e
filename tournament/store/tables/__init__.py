"""All tables of the tournaments. Import them from here: then every table that another one refers to is known."""

from tournament.store.tables.custom import (
    ComparedPair,
    CustomBatch,
    CustomGame,
    CustomSeat,
    Trial,
    VersionComparison,
)
from tournament.store.tables.games import Block, PlayedGame, Seat, SharedGame, VoidAttempt
from tournament.store.tables.hand import PATIENCE, HandGame
from tournament.store.tables.notices import Link, Notice, UnsentMail
from tournament.store.tables.packages import GamePackage
from tournament.store.tables.tournaments import (
    BracketDraw,
    Entry,
    EntryState,
    ExclusionOverride,
    Final,
    FinalPhase,
    Matchups,
    Player,
    Ranking,
    RankSample,
    Tournament,
    TournamentKind,
    TournamentState,
)
from tournament.store.tables.watch import GivenFile, StoredFingerprint, Watch
from tournament.store.tables.work import SILENT, InstallationSecret, Maintenance, MetricSum, Worker

__all__ = [
    "PATIENCE",
    "SILENT",
    "Block",
    "BracketDraw",
    "ComparedPair",
    "CustomBatch",
    "CustomGame",
    "CustomSeat",
    "Entry",
    "EntryState",
    "ExclusionOverride",
    "Final",
    "FinalPhase",
    "GamePackage",
    "GivenFile",
    "HandGame",
    "InstallationSecret",
    "Link",
    "Maintenance",
    "Matchups",
    "MetricSum",
    "Notice",
    "PlayedGame",
    "Player",
    "RankSample",
    "Ranking",
    "Seat",
    "SharedGame",
    "StoredFingerprint",
    "Tournament",
    "TournamentKind",
    "TournamentState",
    "Trial",
    "UnsentMail",
    "VersionComparison",
    "VoidAttempt",
    "Watch",
    "Worker",
]
