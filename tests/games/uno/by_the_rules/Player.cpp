#include "Player.h"
#include <iostream>
#include "DiscardPile.h"
#include "DrawPile.h"
using namespace std;

int Player::count = 0;

Player::Player() {
    count++;
    name = "Player " + to_string(count);
}

string Player::getName() const { return name; }
void Player::setName(string n) { name = n; }

void Player::printHand(bool flipped) {
    for (int i = 0; i < hand.size(); i++) {
        if (flipped)
            cout << "[Uno] ";
        else
            cout << hand[i]->toString() << " ";
    }
    cout << endl;
}

Color Player::mostFrequentColor() {
    int n[5] = {0};
    for (int i = 0; i < hand.size(); i++)
        n[(int)hand[i]->getColor()]++;
    int best = 0;
    for (int c = 1; c < 4; c++)
        if (n[c] > n[best])
            best = c;
    return (Color)best;
}

int Player::handSize() const { return hand.size(); }

int Player::handPoints() const {
    int sum = 0;
    for (int i = 0; i < hand.size(); i++)
        sum += (int)hand[i]->getValue();
    return sum;
}

int Player::drawCard(DrawPile* pile, int n) {
    if (pile->size() == 0) {
        cout << "No more cards on draw pile!" << endl;
        return 0;
    }
    int drawn = pile->draw(hand, n);
    cout << name << " drawn " << drawn << " card(s)." << endl;
    return drawn;
}

void Player::playCard(int idx, GameState& uno) {
    Card* card = hand.at(idx);
    cout << "Discarded " << card->toString() << endl;
    hand.erase(hand.begin() + idx);
    uno.discardPile->stack(card);
    card->play(uno);
}
