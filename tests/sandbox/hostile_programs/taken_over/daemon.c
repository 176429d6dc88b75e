// verdict: survives
// The process that was started ends; what it has left behind, with every tie cut, ends with it.
#include "attack.h"

static void attack(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int number = 1; number < 65; number++)
                signal(number, SIG_IGN);
            for (;;)
                pause();
        }
        _exit(0);
    }
}
