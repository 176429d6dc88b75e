// verdict: survives
#include "attack.h"

static void attack(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    TRY(child > 0);
}
