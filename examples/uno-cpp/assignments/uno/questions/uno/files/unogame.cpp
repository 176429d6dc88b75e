// unogame.cpp: the game client.
//
// Name:
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

    // 6. TODO: Write the game loop. In each turn:
    //    a. Print the turn header: a line of 57 signs =, then for example
    //           Turn 4:
    //           Discard Pile: [RD]  Current Color: Red     Draw Pile: 48
    //       and a line of 57 signs -. There are two spaces after the card. The name of the color (that of the top
    //       card, see COLORS in Card.h) is padded with spaces to 8 characters.
    //    b. Use the variable turn to get a pointer to the current player.
    //    c. Print the name of the player and a colon: "Player 1 (Bot):".
    //    d. If cardsToDraw > 0, the current player draws so many cards.
    //    e. If turnSkipped is true, print "Turn skipped!".
    //    f. Otherwise call pickCard().
    //    g. If pickCard() returned an index, call playCard(). If it returned PASSED, print "Turn passed!".
    //    h. Leave the loop if the player's hand is empty, if all P players have passed their turns one after the
    //       other, or if the maximum number of turns has been played.
    //    i. Reset cardsToDraw and turnSkipped for the next turn. Take care not to lose what a card has just set for
    //       the next player: do so when steps d and e have used them, before step g.
    //    j. Update turn, so that the next player becomes the current one: use delta, in both directions round the
    //       table.
    (void) uno;  // Remove this line when you use the variable.
    throw runtime_error("The game loop in unogame.cpp is still missing.\n"
                        "Search for \"TODO:\" in these files: ActionCard.cpp Deck.cpp Player.cpp Reverse.h "
                        "Reverse.cpp WildCard.cpp Bot.h Bot.cpp Man.cpp unogame.cpp");  // Remove this, too.

    // 7. TODO: Print the game over message: a line of 10 signs *, a line "Game Over!", and a line of 10 signs *.

    // 8. TODO: List the points and the hands of all players. The points are right-aligned in 4 characters; after the
    //    colon and a space comes the hand, not flipped:
    //        Player 1 (Bot) owes   25 point(s): [RD] [R5]

    // 9. TODO: Print the name of the winner: "The winner is Player 3 (Bot)!". It is the player whose hand is empty.
    //    If there is none, it is the player with the fewest points; the first of them in the array if there are
    //    several.

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
