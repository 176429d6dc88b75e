// Card.cpp: the implementation of Card.

#include "Card.h"

using namespace std;

Card::Card(Color color, Value value)
    : color(color), value(value)
{
}

Color Card::getColor() const
{
    return color;
}

Value Card::getValue() const
{
    return value;
}

void Card::setColor(Color color)
{
    this->color = color;
}

void Card::setValue(Value value)
{
    this->value = value;
}

bool Card::match(Card* top)
{
    return color == top->color || value == top->value;
}

void Card::play(GameState& /* uno */)
{
    // A number card has no effect. (The parameter has no name because it is not used.)
}

string Card::toString()
{
    return "[" + COLORS[int(color)].substr(0, 1) + to_string(int(value)) + "]";
}
