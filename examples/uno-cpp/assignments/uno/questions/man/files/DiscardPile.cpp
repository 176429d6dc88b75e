// DiscardPile.cpp: the implementation of DiscardPile.

#include "DiscardPile.h"

DiscardPile::DiscardPile()
    : Deck(false)
{
}

Card* DiscardPile::top() const
{
    return cards.back();
}

void DiscardPile::stack(Card* card)
{
    cards.push_back(card);
}
