// verdict: survives or memory
// limits: memory=67108864
// It asks for memory until it gets no more, and ends in order.
#include "attack.h"

static void attack(void)
{
    long all = 0;
    for (char *more; all < 1 << 30 && (more = malloc(1 << 20)); all += 1 << 20)
        memset(more, 1, 1 << 20);
    TRY(all >= 65 << 20);
}
