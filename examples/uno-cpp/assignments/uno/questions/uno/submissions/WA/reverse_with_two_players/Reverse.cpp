// Broken: with two players a Reverse card does not skip the other one.
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
}
