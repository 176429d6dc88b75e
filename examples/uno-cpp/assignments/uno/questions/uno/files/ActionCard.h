// ActionCard.h: the interface of ActionCard, the base class of all action cards.

#ifndef ACTIONCARD_H
#define ACTIONCARD_H

#include <string>
#include "Card.h"

enum class Action : int { Skip, Reverse, Draw2, Draw4, ChgColor };

class ActionCard : public Card {
private:
    Action action;

public:
    ActionCard(Color color, Value value, Action action);

    Action getAction() const;

    bool match(const Card& top) const override;  // by color or action
    std::string toString() const override;       // for example "[GD]"
};

#endif
