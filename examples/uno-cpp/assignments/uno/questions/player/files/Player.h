// Player.h: the interface of Player, the abstract base class of bots and men.

#ifndef PLAYER_H
#define PLAYER_H

#include <string>
#include <vector>
#include "Card.h"
#include "DiscardPile.h"
#include "DrawPile.h"
#include "Uno.h"

const int H = 7;  // number of cards that are dealt to each player

class Player {
public:
    static int count;  // number of players created so far

    // Names the player: "Player 1" is the first one created.
    Player();
    virtual ~Player() = default;

    std::string getName() const;
    void setName(std::string name);

    // Prints the hand in one line, with a space after each card. A flipped card is printed as "[Uno]".
    void printHand(bool flipped = true);

    // The color (Red, Yellow, Green or Blue) that most cards in hand have; if several do, the first of them in this
    // order.
    Color mostFrequentColor();

    int handSize() const;

    // The sum of the points of all cards in hand.
    int handPoints() const;

    // Moves cards from the draw pile to the back of the hand: n, or as many as are left. Prints and returns how many.
    int drawCard(DrawPile* drawPile, int n = 1);

    // The index of the card in hand that the player wants to play, or PASSED, or DRAWN.
    virtual int pickCard(GameState& uno) = 0;

    // Moves the card with this index from the hand to the discard pile, and plays it.
    virtual void playCard(int idx, GameState& uno);

protected:
    std::string name;  // for example "Player 1 (Man)"
    std::vector<Card*> hand;
};

#endif
