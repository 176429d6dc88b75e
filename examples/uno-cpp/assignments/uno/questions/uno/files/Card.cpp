// Card.cpp: the implementation of Card.

#include "Card.h"

using namespace std;

string colorName(Color color)
{
    const string names[] = {"Red", "Yellow", "Green", "Blue", "Wild"};
    return names[int(color)];
}

Card::Card(Color color, Value value)
    : color(color), value(value)
{
}

Card::~Card()
{
}

Color Card::getColor() const
{
    return color;
}

void Card::setColor(Color color)
{
    this->color = color;
}

Value Card::getValue() const
{
    return value;
}

bool Card::match(const Card& top) const
{
    return color == top.color || value == top.value;
}

string Card::toString() const
{
    return "[" + colorName(color).substr(0, 1) + to_string(int(value)) + "]";
}

void Card::play(GameState& /* state */)
{
    // A number card has no effect. (The parameter has no name because it is not used.)
}
