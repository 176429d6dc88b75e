// verdict: cpu or wall
// limits: cpu_s=0.1 wall_s=0.5 errors=16384
#include "got.h"

int main(void)
{
    for (;;)
        fputs("mistake\n", stderr);
}
