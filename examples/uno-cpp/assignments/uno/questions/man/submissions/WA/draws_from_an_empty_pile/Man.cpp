// Broken: a man can choose to draw when there are no cards left.
// Man.cpp: the implementation of Man.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "Man.h"
#include <iomanip>
#include <iostream>
#include <stdexcept>

using namespace std;

namespace {

// Print the hand with an index before each card that matches the top card. Return whether there is any.
bool printOptions(const vector<Card*>& hand, Card* top)
{
    const int perLine = 10;
    bool anyMatch = false;
    for (int i = 0; i < int(hand.size()); ++i) {
        bool matches = hand[i]->match(top);
        anyMatch = anyMatch || matches;
        cout << setw(4) << (matches ? "[" + to_string(i) + "]" : "[x]") << hand[i]->toString() << " ";
        if ((i + 1) % perLine == 0)
            cout << endl;
    }
    return anyMatch;
}

}

Man::Man()
{
    setName(getName() + " (Man)");
}

int Man::pickCard(GameState& uno)
{
    // Show the options; without any, the turn is passed.
    Card* top = uno.discardPile->top();
    bool anyMatch = printOptions(hand, top);
    bool canDraw = uno.drawPile->size() > 0;
    cout << (canDraw ? " [D]raw" : "") << endl;
    if (!anyMatch && !canDraw)
        return PASSED;

    string option;
    while (true) {
        cout << "Enter option: ";
        if (!(cin >> option))
            throw runtime_error("The input ended before the game did.");

        // The index of a card that can be played? Comparing texts needs no conversion, which could fail.
        for (int i = 0; i < handSize(); ++i)
            if (option == to_string(i) && hand[i]->match(top))
                return i;

        // A card that was drawn must be played if it matches.
        if (option == "D" || option == "d") {
            drawCard(uno.drawPile);
            cout << "Drawn " << hand.back()->toString() << endl;
            return hand.back()->match(top) ? handSize() - 1 : DRAWN;
        }
        cout << "Invalid option!" << endl;
    }
}
