// verdict: cpu or wall or processes
// limits: cpu_s=0.2 wall_s=3 processes=20
// None of them lives long, and nobody has waited for those that are gone.
#include "got.h"

int main(void)
{
    signal(SIGCHLD, SIG_IGN);
    for (;;)
        if (fork() == 0) {
            for (volatile int more = 0; more < 3000000; more++)
                ;
            _exit(0);
        }
}
