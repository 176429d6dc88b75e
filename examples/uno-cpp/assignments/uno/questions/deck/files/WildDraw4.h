// WildDraw4.h: the interface of WildDraw4, which models a Wild Draw 4 card.

#ifndef WILDDRAW4_H
#define WILDDRAW4_H

#include "Draw2.h"
#include "WildCard.h"

class WildDraw4 : public WildCard, public Draw2 {
public:
    WildDraw4();

    // Changes the color; the next player draws 4 cards and skips his/her turn.
    void play(GameState& uno) override;
};

#endif
