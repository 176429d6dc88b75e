#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include "Bot.h"
#include "DiscardPile.h"
#include "DrawPile.h"
#include "Man.h"
#include "Uno.h"
using namespace std;

int main() {
    string line;
    cout << "Enter seed (or hit Enter): ";
    getline(cin, line);
    unsigned int seed = line.empty() ? 123 : stoul(line);
    cout << "Seed: " << seed << endl;
    srand(seed);

    cout << "Play in debug mode (Y/N)? ";
    getline(cin, line);
    bool debugMode = toupper(line[0]) == 'Y';
    cout << "Debug mode: " << boolalpha << debugMode << endl;

    cout << "Max. turns to play: ";
    getline(cin, line);
    int maxTurns = line.empty() ? 100 : stoi(line);
    cout << "Max. turns: " << maxTurns << endl;

    int men, bots;
    cout << "Enter # man and bot players: ";
    cin >> men >> bots;
    cout << "#Men: " << men << "; #Bots: " << bots << endl;

    int P = men + bots;
    Player** players = new Player*[P];
    for (int i = 0; i < P; i++) {
        if (i < men)
            players[i] = new Man();
        else
            players[i] = new Bot();
    }

    DrawPile drawPile;
    DiscardPile discardPile;
    if (debugMode) {
        cout << "Cards created:" << endl;
        drawPile.print();
    }
    drawPile.shuffle();
    for (int i = 0; i < P; i++)
        players[i]->drawCard(&drawPile, H);
    vector<Card*> first;
    drawPile.draw(first, 1);
    discardPile.stack(first[0]);
    if (debugMode) {
        cout << "Draw pile after shuffling and dealing:" << endl;
        drawPile.print();
    }

    bool turnSkipped = false;
    int cardsToDraw = 0, turn = 0, delta = 1, passes = 0;
    GameState uno = {players, &drawPile, &discardPile, &turnSkipped, &cardsToDraw, &turn, &delta, P, debugMode};
    for (int t = 1; t <= maxTurns; t++) {
        cout << string(57, '=') << endl << "Turn " << t << ":" << endl;
        cout << "Discard Pile: " << discardPile.top()->toString() << "  Current Color: " << left << setw(8)
             << COLORS[(int)discardPile.top()->getColor()] << "Draw Pile: " << drawPile.size() << endl << right;
        cout << string(57, '-') << endl;
        Player* p = players[turn];
        cout << p->getName() << ":" << endl;
        if (cardsToDraw > 0)
            p->drawCard(&drawPile, cardsToDraw);
        cardsToDraw = 0;
        if (turnSkipped) {
            turnSkipped = false;
            cout << "Turn skipped!" << endl;
        } else {
            int idx = p->pickCard(uno);
            if (idx == PASSED) {
                passes++;
                cout << "Turn passed!" << endl;
            } else {
                passes = 0;
                if (idx != DRAWN)
                    p->playCard(idx, uno);
            }
        }
        if (p->handSize() == 0 || passes >= P)
            break;
        turn = (turn + P + delta) % P;
    }

    cout << string(10, '*') << endl << "Game Over!" << endl << string(10, '*') << endl;
    int winner = 0;
    for (int i = 0; i < P; i++) {
        cout << players[i]->getName() << " owes " << setw(4) << players[i]->handPoints() << " point(s): ";
        players[i]->printHand(false);
        if (players[i]->handPoints() < players[winner]->handPoints())
            winner = i;
    }
    for (int i = 0; i < P; i++)
        if (players[i]->handSize() == 0)
            winner = i;
    cout << "The winner is " << players[winner]->getName() << "!" << endl;
    return 0;
}
