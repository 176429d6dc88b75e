#include "Deck.h"
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <random>
#include "Draw2.h"
#include "Reverse.h"
#include "Skip.h"
#include "WildCard.h"
#include "WildDraw4.h"
using namespace std;

Deck::Deck(bool fill) {
    if (fill) {
        for (int c = 0; c < 4; c++) {
            for (int v = 0; v <= 9; v++)
                cards.push_back(new Card((Color)c, (Value)v));
            for (int k = 0; k < 2; k++) {
                cards.push_back(new Reverse((Color)c));
                cards.push_back(new Skip((Color)c));
                cards.push_back(new Draw2((Color)c));
            }
        }
        for (int k = 0; k < 4; k++) {
            cards.push_back(new WildCard);
            cards.push_back(new WildDraw4);
        }
    }
}

void Deck::shuffle() { std::shuffle(cards.begin(), cards.end(), default_random_engine(rand())); }

void Deck::print() {
    for (int i = 0; i < cards.size(); i++) {
        cout << cards[i]->toString() << "=" << setw(2) << left << (int)cards[i]->getValue() << " ";
        if (i % 10 == 9)
            cout << endl;
    }
    if (cards.size() % 10 != 0)
        cout << endl;
    cout << right;
}
