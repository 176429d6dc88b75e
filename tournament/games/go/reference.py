"""A complete player for Comp10001-Go: all questions, the bonus one too, and a plain but sensible way to play.

It is one file with the function names of the assignment, as a student would hand it in.
"""

VALUES = "A234567890JQK"
SUITS = "SHDC"
RED_SUITS = "HD"
ACE_COST = 20


def value_of(card):
    """Return the value of the card, from Ace (1) to King (13)."""
    return VALUES.index(card[0]) + 1


def is_red(card):
    """Whether the card is a heart or a diamond."""
    return card[1] in RED_SUITS


def is_ace(card):
    """Whether the card is an Ace."""
    return card[0] == "A"


# Part 1


def comp10001huxxy_valid_table(groups):
    """Whether each group is a run, or an N-of-a-kind of three cards or more."""
    return all(is_long_kind(group) or is_plain_run(group) for group in groups)


def is_long_kind(group):
    """Whether these are three cards of one value in different suits, or more of them in all four suits."""
    if len(group) < 3 or len({card[0] for card in group}) > 1:
        return False
    return len({card[1] for card in group}) == min(len(group), len(SUITS))


def is_plain_run(group):
    """Whether these are three or more consecutive cards of alternating colours; an Ace is just a 1."""
    cards = sorted(group, key=value_of)
    for index in range(1, len(cards)):
        card, other = cards[index - 1], cards[index]
        if value_of(other) != value_of(card) + 1 or is_red(card) == is_red(other):
            return False
    return len(cards) >= 3


# Part 2


def comp10001go_valid_groups(groups):
    """Whether each group is a single card, an N-of-a-kind or a run."""
    return all(points_of(group) is not None for group in groups)


def points_of(group):
    """Return what the group scores, or None if it is not valid."""
    if len(group) == 1:
        return -single_cost(group[0])
    return kind_points(group) or run_points(group)


def single_cost(card):
    """Return what a single card costs."""
    return ACE_COST if is_ace(card) else value_of(card)


def kind_points(group):
    """Return the factorial of N times the value, or None if the group is not an N-of-a-kind."""
    if len(group) < 2 or is_ace(group[0]) or any(card[0] != group[0][0] for card in group):
        return None
    points = value_of(group[0])
    for number in range(2, len(group) + 1):
        points *= number
    return points


def run_points(group):
    """Return the sum of all values, where an Ace counts as what it stands for, or None if the group is not a run."""
    cards = sorted([card for card in group if not is_ace(card)], key=value_of)
    aces = [is_red(card) for card in group if is_ace(card)]
    if len(group) < 3 or len(cards) < 2:
        return None
    lowest, highest = value_of(cards[0]), value_of(cards[-1])
    red = is_red(cards[0])
    for value in range(lowest, highest + 1):
        if value_of(cards[0]) == value:
            if is_red(cards.pop(0)) != red:
                return None
        elif red in aces:
            aces.remove(red)
        else:
            return None
        red = not red
    return None if cards or aces else sum(range(lowest, highest + 1))


# Part 3


def comp10001go_play(discard_history, player_no, hand):
    """Return the card that makes the discards worth most, counting half of what the hand could still add to them."""
    mine = [turn[player_no] for turn in discard_history]
    turns_left = 9 - len(mine)
    return max(hand, key=lambda card: promise([*mine, card], hand, turns_left))


def promise(mine, hand, turns_left):
    """Return what the discards score now, and half of what one more card of the hand could add."""
    score = best_score(mine)
    if not turns_left:
        return score
    return score + max([best_score([*mine, card]) - score for card in hand if card not in mine], default=0) / 2


def comp10001go_group(discard_history, player_no):
    """Return one of the best groupings."""
    return comp10001go_best_partitions([turn[player_no] for turn in discard_history])[0]


# Part 4


def comp10001go_best_partitions(cards):
    """Return every grouping with the highest score."""
    return best_groupings(cards)[1]


def best_score(cards):
    """Return the highest score of any grouping of the cards."""
    return best_groupings(cards)[0]


def best_groupings(cards):
    """Return the best score, and every grouping that reaches it.

    A set of cards is a frozenset. Each valid group that holds the first remaining card is tried. The result for the
    other cards is remembered, since different groups can leave the same cards.
    """
    groups_of = {card: [(frozenset([card]), -single_cost(card))] for card in cards}
    for group in dict.fromkeys([*all_kinds(cards), *all_runs(cards)]):
        first = next(card for card in cards if card in group)
        groups_of[first].append((group, points_of(list(group))))
    known = {frozenset(): (0, [[]])}

    def solve(left):
        if left not in known:
            first = next(card for card in cards if card in left)
            best, ways = None, []
            for group, points in groups_of[first]:
                if group <= left:
                    score, rests = solve(left - group)
                    if best is None or points + score > best:
                        best, ways = points + score, []
                    if points + score == best:
                        ways += [[list(group), *rest] for rest in rests]
            known[left] = best, ways
        return known[left]

    return solve(frozenset(cards))


def all_kinds(cards):
    """Yield every N-of-a-kind among the cards, as frozensets."""
    for value in VALUES[1:]:
        groups = [frozenset()]
        for card in cards:
            if card[0] == value:
                groups += [group | {card} for group in groups]
        yield from [group for group in groups if len(group) > 1]


def all_runs(cards):
    """Yield every run among the cards, as frozensets."""
    for card in cards:
        if not is_ace(card):
            yield from runs_from(frozenset([card]), value_of(card) + 1, not is_red(card), cards)


def runs_from(run, value, red, cards):
    """Yield every run that continues this one with a card of that value and colour, or with an Ace of that colour."""
    if value > len(VALUES):
        return
    for card in cards:
        if is_red(card) != red or card in run:
            continue
        if value_of(card) == value:
            if len(run) > 1:
                yield run | {card}
            yield from runs_from(run | {card}, value + 1, not red, cards)
        elif is_ace(card):
            yield from runs_from(run | {card}, value + 1, not red, cards)
