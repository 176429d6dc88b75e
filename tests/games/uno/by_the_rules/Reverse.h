#pragma once
#include "ActionCard.h"

class Reverse : virtual public ActionCard {
public:
    Reverse(Color c);
    virtual void play(GameState& uno);
};
