#pragma once
#include "Player.h"

class Bot : public Player {
public:
    Bot();
    virtual int pickCard(GameState& uno);
};
