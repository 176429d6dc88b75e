// verdict: cpu or wall or exited 0
// limits: cpu_s=0.2 wall_s=3 processes=20
// printed: 
// Each ends as soon as it has a child, so the same process is never seen twice. The first one's end is the command's.
#include "got.h"

int main(void)
{
    for (;;) {
        if (fork() > 0)
            _exit(0);
        for (volatile int more = 0; more < 3000000; more++)
            ;
    }
}
