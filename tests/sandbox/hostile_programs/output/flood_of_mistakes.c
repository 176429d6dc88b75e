// verdict: survives
// limits: errors=16384
// Of standard error only the beginning is kept, and the program goes on.
#include "attack.h"

static char block[1 << 16];

static void attack(void)
{
    memset(block, 'x', sizeof block);
    for (int more = 0; more < 512; more++)
        TRY(write(2, block, sizeof block) <= 0);
}
