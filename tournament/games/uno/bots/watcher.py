"""Watches the others: strikes at the one about to go out, remembers who could not follow which colour, and keeps the
colours that it can follow itself."""

COLOURS = "RYGB"


def uno_match(card, top, colour):
    """Whether the card may be played."""
    return card[0] == "W" or card[0] == colour or (top[0] != "W" and card[1] == top[1])


def uno_most_frequent_colour(hand):
    """The colour of most cards, the first of RYGB among equals."""
    colours = [card[0] for card in hand]
    return max(COLOURS, key=colours.count)


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The card that is worth most to be rid of now; a card from the pile if none matches."""
    matching = [index for index, card in enumerate(hand) if uno_match(card, top, colour)]
    if not matching:
        return -2
    table = Table(player_no, hand, hand_sizes, play_history)
    return max(matching, key=lambda index: table.worth(hand[index], hand[:index] + hand[index + 1 :]))


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The colour that helps oneself most and the next players least."""
    table = Table(player_no, hand, hand_sizes, play_history)
    return max(COLOURS, key=lambda each: table.colour_worth(each, hand))


class Table:
    """Who comes next, how near each is to going out, and which colours each could not follow."""

    def __init__(self, player_no, hand, hand_sizes, play_history):
        self.player_no, self.sizes = player_no, hand_sizes
        self.direction = 1
        self.lacks = set()
        self.unseen = {each: 16 - sum(card[0] == each for card in hand) for each in COLOURS}
        colour = None
        for seat, action, what in play_history:
            if action == "play":
                colour = what[0]
                self.direction *= -1 if what[1] == "R" else 1
                if colour != "W":
                    self.unseen[colour] -= 1
            elif action == "colour":
                colour = what
            elif action == "draw":
                self.lacks -= {(seat, each) for each in COLOURS if what > 1 or each != colour}
                self.lacks |= {(seat, colour)} if what == 1 else set()

    def seat(self, turns):
        """Who is on turn after so many turns."""
        return (self.player_no + turns * self.direction) % len(self.sizes)

    def danger(self, turns):
        """From 0 to 1: how near that player is to going out."""
        return {1: 1.0, 2: 0.6, 3: 0.5}.get(self.sizes[self.seat(turns)], 0.05)

    def worth(self, card, rest):
        """How good it is to play the card and keep the rest."""
        if card[0] == "W":
            strike = 12 * self.danger(1) if card == "WD" else 0
            return strike - 14 + max(self.colour_worth(each, rest) for each in COLOURS)
        value = self.colour_worth(card[0], rest)
        value += 2.3 * sum(other[1] == card[1] and other[0] not in ("W", card[0]) for other in rest)
        if card[1] in "DS":
            return value + 1 + 8 * self.danger(1)
        if card[1] == "R":
            return value + 0.3 + 15 * (self.danger(1) - self.danger(-1))
        return value + int(card[1]) / 12

    def colour_worth(self, colour, rest):
        """How good it is to leave that colour to follow."""
        own = sum(card[0] == colour for card in rest)
        lacking = sum((self.seat(turns), colour) in self.lacks for turns in (1, 2))
        return 3 * own + lacking - self.danger(1) * self.unseen[colour] / 8
