// WildCard.cpp: the implementation of WildCard.
//
// Name: (solution)
// Student ID:
// E-mail:

#include "WildCard.h"
#include <cctype>
#include <iostream>
#include <stdexcept>
#include "Man.h"

using namespace std;

namespace {

// Ask the user for a color until one of the four letters is entered.
Color askColor()
{
    const string letters = "RYGB";  // in the order of the Color values
    string answer;
    while (true) {
        cout << "Choose a color [R, Y, G, B]: ";
        if (!(cin >> answer))
            throw runtime_error("The input ended before the game did.");
        if (answer.size() == 1) {
            size_t index = letters.find(char(toupper(static_cast<unsigned char>(answer[0]))));
            if (index != string::npos)
                return Color(index);
        }
        cout << "Invalid option!" << endl;
    }
}

}

WildCard::WildCard()
    : ActionCard(Color::Wild, Action::ChgColor)
{
    setValue(Value::W);
}

bool WildCard::match(Card* /* top */)
{
    return true;
}

string WildCard::toString()
{
    return "[W" + ACTIONS[int(getAction())] + "]";
}

void WildCard::play(GameState& uno)
{
    Player* player = uno.players[*uno.turn];
    bool isMan = dynamic_cast<Man*>(player) != nullptr;
    setColor(isMan ? askColor() : player->mostFrequentColor());
    cout << "Color changed to " << COLORS[int(getColor())] << "!" << endl;
}
