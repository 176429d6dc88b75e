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

    // Actions are compared only with those of action cards: for a number card, the pointer is nullptr.
    ActionCard* other = dynamic_cast<ActionCard*>(top);
    return other != nullptr && other->action == action;
}

string ActionCard::toString()
{
    return "[" + COLORS[int(getColor())].substr(0, 1) + ACTIONS[int(action)] + "]";
}
