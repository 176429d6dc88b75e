// WildDraw4.cpp: the implementation of WildDraw4.

#include "WildDraw4.h"

WildDraw4::WildDraw4()
    : ActionCard(Color::Wild, Value::W, Action::Draw4), WildCard(), Draw2(Color::Wild, 4)
{
}

void WildDraw4::play(GameState& state)
{
    WildCard::play(state);
    Draw2::play(state);
}
