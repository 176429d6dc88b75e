// test_actioncard.cpp: tests the class ActionCard by itself. Its argument is the name of a test.

#include <iostream>
#include "ActionCard.h"

using namespace std;

// Print whether a card can be played on the top card of the discard pile.
void tell(Card& card, Card& top)
{
    cout << card.toString() << " on " << top.toString() << ": ";
    cout << (card.match(&top) ? "matches" : "does not match") << endl;
}

int main(int argc, char* argv[])
{
    string test = argc > 1 ? argv[1] : "";
    ActionCard redSkip(Color::Red, Action::Skip), redReverse(Color::Red, Action::Reverse);
    ActionCard blueSkip(Color::Blue, Action::Skip), blueDraw2(Color::Blue, Action::Draw2);
    ActionCard greenDraw4(Color::Green, Action::Draw4);
    Card red7(Color::Red, Value::N7), blue7(Color::Blue, Value::N7);

    if (test == "color") {
        tell(redSkip, redReverse);
        tell(redSkip, red7);
        tell(blueDraw2, blueSkip);
    } else if (test == "action") {
        tell(redSkip, blueSkip);
        tell(blueSkip, redSkip);
    } else if (test == "value") {  // all of these are worth 20 points
        tell(redReverse, blueSkip);
        tell(redSkip, blueDraw2);
    } else if (test == "number") {
        tell(redSkip, blue7);
        tell(blueDraw2, red7);
    } else if (test == "draw-4") {  // both are printed with a D, but their actions differ
        tell(blueDraw2, greenDraw4);
    } else {
        cout << "Give the name of a test: color, action, value, number or draw-4." << endl;
        return 1;
    }
    return 0;
}
