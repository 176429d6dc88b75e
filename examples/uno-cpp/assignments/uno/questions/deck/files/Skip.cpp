// Skip.cpp: the implementation of Skip.

#include "Skip.h"

Skip::Skip(Color color)
    : ActionCard(color, Action::Skip)
{
    setValue(Value::A);
}

void Skip::play(GameState& uno)
{
    *uno.turnSkipped = true;
}
