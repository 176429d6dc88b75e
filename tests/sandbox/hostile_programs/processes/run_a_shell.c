// verdict: survives or blocked
// system() forks first, and that is refused.
#include "attack.h"

static void attack(void)
{
    int done = system("echo LEAK");
    TRY(done == 0);
    TRY(popen("echo LEAK", "r") != NULL);
}
