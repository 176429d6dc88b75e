"""What a person's own player would have done in a game that the person has played by hand."""

from dataclasses import asdict, dataclass
from typing import Any

from sandbox.api import Fault, Limits, Program, Sandbox
from tournament.games.api import Game, IllegalPlay, State
from tournament.hand.table import HandTable, Recalled, recall, seated
from tournament.play.referee import Beat, storable, value_text


@dataclass(frozen=True, slots=True)
class Advice:
    """What a player would have done at one of the person's moves. `number` is that of the replay's frame before it.

    `would` is the play in words and `value` what the player returned; `trouble` is why it would have been disqualified.
    """

    number: int
    did: str
    would: str = ""
    value: str = ""
    trouble: str = ""
    same: bool = False


def advise(
    game: Game[Any], table: HandTable, program: Program, sandbox: Sandbox, limits: Limits, beat: Beat
) -> list[dict[str, Any]]:
    """Give the player all calls of the person's seat in their order, and note its answers, up to the first fault.

    Raises SandboxError and ReplayError."""
    found: list[Advice] = []
    with seated({table.seat: program}, table.record.seed, sandbox, limits) as opened:
        player = opened[table.seat]
        if isinstance(player, Fault):
            return [asdict(Advice(0, "", trouble=storable(player.message)))]
        try:
            for asked, state in recall(game, table.record, {table.seat: player}, beat):
                if asked:
                    found.append(_advice(game, state, asked))
                    if isinstance(asked.reply, Fault):
                        break
        except IllegalPlay as refusal:  # of a question
            found.append(Advice(found[-1].number + 1 if found else 0, "", trouble=storable(refusal.message)))
    return [asdict(each) for each in found]


def _advice(game: Game[State], state: State, asked: Recalled) -> Advice:
    seat, reply = asked.request.seat, asked.reply
    did = game.describe(seat, game.parse(state, seat, game.decode(asked.played)))
    if isinstance(reply, Fault):
        return Advice(asked.rounds, did, trouble=storable(reply.message))
    value = storable(value_text(reply.data))
    try:
        would = game.describe(seat, game.parse(state, seat, reply.data))
    except IllegalPlay as refusal:
        return Advice(asked.rounds, did, value=value, trouble=storable(refusal.message))
    return Advice(asked.rounds, did, would, value, same=did == would)
