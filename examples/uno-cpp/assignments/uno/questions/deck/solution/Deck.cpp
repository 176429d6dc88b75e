// Deck.cpp: the implementation of Deck.
//
// Name: (solution)
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
    const int perLine = 10;
    int printed = 0;
    for (Card* card : cards) {
        cout << card->toString() << "=" << left << setw(2) << int(card->getValue()) << right << " ";
        ++printed;
        if (printed % perLine == 0 || printed == int(cards.size()))
            cout << endl;
    }
}
