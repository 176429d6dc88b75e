// Reverse.h: the interface of Reverse, which models a Reverse card.
//
// Name:
// Student ID:
// E-mail:

#ifndef REVERSE_H
#define REVERSE_H

#include "ActionCard.h"

class Reverse : public virtual ActionCard {
public:
    Reverse(Color color);

    // TODO: Declare the method play(), which overrides that of the base class. See Skip.h for an example.
};

#endif
