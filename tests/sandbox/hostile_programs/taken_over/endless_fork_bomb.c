// verdict: cpu or wall or processes
// limits: processes=20 cpu_s=0.2 wall_s=2
#include "got.h"

int main(void)
{
    for (;;)
        fork();
}
