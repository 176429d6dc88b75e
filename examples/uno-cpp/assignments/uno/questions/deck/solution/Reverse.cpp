// Reverse.cpp: the implementation of Reverse.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "Reverse.h"

Reverse::Reverse(Color color)
    : ActionCard(color, Action::Reverse)
{
    setValue(Value::A);
}

void Reverse::play(GameState& uno)
{
    *uno.delta = -*uno.delta;
    if (uno.P == 2)  // the order of two players is the same in both directions, so the card skips instead
        *uno.turnSkipped = true;
}
