// WildDraw4.cpp: the implementation of WildDraw4.

#include "WildDraw4.h"

using namespace std;

WildDraw4::WildDraw4()
    : ActionCard(Color::Wild, Action::Draw4), WildCard(), Draw2(Color::Wild)
{
    setAction(Action::Draw4);
    setValue(Value::W);
    setDrawCount(4);
}

void WildDraw4::play(GameState& uno)
{
    WildCard::play(uno);
    Draw2::play(uno);
}

// The linker takes these definitions only if WildCard.cpp has none.
__attribute__((weak)) bool WildCard::match(Card* /* top */)
{
    return true;
}

__attribute__((weak)) string WildCard::toString()
{
    return "[W" + ACTIONS[int(getAction())] + "]";
}
