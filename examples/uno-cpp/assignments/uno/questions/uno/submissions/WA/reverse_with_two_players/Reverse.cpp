// Broken: with two players a Reverse card does not skip the other one.
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
}
