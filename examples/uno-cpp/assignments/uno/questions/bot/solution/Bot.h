// Bot.h: the interface of Bot, which models a computer player.
//
// Name: (solution)
// Student ID:
// E-mail:

#ifndef BOT_H
#define BOT_H

#include "Player.h"

class Bot : public Player {
public:
    Bot();

    int pickCard(GameState& uno) override;
};

#endif
