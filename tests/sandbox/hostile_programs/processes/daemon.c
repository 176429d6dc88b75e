// verdict: survives
// A process that leaves everything behind which could end it.
#include "attack.h"

static void attack(void)
{
    TRY(daemon(1, 1) == 0);
    TRY(setsid() >= 0 && 0);
    TRY(fork() >= 0);
}
