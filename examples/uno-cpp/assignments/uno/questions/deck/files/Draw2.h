// Draw2.h: the interface of Draw2, which models a Draw 2 card.

#ifndef DRAW2_H
#define DRAW2_H

#include "Skip.h"

class Draw2 : public Skip {
private:
    int drawCount;  // number of cards that the next player must draw: 2. The subclass WildDraw4 sets another number.

public:
    Draw2(Color color);

    int getDrawCount();
    void setDrawCount(int count);

    void play(GameState& uno) override;  // the next player draws cards and skips his/her turn
};

#endif
