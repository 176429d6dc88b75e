// Card.h: the interface of Card, which models a number card and is the base class of all other cards.

#ifndef CARD_H
#define CARD_H

#include <string>
#include "Uno.h"

enum class Color : int { Red, Yellow, Green, Blue, Wild };
enum class Value : int { N0, N1, N2, N3, N4, N5, N6, N7, N8, N9, A = 20, W = 50 };

// The names of the colors, in the order of the Color values.
const std::string COLORS[5] = {"Red", "Yellow", "Green", "Blue", "Wild"};

class Card {
private:
    Color color;
    Value value;

public:
    Card(Color color, Value value);
    virtual ~Card() = default;

    Color getColor() const;
    Value getValue() const;  // int(card->getValue()) is the number of points
    void setColor(Color color);
    void setValue(Value value);

    // Can this card be played on the given top card of the discard pile?
    virtual bool match(Card* top);

    // What happens when the card is played. A number card does nothing; other cards change the state of the game.
    virtual void play(GameState& uno);

    // The card as it is printed, for example "[R6]".
    virtual std::string toString();
};

#endif
