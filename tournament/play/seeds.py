"""The seeds of games, and of the randomness of those who play them. All of them are made by `hashed_seed`.

Every block has a base seed: drawn at random for a ladder (`tournament.ladder.pairing`), made from the hash of the
header for a final, and from the bracket's seed and the place of the match for a bracket. No game is dealt from a base
seed itself: each game of each attempt at a block has a deal of its own (`deal_seed`). So nobody meets a deal twice, and
a block that was cut off shows nobody the same cards again.

Records from before that rule have blocks whose games were all dealt from the base seed; their games name no attempt.
"""

from hashlib import blake2b


def hashed_seed(*words: object, bits: int = 53) -> int:
    """The first bits of BLAKE2b over the words with a space between them; 53 of them fit into a JavaScript number.

    Records are replayed and verified by these seeds, so no words and no bits may ever change.
    """
    digest = blake2b(" ".join(map(str, words)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> (64 - bits)


def deal_seed(base: int, attempt: int, game: int) -> int:
    """The seed of a block's `game`-th game, counted from 0, in the `attempt`-th attempt, counted from 1."""
    return hashed_seed("quadrille deal", base, attempt, game)


def block_seed(seed: int, block: int) -> int:
    """The seed of a run's `block`-th deal, or of a bracket match's `block`-th block: `seed` itself for the first."""
    return hashed_seed("quadrille block", seed, block) if block else seed


def seat_seed(seed: int, seat: int) -> int:
    """The seed of a player's own randomness, 64 bits. It follows from the game's seed, so that a game can be played
    again, and does not lead back to it: seeds of counted games are random numbers of 53 bits."""
    return hashed_seed("quadrille seat", seed, seat, bits=64)
