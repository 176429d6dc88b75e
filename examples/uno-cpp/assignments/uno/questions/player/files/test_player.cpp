// test_player.cpp: tests the class Player by itself. Its argument is the name of a test.
//
// So that Player can be tested before Deck is finished, this file defines a smaller Deck. Do not compile it together
// with Deck.cpp.

#include <iostream>
#include "DiscardPile.h"
#include "DrawPile.h"
#include "Player.h"

using namespace std;

Deck::Deck(bool fill)
{
    if (fill)
        for (Value value : {Value::N1, Value::N2, Value::N3})
            cards.push_back(new Card(Color::Green, value));
}

void Deck::shuffle()
{
}

void Deck::print()
{
}

// A player whose hand can be filled.
class TestPlayer : public Player {
public:
    int pickCard(GameState& /* uno */) override { return PASSED; }
    void take(Color color, Value value) { hand.push_back(new Card(color, value)); }
    void take(Card* card) { hand.push_back(card); }
};

// A card that says when it is played.
class LoudCard : public Card {
public:
    LoudCard(Color color, Value value) : Card(color, value) {}

    void play(GameState& uno) override
    {
        cout << "play() is called: " << toString() << " is played, " << uno.discardPile->top()->toString();
        cout << " is on top of the discard pile, " << uno.players[0]->handSize() << " card(s) are left in hand." << endl;
    }
};

int main(int argc, char* argv[])
{
    string test = argc > 1 ? argv[1] : "";
    TestPlayer player;
    DrawPile drawPile;
    DiscardPile discardPile;

    if (test == "points") {
        cout << "handPoints() of an empty hand: " << player.handPoints() << endl;
        player.take(Color::Red, Value::N7);
        cout << "with a 7: " << player.handPoints() << endl;
        player.take(Color::Red, Value::A);
        player.take(Color::Wild, Value::W);
        cout << "with an action card and a wild card too: " << player.handPoints() << endl;
    } else if (test == "color") {
        for (Color color : {Color::Red, Color::Blue, Color::Blue, Color::Green})
            player.take(color, Value::N1);
        cout << "mostFrequentColor(): " << COLORS[int(player.mostFrequentColor())] << endl;
    } else if (test == "equal-colors") {
        for (Color color : {Color::Green, Color::Yellow, Color::Green, Color::Yellow, Color::Red})
            player.take(color, Value::N1);
        cout << "mostFrequentColor(): " << COLORS[int(player.mostFrequentColor())] << endl;
    } else if (test == "wild-cards") {
        for (Color color : {Color::Wild, Color::Wild, Color::Blue})
            player.take(color, Value::W);
        cout << "mostFrequentColor(): " << COLORS[int(player.mostFrequentColor())] << endl;
    } else if (test == "draw") {
        for (int n : {2, 5, 1}) {  // there are three cards
            int drawn = player.drawCard(&drawPile, n);
            cout << "drawCard(..., " << n << ") returns " << drawn << endl;
            player.printHand(false);
        }
    } else if (test == "play") {
        player.take(Color::Red, Value::N1);
        player.take(new LoudCard(Color::Yellow, Value::N2));
        player.take(Color::Blue, Value::N3);
        Player* players[] = {&player};
        bool turnSkipped = false;
        int cardsToDraw = 0, turn = 0, delta = 1;
        GameState uno = {players, &drawPile, &discardPile, &turnSkipped, &cardsToDraw, &turn, &delta, 1, false};
        player.playCard(1, uno);
        player.printHand(false);
    } else {
        cout << "Give the name of a test: points, color, equal-colors, wild-cards, draw or play." << endl;
        return 1;
    }
    return 0;
}
