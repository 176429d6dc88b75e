// Player.cpp: the implementation of Player.
//
// Name:
// Student ID:
// E-mail:

#include "Player.h"
#include <iostream>
#include "DiscardPile.h"

using namespace std;

Player::Player(int number, const string& kind)
    : name("Player " + to_string(number) + " (" + kind + ")")
{
}

Player::~Player()
{
    for (Card* card : hand)
        delete card;
}

const string& Player::getName() const
{
    return name;
}

int Player::handSize() const
{
    return int(hand.size());
}

string Player::handToString() const
{
    string text;
    for (const Card* card : hand)
        text += (text.empty() ? "" : " ") + card->toString();
    return text;
}

void Player::drawCards(DrawPile& drawPile, int n)
{
    int drawn = 0;
    while (drawn < n && drawPile.size() > 0) {
        hand.push_back(drawPile.draw());
        ++drawn;
    }
    if (drawn < n)
        cout << "No more cards on draw pile!" << endl;
    cout << name << " drawn " << drawn << " card(s)." << endl;
}

int Player::handPoints() const
{
    // TODO: Return the sum of the points of all cards in hand. int(card->getValue()) is the number of points of a
    // card.
    return 0;
}

Color Player::mostFrequentColor() const
{
    // TODO: Return the color that most cards in hand have. Count the colors Red, Yellow, Green and Blue only; wild
    // cards do not count. If several colors are equally frequent, return the first of them in this order. (So it is
    // Red for a hand without any colored card.)
    return Color::Red;
}

void Player::playCard(int /* index */, GameState& /* state */)
{
    // TODO: Play the card at this index of the hand:
    // 1. Erase it from the hand. The other cards keep their order.
    // 2. Put it on top of the discard pile (state.discardPile).
    // 3. Print, for example, "Discarded [R6]".
    // 4. Call the card's method play(), which does what this kind of card does.
}
