// verdict: cpu
// limits: cpu_s=0.1
#include "got.h"

static void again(int number)
{
    (void)number;
    for (;;)
        ;
}

int main(void)
{
    for (int number = 1; number < 65; number++)
        signal(number, again);
    *(volatile int *)NULL = 1;
}
