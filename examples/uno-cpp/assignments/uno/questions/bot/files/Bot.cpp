// Bot.cpp: the implementation of Bot.
//
// Name:
// Student ID:
// E-mail:

#include "Bot.h"
#include <iostream>

using namespace std;

Bot::Bot()
{
    setName(getName() + " (Bot)");
}

// TODO: Define the method pickCard():
// 1. Print the hand in one line; printHand() does it. The cards are flipped unless the game is in debug mode.
// 2. Return the index of the first card in hand that matches the top card of the discard pile.
// 3. If there is none and the draw pile is empty, return PASSED.
// 4. Otherwise draw one card; drawCard() does it and prints how many cards were drawn. The new card is at the back
//    of the hand. In debug mode, also print "Drawn [XX]", where [XX] is the card.
// 5. If the card that was drawn matches, return its index. Otherwise return DRAWN.
