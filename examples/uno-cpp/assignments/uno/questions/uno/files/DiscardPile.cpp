// DiscardPile.cpp: the implementation of DiscardPile.

#include "DiscardPile.h"

DiscardPile::DiscardPile()
    : Deck(false)
{
}

void DiscardPile::add(Card* card)
{
    cards.push_back(card);
}

const Card& DiscardPile::top() const
{
    return *cards.back();
}
