// Card.h: the interface of Card, which models a number card and is the base class of all other cards.

#ifndef CARD_H
#define CARD_H

#include <string>
#include "Uno.h"

enum class Color : int { Red, Yellow, Green, Blue, Wild };
enum class Value : int { N0, N1, N2, N3, N4, N5, N6, N7, N8, N9, A = 20, W = 50 };

// The name of a color, for example "Red".
std::string colorName(Color color);

class Card {
private:
    Color color;
    Value value;

public:
    Card(Color color, Value value);
    virtual ~Card();

    Color getColor() const;
    void setColor(Color color);
    Value getValue() const;  // int(card.getValue()) is the number of points

    // Can this card be played on the given top card of the discard pile?
    virtual bool match(const Card& top) const;

    // The card as it is printed, for example "[R6]".
    virtual std::string toString() const;

    // What happens when the card is played. A number card does nothing; other cards change the state of the game.
    virtual void play(GameState& state);
};

#endif
