// Draw2.h: the interface of Draw2, which models a Draw 2 card.

#ifndef DRAW2_H
#define DRAW2_H

#include "Skip.h"

class Draw2 : public Skip {
private:
    int number;  // of cards that the next player must draw

public:
    // A Draw 2 card lets the next player draw 2 cards. The subclass WildDraw4 passes another number.
    explicit Draw2(Color color, int number = 2);

    void play(GameState& state) override;  // the next player draws cards and skips his/her turn
};

#endif
