// Draw2.cpp: the implementation of Draw2.

#include "Draw2.h"

// ActionCard is a virtual base class, so each class below it says itself how the ActionCard part is made.
Draw2::Draw2(Color color)
    : ActionCard(color, Action::Draw2), Skip(color), drawCount(2)
{
}

int Draw2::getDrawCount()
{
    return drawCount;
}

void Draw2::setDrawCount(int count)
{
    drawCount = count;
}

void Draw2::play(GameState& uno)
{
    *uno.cardsToDraw = drawCount;
    Skip::play(uno);
}
