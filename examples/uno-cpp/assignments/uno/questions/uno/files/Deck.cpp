// Deck.cpp: the implementation of Deck.
//
// Name:
// Student ID:
// E-mail:

#include "Deck.h"
#include <iostream>
#include "Draw2.h"
#include "Reverse.h"
#include "Skip.h"
#include "WildDraw4.h"

using namespace std;

Deck::Deck(bool fill)
{
    if (!fill)
        return;
    for (int c = int(Color::Red); c <= int(Color::Blue); ++c) {
        Color color = Color(c);
        for (int v = int(Value::N0); v <= int(Value::N9); ++v)
            cards.push_back(new Card(color, Value(v)));
        for (int i = 0; i < 2; ++i) {
            cards.push_back(new Reverse(color));
            cards.push_back(new Skip(color));
            cards.push_back(new Draw2(color));
        }
    }
    for (int i = 0; i < 4; ++i) {
        cards.push_back(new WildCard());
        cards.push_back(new WildDraw4());
    }
}

Deck::~Deck()
{
    for (Card* card : cards)
        delete card;
}

int Deck::size() const
{
    return int(cards.size());
}

void Deck::print() const
{
    // TODO: Print all cards of the deck, from the front of the vector to its back, each with its value: the card's
    // toString(), the sign =, and its getValue() as an integer, for example [R6]=6. Print one space between two
    // cards and at most 10 cards per line; there is no space at the end of a line. The last line ends with a
    // newline, too.
}
