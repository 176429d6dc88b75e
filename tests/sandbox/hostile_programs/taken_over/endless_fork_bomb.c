// verdict: cpu or wall or processes
// limits: processes=20 cpu_s=0.2 wall_s=2
// dies_in_s: 12
#include "got.h"

int main(void)
{
    for (;;)
        fork();
}
