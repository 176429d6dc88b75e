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
    explicit Deck(bool fill);

    // Deletes the cards that are still in the deck.
    virtual ~Deck();

    // A deck cannot be copied: two decks would delete the same cards.
    Deck(const Deck&) = delete;
    Deck& operator=(const Deck&) = delete;

    int size() const;

    // Prints the cards with their values, at most 10 per line.
    void print() const;
};

#endif
