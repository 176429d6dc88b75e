// Uno.h: the constants and the structure that all parts of the game share.

#ifndef UNO_H
#define UNO_H

class Player;
class DrawPile;
class DiscardPile;

// What pickCard() returns instead of an index when the player plays no card in this turn:
const int PASSED = -1;  // no card in hand matches, and the draw pile is empty
const int DRAWN = -2;   // the player has drawn a card, and it does not match

// The state of the game. The pointers lead to the variables of the game client (unogame.cpp), so that a card can
// change them when it is played: a Reverse card, for example, changes *uno.delta.
struct GameState {
    Player** players;          // array of P pointers to the players
    DrawPile* drawPile;
    DiscardPile* discardPile;
    bool* turnSkipped;         // must the next player skip his/her turn?
    int* cardsToDraw;          // number of cards that the next player must draw
    int* turn;                 // index of the current player in the array
    int* delta;                // 1: the turn goes to the next player of the array; -1: to the one before
    int P;                     // number of players
    bool debugMode;            // are the hands of bots shown?
};

#endif
