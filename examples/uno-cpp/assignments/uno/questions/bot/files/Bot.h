// Bot.h: the interface of Bot, which models a computer player.
//
// Name:
// Student ID:
// E-mail:

#ifndef BOT_H
#define BOT_H

#include "Player.h"

class Bot : public Player {
public:
    Bot();

    // TODO: Declare the method pickCard(), which overrides that of Player, and define it in Bot.cpp. The following
    // line only stands in for it: without any definition, Bot would be an abstract class, of which no object can be
    // created.
    int pickCard(GameState& /* uno */) override { return PASSED; }
};

#endif
