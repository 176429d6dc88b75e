// ActionCard.h: the interface of ActionCard, the base class of all action cards.

#ifndef ACTIONCARD_H
#define ACTIONCARD_H

#include <string>
#include "Card.h"

enum class Action : int { Skip, Reverse, Draw2, Draw4, ChgColor };

// The letters by which the actions are printed, in the order of the Action values.
const std::string ACTIONS[5] = {"S", "R", "D", "D", "C"};

class ActionCard : public Card {
private:
    Action action;

public:
    // The value is Value::A. Wild cards set theirs to Value::W.
    ActionCard(Color color, Action action);

    Action getAction();
    void setAction(Action action);

    bool match(Card* top) override;    // by color or action
    std::string toString() override;   // for example "[GD]"
};

#endif
