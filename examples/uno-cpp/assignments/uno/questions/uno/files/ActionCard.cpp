// ActionCard.cpp: the implementation of ActionCard.
//
// Name:
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

bool ActionCard::match(const Card& /* top */) const
{
    // TODO: Return true if this card has the same color as the card `top`, or if `top` is an action card too and
    // has the same action. Otherwise return false.
    //
    // Hints:
    // - Remove the signs /* and */ around the name of the parameter when you use it. (A parameter without a name
    //   gives no warning that it is unused.)
    // - Do not compare values: all of Skip, Reverse and Draw 2 have the value Value::A.
    // - dynamic_cast<const ActionCard*>(&top) is a pointer to `top` if `top` is an action card, and nullptr if it
    //   is not.
    return false;
}

string ActionCard::toString() const
{
    const string letters[] = {"S", "R", "D", "D", "C"};  // in the order of the Action values
    return "[" + colorName(getColor()).substr(0, 1) + letters[int(action)] + "]";
}
