// Skip.cpp: the implementation of Skip.

#include "Skip.h"

Skip::Skip(Color color)
    : ActionCard(color, Value::A, Action::Skip)
{
}

void Skip::play(GameState& state)
{
    *state.turnSkipped = true;
}
