// Deck.h: the interface of Deck, the base class of the draw pile and the discard pile.

#ifndef DECK_H
#define DECK_H

#include <vector>
#include "Card.h"

class Deck {
protected:
    std::vector<Card*> cards;

public:
    // With fill == true all 72 cards of Uno are created; otherwise the deck is empty.
    Deck(bool fill = false);
    virtual ~Deck() = default;

    // Puts the cards into a random order. srand() sets the seed.
    void shuffle();

    // Prints the cards with their values, at most 10 per line.
    void print();
};

#endif
