// verdict: survives or memory
// printed: (nothing\n)?
// limits: memory=67108864
// Shared pages belong to no process alone.
#include "attack.h"

static void attack(void)
{
    char *pages = mmap(NULL, 1 << 28, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return;
    for (long at = 0; at < 1 << 28; at += 4096)
        pages[at] = 1;
    got("shared pages", "");
}
