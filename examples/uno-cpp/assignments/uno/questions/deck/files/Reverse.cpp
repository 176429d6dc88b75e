// Reverse.cpp: the implementation of Reverse.
//
// Name:
// Student ID:
// E-mail:

#include "Reverse.h"

Reverse::Reverse(Color color)
    : ActionCard(color, Action::Reverse)
{
    setValue(Value::A);
}

// TODO: Define the method play(), which reverses the turn order: invert the sign of the variable that uno.delta
// points to. With two players, a Reverse card is the same as a Skip card: also set the variable that
// uno.turnSkipped points to.
