// test_deck.cpp: tests the class Deck by itself. Its argument is the name of a test.
//
// So that Deck can be tested before WildCard is finished, this file defines what a deck needs of that class. Do not
// compile it together with WildCard.cpp.

#include <iostream>
#include "Deck.h"
#include "WildCard.h"

using namespace std;

WildCard::WildCard()
    : ActionCard(Color::Wild, Action::ChgColor)
{
    setValue(Value::W);
}

void WildCard::play(GameState& /* uno */)
{
}

// A deck that consists of number cards.
class NumberDeck : public Deck {
public:
    NumberDeck(int size)
    {
        for (int i = 0; i < size; ++i)
            cards.push_back(new Card(Color(i % 4), Value(i % 10)));
    }
};

int main(int argc, char* argv[])
{
    string test = argc > 1 ? argv[1] : "";
    cout << "Before print()" << endl;
    if (test == "full")
        Deck(true).print();
    else if (test == "empty")
        NumberDeck(0).print();
    else if (test == "three")
        NumberDeck(3).print();
    else if (test == "ten")
        NumberDeck(10).print();
    else if (test == "eleven")
        NumberDeck(11).print();
    else
        cout << "Give the name of a test: full, empty, three, ten or eleven." << endl;
    cout << "After print()" << endl;
    return 0;
}
