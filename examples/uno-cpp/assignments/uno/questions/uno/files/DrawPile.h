// DrawPile.h: the interface of DrawPile, which models the draw pile. Cards are drawn from the front of the vector.

#ifndef DRAWPILE_H
#define DRAWPILE_H

#include <string>
#include "Deck.h"

class DrawPile : public Deck {
public:
    DrawPile();

    // Puts the cards into a random order. The same seed gives the same order on every computer.
    void shuffle(unsigned int seed);

    // Puts the cards into the order that a file gives. The file lists all 72 cards as they are printed, with or
    // without brackets and values: R6 [GD] [WC]=50. Throws runtime_error if it does not.
    void arrange(const std::string& fileName);

    // Takes the first card off the pile, which must not be empty.
    Card* draw();
};

#endif
