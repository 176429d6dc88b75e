#include "Bot.h"
#include <iostream>
#include "DiscardPile.h"
#include "DrawPile.h"
using namespace std;

Bot::Bot() { name += " (Bot)"; }

int Bot::pickCard(GameState& uno) {
    printHand(!uno.debugMode);
    Card* top = uno.discardPile->top();
    for (int i = 0; i < hand.size(); i++)
        if (hand[i]->match(top))
            return i;
    if (uno.drawPile->size() == 0)
        return PASSED;
    drawCard(uno.drawPile);
    int last = handSize() - 1;
    if (uno.debugMode)
        cout << "Drawn " << hand[last]->toString() << endl;
    if (hand[last]->match(top))
        return last;
    return DRAWN;
}
