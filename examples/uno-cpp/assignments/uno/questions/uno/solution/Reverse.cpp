// Reverse.cpp: the implementation of Reverse.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "Reverse.h"

Reverse::Reverse(Color color)
    : ActionCard(color, Value::A, Action::Reverse)
{
}

void Reverse::play(GameState& state)
{
    *state.delta = -*state.delta;
    if (state.P == 2)  // the order of two players is the same in both directions, so the card skips instead
        *state.turnSkipped = true;
}
