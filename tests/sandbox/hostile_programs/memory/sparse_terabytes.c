// verdict: survives
// limits: memory=67108864
// A mapping of terabytes of which nothing is touched costs nothing, wherever it is allowed.
#include "attack.h"

static void attack(void)
{
    char *pages = mmap(NULL, 1L << 42, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages != MAP_FAILED)
        pages[1L << 41] = 1;
}
