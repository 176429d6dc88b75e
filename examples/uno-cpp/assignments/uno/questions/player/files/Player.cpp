// Player.cpp: the implementation of Player.
//
// Name:
// Student ID:
// E-mail:

#include "Player.h"
#include <iostream>
#include "DiscardPile.h"
#include "DrawPile.h"

using namespace std;

int Player::count = 0;

Player::Player()
    : name("Player " + to_string(++count))
{
}

string Player::getName() const
{
    return name;
}

void Player::setName(string name)
{
    this->name = name;
}

void Player::printHand(bool flipped)
{
    for (Card* card : hand)
        cout << (flipped ? "[Uno]" : card->toString()) << " ";
    cout << endl;
}

int Player::handSize() const
{
    return int(hand.size());
}

int Player::handPoints() const
{
    // TODO: Return the sum of the points of all cards in hand. int(card->getValue()) is the number of points of a
    // card.
    return 0;
}

Color Player::mostFrequentColor()
{
    // TODO: Return the color that most cards in hand have. Count the colors Red, Yellow, Green and Blue only; wild
    // cards do not count. If several colors are equally frequent, return the first of them in this order. (So it is
    // Red for a hand without any colored card.)
    return Color::Red;
}

int Player::drawCard(DrawPile* /* drawPile */, int /* n */)
{
    // TODO: Draw n cards from the draw pile, or as many as are left: DrawPile::draw() moves them to the back of the
    // hand. Print "No more cards on draw pile!" if there is none, and otherwise how many were really drawn, for
    // example "Player 1 (Man) drawn 3 card(s).". Return that number.
    return 0;
}

void Player::playCard(int /* idx */, GameState& /* uno */)
{
    // TODO: Play the card at this index of the hand:
    // 1. Erase it from the hand. The other cards keep their order.
    // 2. Put it on top of the discard pile (uno.discardPile).
    // 3. Print, for example, "Discarded [R6]".
    // 4. Call the card's method play(), which does what this kind of card does.
}
