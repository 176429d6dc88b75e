// Broken: cards with the same points match.
// ActionCard.cpp: the implementation of ActionCard.
//
// Name: (solution)
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

bool ActionCard::match(Card* top)
{
    if (getColor() == top->getColor())
        return true;

    return getValue() == top->getValue();
}

string ActionCard::toString()
{
    return "[" + COLORS[int(getColor())].substr(0, 1) + ACTIONS[int(action)] + "]";
}
