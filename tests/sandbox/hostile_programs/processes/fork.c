// verdict: survives
#include "attack.h"

static void attack(void)
{
    TRY(fork() >= 0);
    TRY(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0);
}
