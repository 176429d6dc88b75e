// verdict: cpu or wall
// limits: cpu_s=0.1 wall_s=0.5
// Where it cannot fork it only loops.
#include "got.h"

int main(void)
{
    for (;;)
        if (fork() > 0)
            printf("LEAK\n");
}
