// verdict: blocked
// limits: wall_s=2
// Not the process that was started makes the call, but one of its descendants.
#include "got.h"
#include <sys/wait.h>

int main(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            syscall(SYS_ptrace, 0, 0, 0, 0), puts("LEAK"), fflush(stdout), _exit(0);
        pause();
    }
    for (;;)
        wait(NULL);
}
