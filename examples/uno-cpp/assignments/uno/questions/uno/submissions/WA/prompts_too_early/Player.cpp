// Broken: asks for a color before it prints which card was discarded.
// Player.cpp: the implementation of Player.
//
// Name: (solution)
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
    int points = 0;
    for (const Card* card : hand)
        points += int(card->getValue());
    return points;
}

Color Player::mostFrequentColor() const
{
    int counts[int(Color::Wild) + 1] = {};  // the number of cards of each color
    for (const Card* card : hand)
        ++counts[int(card->getColor())];

    // Only more cards make another color the most frequent one: among equals the first is kept.
    Color most = Color::Red;
    for (Color color : {Color::Yellow, Color::Green, Color::Blue})
        if (counts[int(color)] > counts[int(most)])
            most = color;
    return most;
}

void Player::playCard(int index, GameState& state)
{
    Card* card = hand[index];
    hand.erase(hand.begin() + index);
    state.discardPile->add(card);
    card->play(state);
    cout << "Discarded " << card->toString() << endl;
}
