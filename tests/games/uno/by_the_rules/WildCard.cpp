// match() and toString() are those of ActionCard, which knows wild cards.
#include "WildCard.h"
#include <iostream>
#include "Man.h"
#include "Player.h"
using namespace std;

WildCard::WildCard() : ActionCard(Color::Wild, Action::ChgColor) { setValue(Value::W); }

void WildCard::play(GameState& uno) {
    Player* p = uno.players[*uno.turn];
    Color chosen = Color::Wild;
    if (dynamic_cast<Man*>(p) == NULL)
        chosen = p->mostFrequentColor();
    while (chosen == Color::Wild) {
        char c;
        cout << "Choose a color [R, Y, G, B]: ";
        cin >> c;
        switch (c) {
            case 'r': case 'R': chosen = Color::Red; break;
            case 'y': case 'Y': chosen = Color::Yellow; break;
            case 'g': case 'G': chosen = Color::Green; break;
            case 'b': case 'B': chosen = Color::Blue; break;
            default: cout << "Invalid option!" << endl;
        }
    }
    setColor(chosen);
    cout << "Color changed to " << COLORS[(int)chosen] << "!" << endl;
}
