// Written from the rules alone, as a student might: a whole program against the interfaces handed out.
#include "ActionCard.h"
using namespace std;

ActionCard::ActionCard(Color c, Action a) : Card(c, Value::A), action(a) {}

Action ActionCard::getAction() { return action; }
void ActionCard::setAction(Action a) { action = a; }

bool ActionCard::match(Card* top) {
    if (getValue() == Value::W || getColor() == top->getColor())
        return true;
    ActionCard* a = dynamic_cast<ActionCard*>(top);
    if (a)
        return a->getAction() == action;
    return false;
}

string ActionCard::toString() {
    string s = "[";
    if (action == Action::ChgColor || action == Action::Draw4)
        s += "W";
    else
        s += COLORS[(int)getColor()][0];
    s += ACTIONS[(int)action][0];
    return s + "]";
}
