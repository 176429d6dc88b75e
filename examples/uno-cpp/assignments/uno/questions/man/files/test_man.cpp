// test_man.cpp: tests the class Man by itself. Its argument is the name of a test; it reads what the user types.

#include "test_pick.h"
#include "Man.h"

using namespace std;

int main(int argc, char* argv[])
{
    string test = argc > 1 ? argv[1] : "";
    vector<Card*> hand = {card(Color::Red, 1), card(Color::Blue, 2), card(Color::Green, 3)};

    if (test == "options") {
        toDraw = {card(Color::Green, 9)};
        pick<Man>(hand, card(Color::Blue, 3));
    } else if (test == "twelve-cards") {
        toDraw = {card(Color::Green, 9)};
        vector<Card*> many;
        for (int i = 0; i < 12; ++i)
            many.push_back(card(Color(i % 4), i % 10));
        pick<Man>(many, card(Color::Green, 1));
    } else if (test == "drawn-card-matches") {
        toDraw = {card(Color::Yellow, 8), card(Color::Green, 9)};
        pick<Man>(hand, card(Color::Yellow, 5));
    } else if (test == "drawn-card-does-not-match") {
        toDraw = {card(Color::Green, 8), card(Color::Yellow, 9)};
        pick<Man>(hand, card(Color::Yellow, 5));
    } else if (test == "empty-pile") {
        pick<Man>(hand, card(Color::Blue, 5));
    } else if (test == "no-choice") {
        pick<Man>(hand, card(Color::Yellow, 5));
    } else {
        cout << "Give the name of a test: options, twelve-cards, drawn-card-matches, drawn-card-does-not-match, ";
        cout << "empty-pile or no-choice." << endl;
        return 1;
    }
    return 0;
}
