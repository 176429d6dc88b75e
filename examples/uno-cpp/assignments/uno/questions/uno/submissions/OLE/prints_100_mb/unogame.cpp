// Broken: prints the header of each turn millions of times.
// unogame.cpp: the game client.
//
// Name: (solution)
// Student ID:
// E-mail:
//
// If there is a file deck.txt, the cards are dealt in the order that it gives: each player's hand, the first discard,
// the draw pile. Otherwise the seed decides.

#include <cctype>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#include "Bot.h"
#include "DiscardPile.h"
#include "DrawPile.h"
#include "Man.h"
#include "Uno.h"

using namespace std;

const int MIN_PLAYERS = 2;
const int MAX_PLAYERS = 5;
const string INVALID = "Invalid option!";

// What the user is asked before the game.
struct Settings {
    unsigned int seed;
    bool debugMode;
    int maxTurns;
    int men;
    int bots;
};

// Print a prompt and read a line of input. (Done for you!)
string readLine(const string& prompt)
{
    string line;
    cout << prompt;
    if (!getline(cin, line))
        throw runtime_error("The input ended before the game did.");
    return line;
}

// Ask for a whole number until one in the given range is entered. An empty line gives the usual number. (Done for
// you!)
long long askNumber(const string& prompt, long long usual, long long least, long long most)
{
    while (true) {
        istringstream line(readLine(prompt));
        long long number;
        string more;
        if (!(line >> ws) || line.eof())
            return usual;
        if (line >> number && !(line >> more) && number >= least && number <= most)
            return number;
        cout << INVALID << endl;
    }
}

// Ask until Y or N is entered. (Done for you!)
bool askYesNo(const string& prompt)
{
    while (true) {
        istringstream line(readLine(prompt));
        string answer, more;
        if (line >> answer && !(line >> more) && answer.size() == 1) {
            char letter = char(toupper(static_cast<unsigned char>(answer[0])));
            if (letter == 'Y' || letter == 'N')
                return letter == 'Y';
        }
        cout << INVALID << endl;
    }
}

// Ask for the numbers of men and bots until they make a game. (Done for you!)
void askPlayers(const string& prompt, int& men, int& bots)
{
    while (true) {
        istringstream line(readLine(prompt));
        string more;
        bool isPair = line >> men >> bots && !(line >> more);
        if (isPair && men >= 0 && men <= MAX_PLAYERS && bots >= 0 && bots <= MAX_PLAYERS
            && men + bots >= MIN_PLAYERS && men + bots <= MAX_PLAYERS)
            return;
        cout << INVALID << endl;
    }
}

// Ask for everything that is to be known before the game. (Done for you!)
Settings askSettings()
{
    Settings settings;
    settings.seed = static_cast<unsigned int>(askNumber("Enter seed (or hit Enter): ", 123, 0, 4294967295));
    cout << "Seed: " << settings.seed << endl;
    settings.debugMode = askYesNo("Play in debug mode (Y/N)? ");
    cout << "Debug mode: " << boolalpha << settings.debugMode << endl;
    settings.maxTurns = int(askNumber("Max. turns to play: ", 100, 1, 2147483647));
    cout << "Max. turns: " << settings.maxTurns << endl;
    askPlayers("Enter # man and bot players: ", settings.men, settings.bots);
    cout << "#Men: " << settings.men << "; #Bots: " << settings.bots << endl;
    return settings;
}

// Print what lies on the table at the beginning of a turn.
void printHeader(int turnNumber, Card* top, int drawPileSize)
{
    const int width = 57;
    cout << string(width, '=') << endl;
    cout << "Turn " << turnNumber << ":" << endl;
    cout << "Discard Pile: " << top->toString();
    cout << "  Current Color: " << left << setw(8) << COLORS[int(top->getColor())] << right;
    cout << "Draw Pile: " << drawPileSize << endl;
    cout << string(width, '-') << endl;
}

// The index of the player whose hand is empty, or else of the first one with the fewest points.
int findWinner(Player* players[], int P)
{
    int winner = 0;
    for (int i = 0; i < P; ++i) {
        if (players[i]->handSize() == 0)
            return i;
        if (players[i]->handPoints() < players[winner]->handPoints())
            winner = i;
    }
    return winner;
}

// Play one game.
void playGame()
{
    // 1. Ask the user for the settings. (Done for you!)
    Settings settings = askSettings();

    // 2. Create the players: men first. (Done for you!)
    int P = settings.men + settings.bots;
    Player* players[MAX_PLAYERS];
    for (int i = 0; i < P; ++i) {
        if (i < settings.men)
            players[i] = new Man();
        else
            players[i] = new Bot();
    }

    // 3. Define the variables that track the state of the game. (Done for you!)
    DrawPile drawPile;
    DiscardPile discardPile;
    bool turnSkipped = false;
    int cardsToDraw = 0;
    int turn = 0;
    int delta = 1;
    GameState uno = {players, &drawPile, &discardPile, &turnSkipped, &cardsToDraw, &turn, &delta, P,
                     settings.debugMode};

    // 4. Shuffle the deck and deal H cards to each player. (Done for you!)
    if (settings.debugMode) {
        cout << "Cards created:" << endl;
        drawPile.print();
    }
    srand(settings.seed);
    drawPile.shuffle();
    for (int i = 0; i < P; ++i)
        players[i]->drawCard(&drawPile, H);

    // 5. Draw the first card onto the discard pile. It has no effect on anybody. (Done for you!)
    vector<Card*> first;
    drawPile.draw(first);
    discardPile.stack(first[0]);
    if (settings.debugMode) {
        cout << "Draw pile after shuffling and dealing:" << endl;
        drawPile.print();
    }

    // 6. The game loop.
    int passes = 0;  // so many players have passed their turns one after the other
    for (int turnNumber = 1; ; ++turnNumber) {
        for (int i = 0; i < 600000; ++i)
            printHeader(turnNumber, discardPile.top(), drawPile.size());
        Player* player = players[turn];
        cout << player->getName() << ":" << endl;

        // The card that was played last may have its effect now. It is noted before this player's card has its own.
        bool skips = turnSkipped;
        int penalty = cardsToDraw;
        turnSkipped = false;
        cardsToDraw = 0;

        if (penalty > 0)
            player->drawCard(&drawPile, penalty);
        if (skips) {
            cout << "Turn skipped!" << endl;
        } else {
            int index = player->pickCard(uno);
            passes = index == PASSED ? passes + 1 : 0;
            if (index == PASSED)
                cout << "Turn passed!" << endl;
            else if (index != DRAWN)
                player->playCard(index, uno);
        }

        if (player->handSize() == 0 || passes == P || turnNumber == settings.maxTurns)
            break;
        turn = (turn + delta + P) % P;
    }

    // 7. The game over message.
    const string stars(10, '*');
    cout << stars << endl << "Game Over!" << endl << stars << endl;

    // 8. List the points and the hands of all players.
    for (int i = 0; i < P; ++i) {
        cout << players[i]->getName() << " owes " << setw(4) << players[i]->handPoints() << " point(s): ";
        players[i]->printHand(false);
    }

    // 9. Print the name of the winner.
    cout << "The winner is " << players[findWinner(players, P)]->getName() << "!" << endl;

    // 10. Delete the players. (Done for you!)
    for (int i = 0; i < P; ++i)
        delete players[i];
}

int main()
{
    try {
        playGame();
        return 0;
    }
    catch (const runtime_error& error) {
        cout << endl;
        cerr << error.what() << endl;
        return 1;
    }
}
