// WildCard.h: the interface of WildCard, which models a Wild card.

#ifndef WILDCARD_H
#define WILDCARD_H

#include <string>
#include "ActionCard.h"

class WildCard : public virtual ActionCard {
public:
    WildCard();

    void play(GameState& uno) override;  // changes the color of this card to the color that is chosen

    // WildDraw4.cpp defines these two as far as WildCard.cpp does not.
    bool match(Card* top) override;      // a wild card can always be played
    std::string toString() override;     // "[WC]" or "[WD]", whatever color has been chosen
};

#endif
