// Man.cpp: the implementation of Man.
//
// Name:
// Student ID:
// E-mail:

#include "Man.h"
#include <iostream>
#include <stdexcept>

using namespace std;

Man::Man()
{
    setName(getName() + " (Man)");
}

int Man::pickCard(GameState& /* uno */)
{
    // TODO: Let the user pick a card:
    // 1. Print the hand, at most 10 cards per line. Before each card print its index in square brackets, or [x] if
    //    it does not match the top card of the discard pile. This part is right-aligned in 4 characters: there is a
    //    space before "[2]" and "[x]", but none before "[10]". Print a space after each card, and end the line after
    //    the tenth one.
    // 2. If the draw pile has cards, print a space and "[D]raw". End the line.
    //         [0][R6]  [x][BD]  [x][GS]  [D]raw
    // 3. If no card matches and the draw pile is empty, return PASSED.
    // 4. Prompt the user with "Enter option: " (with a space at the end). The option is an index or the letter D.
    //    - If it is the index of a card that matches, return it.
    //    - If it is D or d and the draw pile has cards, draw one card; drawCard() does it and prints how many cards
    //      were drawn. The new card is at the back of the hand. Print "Drawn [XX]", where [XX] is the card. Return
    //      its index if it matches, and DRAWN if it does not.
    //    - Otherwise print "Invalid option!" and prompt again.
    //    Read the option as a string: it may be a letter or a number. If there is no more input (cin is false after
    //    you have read), throw
    //        runtime_error("The input ended before the game did.");
    //    main() catches this error. Without it your loop would never end.
    return PASSED;
}
