// verdict: cpu or processes
// limits: cpu_s=0.2 processes=20
// The time of all processes counts together.
#include "got.h"

int main(void)
{
    for (int more = 0; more < 4; more++)
        if (fork() == 0)
            break;
    for (;;)
        ;
}
