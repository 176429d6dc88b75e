// Right: counts the colors in another way.
// Player.cpp: the implementation of Player.
//
// Name: (solution)
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
    int points = 0;
    for (Card* card : hand)
        points += int(card->getValue());
    return points;
}

Color Player::mostFrequentColor()
{
    Color most = Color::Red;
    int highest = 0;
    for (int c = int(Color::Red); c <= int(Color::Blue); ++c) {
        int count = 0;
        for (Card* card : hand)
            if (card->getColor() == Color(c))
                ++count;
        if (count > highest) {
            highest = count;
            most = Color(c);
        }
    }
    return most;
}

int Player::drawCard(DrawPile* drawPile, int n)
{
    int drawn = drawPile->draw(hand, n);
    if (drawn == 0)
        cout << "No more cards on draw pile!" << endl;
    else
        cout << name << " drawn " << drawn << " card(s)." << endl;
    return drawn;
}

void Player::playCard(int idx, GameState& uno)
{
    Card* card = hand[idx];
    hand.erase(hand.begin() + idx);
    uno.discardPile->stack(card);
    cout << "Discarded " << card->toString() << endl;
    card->play(uno);
}
