// Broken: the bot passes instead of drawing a card.
// Bot.cpp: the implementation of Bot.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "Bot.h"
#include <iostream>

using namespace std;

Bot::Bot()
{
    setName(getName() + " (Bot)");
}

int Bot::pickCard(GameState& uno)
{
    // Show the hand, hidden unless the game is in debug mode.
    printHand(!uno.debugMode);

    // Pick the first card that matches.
    Card* top = uno.discardPile->top();
    for (int i = 0; i < handSize(); ++i)
        if (hand[i]->match(top))
            return i;
    if (uno.drawPile->size() >= 0)
        return PASSED;

    // Draw a card only if there is none; it must be played if it matches.
    drawCard(uno.drawPile);
    if (uno.debugMode)
        cout << "Drawn " << hand.back()->toString() << endl;
    return hand.back()->match(top) ? handSize() - 1 : DRAWN;
}
