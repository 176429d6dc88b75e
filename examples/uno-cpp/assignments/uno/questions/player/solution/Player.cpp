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
    int counts[int(Color::Wild) + 1] = {};  // the number of cards of each color
    for (Card* card : hand)
        ++counts[int(card->getColor())];

    // Only more cards make another color the most frequent one: among equals the first is kept.
    Color most = Color::Red;
    for (Color color : {Color::Yellow, Color::Green, Color::Blue})
        if (counts[int(color)] > counts[int(most)])
            most = color;
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
