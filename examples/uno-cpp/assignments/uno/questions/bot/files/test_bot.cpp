// test_bot.cpp: tests the class Bot by itself. Its argument is the name of a test.

#include "test_pick.h"
#include "Bot.h"

using namespace std;

int main(int argc, char* argv[])
{
    string test = argc > 1 ? argv[1] : "";
    vector<Card*> hand = {card(Color::Red, 1), card(Color::Blue, 2), card(Color::Green, 3)};

    if (test == "first-match") {
        toDraw = {card(Color::Green, 9)};
        pick<Bot>({card(Color::Red, 1), card(Color::Blue, 7), card(Color::Green, 2)}, card(Color::Blue, 2));
    } else if (test == "drawn-card-matches") {
        toDraw = {card(Color::Yellow, 8), card(Color::Green, 9)};
        pick<Bot>(hand, card(Color::Yellow, 5));
    } else if (test == "drawn-card-does-not-match") {
        toDraw = {card(Color::Green, 8), card(Color::Yellow, 9)};
        pick<Bot>(hand, card(Color::Yellow, 5));
    } else if (test == "empty-pile") {
        pick<Bot>(hand, card(Color::Yellow, 5));
    } else if (test == "debug-mode") {
        toDraw = {card(Color::Green, 5)};
        pick<Bot>(hand, card(Color::Yellow, 5), true);
    } else {
        cout << "Give the name of a test: first-match, drawn-card-matches, drawn-card-does-not-match, empty-pile or ";
        cout << "debug-mode." << endl;
        return 1;
    }
    return 0;
}
