// Reverse.h: the interface of Reverse, which models a Reverse card.
//
// Name: (solution)
// Student ID:
// E-mail:

#ifndef REVERSE_H
#define REVERSE_H

#include "ActionCard.h"

class Reverse : public virtual ActionCard {
public:
    Reverse(Color color);

    void play(GameState& uno) override;  // the turn order is reversed
};

#endif
