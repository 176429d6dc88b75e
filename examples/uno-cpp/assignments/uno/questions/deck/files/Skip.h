// Skip.h: the interface of Skip, which models a Skip card.

#ifndef SKIP_H
#define SKIP_H

#include "ActionCard.h"

// A Wild Draw 4 card is both a Draw2 (and so a Skip) and a WildCard. "virtual" gives it one ActionCard part, not
// two.
class Skip : public virtual ActionCard {
public:
    Skip(Color color);

    void play(GameState& uno) override;  // the next player skips his/her turn
};

#endif
