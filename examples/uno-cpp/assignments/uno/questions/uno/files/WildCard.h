// WildCard.h: the interface of WildCard, which models a Wild card.

#ifndef WILDCARD_H
#define WILDCARD_H

#include <string>
#include "ActionCard.h"

class WildCard : public virtual ActionCard {
public:
    WildCard();

    bool match(const Card& top) const override;  // a wild card can always be played
    std::string toString() const override;       // "[WC]" or "[WD]", whatever color has been chosen
    void play(GameState& state) override;        // changes the color of this card to the color that is chosen
};

#endif
