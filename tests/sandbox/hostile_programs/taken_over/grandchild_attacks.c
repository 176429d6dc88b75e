// verdict: blocked or exited 0
// printed:
// Not the process that was started makes the call, but one of its descendants. Where the kernel itself kills, it kills
// that one only.
#include "got.h"
#include <sys/wait.h>

int main(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            syscall(SYS_ptrace, 0, 0, 0, 0), puts("LEAK"), fflush(stdout), _exit(0);
        wait(NULL);
        _exit(0);
    }
    wait(NULL);
}
