// Man.h: the interface of Man, which models a human player.

#ifndef MAN_H
#define MAN_H

#include "Player.h"

class Man : public Player {
public:
    Man();

    int pickCard(GameState& uno) override;
};

#endif
