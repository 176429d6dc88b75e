"""Golden games: records stored with the rules, which reveal every change of the rules. After a deliberate change of the
rules, and of the game's `version`, `make golden` or `quadrille game golden` rewrites the records."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from sandbox.api import Sandbox
from tournament.games.api import Game, HouseBot
from tournament.play.record import Record
from tournament.play.table import BOT, PlayerSpec, play_files

SEED = 10001


def tables(game: Game[Any]) -> Mapping[str, Sequence[HouseBot]]:
    """Return the players of each golden game: house bots of all strengths, only the strongest, or only the weakest."""
    ranked = sorted(game.bots, key=lambda bot: bot.strength)
    return {
        name: list(islice(cycle(bots), game.seats[0]))
        for name, bots in {"mixed": ranked, "strongest": ranked[-1:], "weakest": ranked[:1]}.items()
    }


def play_golden(game: Game[Any], trusted: Sandbox) -> Iterator[tuple[str, Record]]:
    """Play the golden games with the present rules and yield each with its name."""
    for name, bots in tables(game).items():
        players = [PlayerSpec(BOT + bot.name, bot.source, trusted=True) for bot in bots]
        (record,) = play_files(game, players, 1, SEED, trusted, trusted)
        yield name, record


def record_text(record: Record) -> str:
    """Return the record as JSON with a line for each field and each play, so that its diffs are easy to read."""
    fields = record.to_json()
    plays = ",\n  ".join(json.dumps(play, ensure_ascii=False) for play in fields.pop("plays"))
    lines = [f'"{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in fields.items()]
    return "{\n" + ",\n".join([*lines, f'"plays": [\n  {plays}\n]']) + "\n}\n"


def golden_records(game: Game[Any]) -> dict[str, Record]:
    """Return the records kept in the game's folder, by name; raises BadRecord."""
    folder = game.folder / "golden"
    files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
    texts = {file.name: file.read_text("utf-8") for file in files if file.name.endswith(".json")}
    return {name.removesuffix(".json"): Record.from_json(json.loads(text)) for name, text in texts.items()}


def write_golden(game: Game[Any], folder: Path, trusted: Sandbox) -> Iterator[tuple[str, Record]]:
    """Play the golden games and write them into the game's folder; yield each with its name after writing it."""
    (folder / "golden").mkdir(exist_ok=True)
    for name, record in play_golden(game, trusted):
        (folder / "golden" / f"{name}.json").write_text(record_text(record), encoding="utf-8")
        yield name, record
