// Broken: play() is defined in Reverse.cpp, but not declared here.
// Reverse.h: the interface of Reverse, which models a Reverse card.
//
// Name: (solution)
// Student ID:
// E-mail:

#ifndef REVERSE_H
#define REVERSE_H

#include "ActionCard.h"

class Reverse : public virtual ActionCard {
public:
    Reverse(Color color);

};

#endif
