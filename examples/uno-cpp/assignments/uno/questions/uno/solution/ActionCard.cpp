// ActionCard.cpp: the implementation of ActionCard.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "ActionCard.h"

using namespace std;

ActionCard::ActionCard(Color color, Value value, Action action)
    : Card(color, value), action(action)
{
}

Action ActionCard::getAction() const
{
    return action;
}

bool ActionCard::match(const Card& top) const
{
    if (getColor() == top.getColor())
        return true;

    // Actions are compared only with those of action cards: for a number card, the pointer is nullptr.
    const ActionCard* other = dynamic_cast<const ActionCard*>(&top);
    return other != nullptr && other->action == action;
}

string ActionCard::toString() const
{
    const string letters[] = {"S", "R", "D", "D", "C"};  // in the order of the Action values
    return "[" + colorName(getColor()).substr(0, 1) + letters[int(action)] + "]";
}
