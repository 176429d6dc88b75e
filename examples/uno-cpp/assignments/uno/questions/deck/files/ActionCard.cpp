// ActionCard.cpp: the implementation of ActionCard.
//
// Name:
// Student ID:
// E-mail:

#include "ActionCard.h"

using namespace std;

ActionCard::ActionCard(Color color, Action action)
    : Card(color, Value::A), action(action)
{
}

Action ActionCard::getAction()
{
    return action;
}

void ActionCard::setAction(Action action)
{
    this->action = action;
}

bool ActionCard::match(Card* /* top */)
{
    // TODO: Return true if this card has the same color as the card that `top` points to, or if that is an action
    // card too and has the same action. Otherwise return false.
    //
    // Hints:
    // - Remove the signs /* and */ around the name of the parameter when you use it.
    // - Do not compare values: all of Skip, Reverse and Draw 2 have the value Value::A.
    // - dynamic_cast<ActionCard*>(top) is a pointer to the card if it is an action card, and nullptr if it is not.
    return false;
}

string ActionCard::toString()
{
    return "[" + COLORS[int(getColor())].substr(0, 1) + ACTIONS[int(action)] + "]";
}
