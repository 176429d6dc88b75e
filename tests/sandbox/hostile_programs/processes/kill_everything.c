// verdict: survives or signalled 9
// It may kill itself, and its group may be nobody else's.
#include "attack.h"

static void attack(void)
{
    for (int pid = 2; pid < 100; pid++)
        if (pid != getpid())
            TRY(kill(pid, SIGKILL) == 0);
    TRY(getppid() > 0 && kill(getppid(), SIGKILL) == 0);
    TRY(getpid() != 1 && kill(1, SIGSTOP) == 0 && kill(1, SIGKILL) == 0 && 0);
    kill(-1, SIGKILL);
    if (!leaks)
        puts("nothing"), fflush(stdout);
    kill(0, SIGKILL);
    exit(0);
}
