// Bot.cpp: the implementation of Bot.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "Bot.h"
#include <iostream>
#include "DiscardPile.h"

using namespace std;

Bot::Bot(int number)
    : Player(number, "Bot")
{
}

int Bot::pickCard(GameState& state)
{
    // Show the hand, hidden unless the game is in debug mode.
    if (state.debugMode) {
        cout << handToString() << endl;
    } else {
        for (int i = 0; i < handSize(); ++i)
            cout << (i > 0 ? " " : "") << "[Uno]";
        cout << endl;
    }

    // Pick the first card that matches.
    const Card& top = state.discardPile->top();
    for (int i = 0; i < handSize(); ++i)
        if (hand[i]->match(top))
            return i;
    if (state.drawPile->size() == 0)
        return PASSED;

    // Draw a card only if there is none; it must be played if it matches.
    drawCards(*state.drawPile, 1);
    if (state.debugMode)
        cout << "Drawn " << hand.back()->toString() << endl;
    return hand.back()->match(top) ? handSize() - 1 : DRAWN;
}
