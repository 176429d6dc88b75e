// DrawPile.cpp: the implementation of DrawPile.

#include "DrawPile.h"
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std;

namespace {

const size_t CARDS = 72;  // on the pile before the first draw
const string DECK_FILE = "deck.txt";

// The card of a file as toString() gives it: "[R6]" for R6, [R6] or [R6]=6.
string cardName(const string& word)
{
    string name = word.substr(0, word.find('='));
    return name[0] == '[' ? name : "[" + name + "]";
}

// Put the cards into the order that the file gives, if there is one.
void arrange(vector<Card*>& cards)
{
    ifstream file(DECK_FILE);
    if (!file)
        return;
    string word;
    size_t arranged = 0;  // so many cards are already in their places
    while (file >> word) {
        size_t found = arranged;
        while (found < cards.size() && cards[found]->toString() != cardName(word))
            ++found;
        if (found == cards.size())
            throw runtime_error(DECK_FILE + " lists " + word + ", which is not a card that is left.");
        swap(cards[arranged++], cards[found]);
    }
    if (arranged < cards.size())
        throw runtime_error(DECK_FILE + " does not list all 72 cards.");
}

}

DrawPile::DrawPile()
    : Deck(true)
{
}

int DrawPile::size() const
{
    return int(cards.size());
}

int DrawPile::draw(vector<Card*>& hand, int n)
{
    if (cards.size() == CARDS)
        arrange(cards);
    int drawn = 0;
    while (drawn < n && !cards.empty()) {
        hand.push_back(cards.front());
        cards.erase(cards.begin());
        ++drawn;
    }
    return drawn;
}
