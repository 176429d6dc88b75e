"""What tests that students run at home check in a game of Comp10001-Go."""

from itertools import chain, combinations

from tournament.games.api import AtHome, Questions, Request, one_of
from tournament.games.go.groups import valid_groups
from tournament.games.go.state import GoState

_GROUPING = """\
groups = [  # every group of two cards or more that these discards can make
{groups}]
self.assertIn(type(result), (list, tuple))
self.assertEqual(sorted(card for group in result for card in group), {discards})
for group in result:
    self.assertIn(type(group), (list, tuple))
    self.assertTrue(len(group) == 1 or sorted(group) in groups, f"{{group}} is not a group")"""


def check(state: GoState, request: Request, questions: Questions) -> str:
    """The answer must be a card of the hand, or all discards in groups, which are listed rather than their rules."""
    if state.turn < state.hand_size:
        return one_of(state.hands[request.seat])
    discards = sorted(state.discards[request.seat])
    subsets = chain.from_iterable(combinations(discards, size) for size in range(2, len(discards) + 1))
    groups = "".join(f"    {list(group)},\n" for group in subsets if valid_groups([group]))
    return _GROUPING.format(groups=groups, discards=discards)


at_home = AtHome(check)
