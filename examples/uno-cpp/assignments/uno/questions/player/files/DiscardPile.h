// DiscardPile.h: the interface of DiscardPile, which models the discard pile. Its top is the back of the vector.

#ifndef DISCARDPILE_H
#define DISCARDPILE_H

#include "Deck.h"

class DiscardPile : public Deck {
public:
    DiscardPile();

    // The card on top of the pile, which must not be empty.
    Card* top() const;

    // Puts a card on top of the pile.
    void stack(Card* card);
};

#endif
