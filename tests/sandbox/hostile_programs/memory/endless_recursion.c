// verdict: signalled 11 or memory
// limits: memory=67108864
#include "got.h"

static long deeper(volatile long *above)
{
    volatile long here[20] = {*above + 1};
    return deeper(here) + here[0];
}

int main(void)
{
    volatile long zero = 0;
    printf("LEAK %ld\n", deeper(&zero));
}
