// WildCard.cpp: the implementation of WildCard.
//
// Name:
// Student ID:
// E-mail:

#include "WildCard.h"
#include <iostream>
#include <stdexcept>
#include "Man.h"

using namespace std;

WildCard::WildCard()
    : ActionCard(Color::Wild, Action::ChgColor)
{
    setValue(Value::W);
}

bool WildCard::match(Card* /* top */)
{
    // TODO: A wild card can be played on any card. Correct the next line.
    return false;
}

string WildCard::toString()
{
    return "[W" + ACTIONS[int(getAction())] + "]";
}

void WildCard::play(GameState& /* uno */)
{
    // TODO: Let the current player choose a color, and set the color of this card to it.
    //
    // 1. Get a pointer to the current player from uno.players and *uno.turn. If it points to a Man
    //    (dynamic_cast<Man*>(pointer) is not nullptr), prompt the user for a color:
    //        Choose a color [R, Y, G, B]:
    //    There is a space after the colon. Upper-case and lower-case letters are both right. Print "Invalid
    //    option!" and show the prompt again until the input is one of the four letters.
    //    If there is no more input (cin is false after you have read), throw
    //        runtime_error("The input ended before the game did.");
    //    main() catches this error. Without it your loop would never end.
    // 2. If it is a bot, take the result of its method mostFrequentColor().
    // 3. Set the color of this card and print, for example, "Color changed to Red!". See COLORS in Card.h.
}
