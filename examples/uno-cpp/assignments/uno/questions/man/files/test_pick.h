// test_pick.h: a smaller Deck and Player, so that Bot and Man can be tested before those classes are finished. Do not
// compile a test that includes this file together with Deck.cpp or Player.cpp.

#ifndef TEST_PICK_H
#define TEST_PICK_H

#include <iostream>
#include <vector>
#include "DiscardPile.h"
#include "DrawPile.h"
#include "Player.h"

inline std::vector<Card*> toDraw;  // the cards of a draw pile that is created

Deck::Deck(bool fill)
{
    if (fill)
        cards = toDraw;
}

void Deck::shuffle()
{
}

void Deck::print()
{
}

Player::Player()
    : name("Player 1")
{
}

std::string Player::getName() const
{
    return name;
}

void Player::setName(std::string name)
{
    this->name = name;
}

void Player::printHand(bool flipped)
{
    for (Card* card : hand)
        std::cout << (flipped ? "[Uno]" : card->toString()) << " ";
    std::cout << std::endl;
}

int Player::handSize() const
{
    return int(hand.size());
}

int Player::drawCard(DrawPile* drawPile, int n)
{
    std::cout << "drawCard() is called for " << n << " card(s)." << std::endl;
    return drawPile->draw(hand, n);
}

void Player::playCard(int /* idx */, GameState& /* uno */)
{
}

// A bot or a man whose hand can be filled.
template <class Kind>
class Tested : public Kind {
public:
    void take(const std::vector<Card*>& cards) { this->hand = cards; }
};

// Let a player pick a card on the given top card, and print what pickCard() returns.
template <class Kind>
void pick(const std::vector<Card*>& hand, Card* top, bool debugMode = false)
{
    Tested<Kind> player;
    player.take(hand);
    Player* players[] = {&player};
    DrawPile drawPile;
    DiscardPile discardPile;
    discardPile.stack(top);
    bool turnSkipped = false;
    int cardsToDraw = 0, turn = 0, delta = 1;
    GameState uno = {players, &drawPile, &discardPile, &turnSkipped, &cardsToDraw, &turn, &delta, 1, debugMode};

    std::cout << player.getName() << " picks a card on " << top->toString() << ":" << std::endl;
    int picked = player.pickCard(uno);
    std::cout << "pickCard() returns ";
    if (picked == PASSED)
        std::cout << "PASSED" << std::endl;
    else if (picked == DRAWN)
        std::cout << "DRAWN" << std::endl;
    else
        std::cout << picked << std::endl;
    std::cout << "Cards in hand: " << player.handSize() << std::endl;
}

inline Card* card(Color color, int number)
{
    return new Card(color, Value(number));
}

#endif
