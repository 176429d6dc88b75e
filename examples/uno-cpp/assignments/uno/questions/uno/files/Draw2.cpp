// Draw2.cpp: the implementation of Draw2.

#include "Draw2.h"

// ActionCard is a virtual base class, so each class below it says itself how the ActionCard part is made.
Draw2::Draw2(Color color, int number)
    : ActionCard(color, Value::A, Action::Draw2), Skip(color), number(number)
{
}

void Draw2::play(GameState& state)
{
    *state.cardsToDraw = number;
    Skip::play(state);
}
