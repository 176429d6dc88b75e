"""Where the seeds of games come from.

Every block has a base seed: drawn at random for a ladder (`tournament.ladder.pairing`), made from the hash of the
header for a final (`tournament.final.rounds.derive`), and from the bracket's seed and the place of the match for a
bracket (`tournament.bracket.draw.match_seed`, then `tournament.play.local.block_seed`). No game is dealt from a base
seed itself: each game of each attempt at a block has a deal of its own, made by `deal_seed`. So nobody meets a deal
twice, and a block that was cut off shows nobody the same cards again.

Records of before that rule have blocks whose games were all dealt from the base seed; their games name no attempt.
"""

from hashlib import blake2b


def deal_seed(base: int, attempt: int, game: int) -> int:
    """The seed of a block's `game`-th game, counted from 0, in the `attempt`-th attempt, counted from 1: 53 bits of
    BLAKE2b over `quadrille deal BASE ATTEMPT GAME`."""
    digest = blake2b(f"quadrille deal {base} {attempt} {game}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 11  # so that a reader of JSON that knows only doubles reads it correctly
