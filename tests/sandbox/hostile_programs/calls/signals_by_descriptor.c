// verdict: survives
// The kernel can be asked to send a signal to the owner of a descriptor, and the owner may be another process.
#include "attack.h"

static void attack(void)
{
    for (int file = 0; file < 3; file++)
        for (int pid = 1; pid < 50; pid++)
            if (pid != getpid() && fcntl(file, F_SETOWN, pid) == 0 && fcntl(file, F_SETSIG, SIGKILL) == 0)
                TRY(fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
}
