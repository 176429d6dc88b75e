#include "Reverse.h"

Reverse::Reverse(Color c) : ActionCard(c, Action::Reverse) { setValue(Value::A); }

void Reverse::play(GameState& uno) {
    *uno.delta *= -1;
    if (uno.P == 2)
        *uno.turnSkipped = true;
}
