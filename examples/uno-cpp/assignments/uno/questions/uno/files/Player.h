// Player.h: the interface of Player, the abstract base class of bots and men.

#ifndef PLAYER_H
#define PLAYER_H

#include <string>
#include <vector>
#include "Card.h"
#include "DrawPile.h"
#include "Uno.h"

class Player {
private:
    std::string name;  // for example "Player 1 (Man)"

protected:
    std::vector<Card*> hand;

public:
    // number is 1 for the first player of the array; kind is "Man" or "Bot".
    Player(int number, const std::string& kind);

    // Deletes the cards that are still in hand.
    virtual ~Player();

    // A player cannot be copied: two players would delete the same cards.
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    const std::string& getName() const;
    int handSize() const;

    // The cards in hand as they are printed, a space between two of them: "[RD] [R5]". Empty if there are none.
    std::string handToString() const;

    // The sum of the points of all cards in hand.
    int handPoints() const;

    // The color (Red, Yellow, Green or Blue) that most cards in hand have; if several do, the first of them in this
    // order.
    Color mostFrequentColor() const;

    // Moves cards from the draw pile to the back of the hand: n, or as many as are left.
    void drawCards(DrawPile& drawPile, int n);

    // The index of the card in hand that the player wants to play, or PASSED, or DRAWN.
    virtual int pickCard(GameState& state) = 0;

    // Moves the card with this index from the hand to the discard pile, and plays it.
    void playCard(int index, GameState& state);
};

#endif
