#include "Man.h"
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include "DiscardPile.h"
#include "DrawPile.h"
using namespace std;

Man::Man() { name += " (Man)"; }

int Man::pickCard(GameState& uno) {
    Card* top = uno.discardPile->top();
    bool none = true;
    for (int i = 0; i < hand.size(); i++) {
        if (hand[i]->match(top)) {
            cout << setw(4) << "[" + to_string(i) + "]";
            none = false;
        } else
            cout << setw(4) << "[x]";
        cout << hand[i]->toString() << " ";
        if (i % 10 == 9)
            cout << endl;
    }
    if (uno.drawPile->size() > 0)
        cout << " [D]raw";
    cout << endl;
    if (none && uno.drawPile->size() == 0)
        return PASSED;
    while (true) {
        string s;
        cout << "Enter option: ";
        cin >> s;
        if (s == "D" || s == "d") {
            if (uno.drawPile->size() > 0) {
                drawCard(uno.drawPile);
                cout << "Drawn " << hand.back()->toString() << endl;
                return hand.back()->match(top) ? handSize() - 1 : DRAWN;
            }
        } else if (isdigit(s[0])) {
            int i = atoi(s.c_str());
            if (i < handSize() && hand[i]->match(top))
                return i;
        }
        cout << "Invalid option!" << endl;
    }
}
