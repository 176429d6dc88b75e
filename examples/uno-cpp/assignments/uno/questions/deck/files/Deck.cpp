// Deck.cpp: the implementation of Deck.
//
// Name:
// Student ID:
// E-mail:

#include "Deck.h"
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <utility>
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

void Deck::shuffle()
{
    for (int i = int(cards.size()) - 1; i > 0; --i)
        swap(cards[i], cards[rand() % (i + 1)]);
}

void Deck::print()
{
    // TODO: Print all cards of the deck, from the front of the vector to its back, each with its value: the card's
    // toString(), the sign =, its getValue() as an integer, left-aligned in 2 characters, and a space. Print at most
    // 10 cards per line:
    //     [R0]=0  [R1]=1  [R2]=2  [RR]=20 [RS]=20
    // The last line ends with a newline, too.
}
