// verdict: survives or cpu or wall or processes
// limits: processes=20 cpu_s=1
// printed: (nothing\n)?
#include "attack.h"

static void attack(void)
{
    int made = 0;
    for (int more = 0; more < 2000; more++) {
        pid_t child = fork();
        if (child == 0)
            for (;;)
                pause();
        made += child > 0;
    }
    usleep(200000); // where only the host counts processes, it looks every few milliseconds
    TRY(made > 20);
}
