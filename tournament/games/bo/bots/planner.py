"""Looks ahead to the end of its turn for a way to play its stockpile; otherwise leaves the table as good for itself,
and as bad for the others, as one play can make it."""

NO_PLAY = (3, None, (None, None))
RING = "234567890JQK"
NUMBERS = range(4)
PLAYS_A_TURN = 5


def cards(values, suits):
    """Every card of these values and suits."""
    return {value + suit for value in values for suit in suits}


ACES = cards("A", "SHDC")
ENDS = cards("2K", "SHDC")
COMPLETES = ACES | ENDS
ON_BUILD = {}
ON_DISCARD = {}
for place, value in enumerate(RING):
    neighbours = RING[max(place - 1, 0) : place] + RING[place + 1 : place + 2]
    for same, other in ("SC", "HD"), ("HD", "SC"):
        for top in cards(value, same):
            ON_BUILD[top] = cards(neighbours + "A", same)
            ON_DISCARD[top] = cards(RING[place - 1] + RING[(place + 1) % 12], other)


def comp10001bo_match_build(play_card, build_pile):
    """Whether the card may go on the build pile."""
    return play_card in (ON_BUILD[build_pile[-1]] if build_pile else ENDS)


def comp10001bo_match_discard(play_card, discard_pile, player_no, to_player_no, from_hand=True):
    """0, 1 or 2: may not go on the discard pile, may go, may go and ends the turn."""
    if play_card in ACES:
        return 0
    if not discard_pile:
        return 2 if from_hand and player_no == to_player_no else 0
    if play_card in ON_DISCARD[discard_pile[-1]]:
        return 1
    return 2 if from_hand else 0


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    """The first step of the shortest way to play the stockpile, or else the best single play."""
    table = Table(player_no, hand, stockpiles, discard_piles, build_piles)
    top = stockpiles[player_no][0]
    for steps in range(1, plays_left(player_no, play_history) + 1):
        play = table.step_towards((2, top, top), steps)
        if play:
            return play
    return max(table.plays(), key=table.worth, default=NO_PLAY)


def plays_left(player_no, play_history):
    """How many plays of this turn are left, the one that is asked for included."""
    left = PLAYS_A_TURN
    for player, _ in reversed(play_history):
        if player != player_no:
            break
        left -= 1
    return left


class Table:
    """The piles by their name as a destination, (0, 3) or (1, (2, 3)), and the sources: (play type, source, card)."""

    def __init__(self, player_no, hand, stockpiles, discard_piles, build_piles):
        self.player_no = player_no
        self.piles = {(0, pile): build_piles[pile] for pile in NUMBERS}
        self.piles |= {(1, (owner, pile)): discard_piles[owner][pile] for owner in NUMBERS for pile in NUMBERS}
        self.tops = {name: pile[-1] if pile else None for name, pile in self.piles.items()}
        self.top = stockpiles[player_no][0]
        self.sources = [(0, card, card) for card in dict.fromkeys(hand)]
        self.sources += [(1, (top, name[1]), top) for name, top in self.tops.items() if name[0] == 1 and top]
        self.rivals = [(stockpiles[(player_no + turns) % 4], turns) for turns in (1, 2, 3)]
        self.hosts = {
            card: {name for name, top in self.tops.items() if fits(card, name, top)}
            for card in [self.top, *(card for (card, _), _ in self.rivals)]
        }

    def step_towards(self, source, steps, kind=None, used=()):
        """The first of `steps` plays, the last of which moves the source's card; None if there is no such way.

        `kind` says where the card must lie in the end: 0 on a build pile, 1 on a discard pile, None on any.
        """
        if steps == 1:
            return self.one_step(source, kind)
        card, used = source[2], (*used, source)
        for helper in self.sources:
            if helper in used or helper[2] in ACES:
                continue
            under = helper[2]
            ways = []
            if kind != 1 and card in ON_BUILD[under] and not (kind == 0 and card in COMPLETES):
                ways.append(0)
            if kind != 0 and card in ON_DISCARD[under]:
                ways.append(1)
            if kind != 0 and card in ON_DISCARD.get(self.covered(helper), ()):
                ways.append(None)
            for way in ways:
                play = self.step_towards(helper, steps - 1, way, used)
                if play:
                    return play
        return None

    def one_step(self, source, kind):
        """The source's card played to the first pile of the kind that takes it, or None."""
        play_type, origin, card = source
        for name, top in self.tops.items():
            if kind is not None and name[0] != kind:
                continue
            if play_type == 1 and name == (1, origin[1]):
                continue
            if kind == 0 and top and card in COMPLETES:
                continue
            if fits(card, name, top):
                return (play_type, origin, name)
        return None

    def covered(self, source):
        """The card that the source's card lies on, or None."""
        if source[0] != 1:
            return None
        pile = self.piles[(1, source[1][1])]
        return pile[-2] if len(pile) > 1 else None

    def plays(self):
        """Every legal play."""
        for play_type, origin, card in [*self.sources, (2, self.top, self.top)]:
            for name, top in self.tops.items():
                if play_type == 1 and name == (1, origin[1]):
                    continue
                gives_up = play_type == 0 and name[0] == 1 and card not in ACES
                if fits(card, name, top) or (gives_up and (top or name[1][0] == self.player_no)):
                    yield (play_type, origin, name)

    def worth(self, play):
        """How good the table is after the play: room for the own stockpile, and none for those of the others."""
        play_type, origin, name = play
        card = origin[0] if play_type == 1 else origin
        changed = {name: None if name[0] == 0 and self.tops[name] and card in COMPLETES else card}
        if play_type == 1:
            changed[(1, origin[1])] = self.covered((play_type, origin, card))
        worth = 6.0 * self.has_room(self.top, changed)
        if play_type == 0 and fits(card, name, self.tops[name]):
            worth += 2
        for (top, count), turns in self.rivals:
            if self.has_room(top, changed):
                worth -= 2 + (3 - turns) / 2 + (count <= 2)
        return worth

    def has_room(self, card, changed):
        """Whether some pile takes the card, once the piles named in `changed` have those top cards."""
        if any(fits(card, name, top) for name, top in changed.items()):
            return True
        return not self.hosts[card] <= changed.keys()


def fits(card, name, top):
    """Whether the card goes on the pile with this top card, without ending the turn."""
    if name[0] == 0:
        return card in (ON_BUILD[top] if top else ENDS)
    return top is not None and card in ON_DISCARD[top]
