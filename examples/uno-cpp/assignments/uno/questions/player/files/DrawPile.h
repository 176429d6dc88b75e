// DrawPile.h: the interface of DrawPile, which models the draw pile. Cards are drawn from the front of the vector.

#ifndef DRAWPILE_H
#define DRAWPILE_H

#include <vector>
#include "Deck.h"

class DrawPile : public Deck {
public:
    DrawPile();

    int size() const;

    // Moves n cards from the pile to the back of the hand, or as many as are left. Returns how many it moved.
    //
    // If there is a file deck.txt, the first draw puts the cards into the order that the file gives, however they
    // were shuffled. It lists all 72 cards as they are printed, with or without brackets and values: R6 [GD] [WC]=50.
    // Throws runtime_error if it does not.
    int draw(std::vector<Card*>& hand, int n = 1);
};

#endif
